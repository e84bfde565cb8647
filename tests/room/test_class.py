"""The class as a whole: every pair's place, who is stuck, where pairs disagree; whatever state the files are in."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.cli import main
from gate.files import HOME
from gate.lab.plan import load_plan
from gate.room.code import encode
from gate.room.minutes import plan_patch, propose, sections_took
from gate.room.overview import overview
from gate.room.page import class_page
from gate.room.standing import Standing
from gate.room.watch import standings, work_folders
from tests.room.class_kit import BEGAN, make_class
from tests.waiting import wait_until

LABS = load_plan()
MEMORY = LABS["memory"]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_class(tmp_path, monkeypatch)


# --- the folder -----------------------------------------------------------------------------------------------------


def test_finds_each_pair_s_work_folder_and_names_it_after_the_folders_above(room: Path) -> None:
    assert list(work_folders(room)) == ["ana", "late", "room 2/kim"]
    assert list(work_folders(room / "ana" / "work")) == ["work"]  # a single pair's own folder


def test_does_not_follow_links_or_look_into_environments(tmp_path: Path, room: Path) -> None:
    (room / "link").symlink_to(room / "ana")
    inside = room / ".venv" / "x"
    inside.mkdir(parents=True)
    (inside / "boards.json").write_text("{}", encoding="utf-8")
    assert list(work_folders(room)) == ["ana", "late", "room 2/kim"]


def test_a_work_folder_that_is_still_empty_is_a_pair_that_has_not_begun(
    room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (room / "early" / "work").mkdir(parents=True)
    assert list(work_folders(room)) == ["ana", "early", "late", "room 2/kim"]
    assert main(["class", str(room), "--once"]) == 0
    early = next(line for line in capsys.readouterr().out.splitlines() if "early" in line)
    assert "not begun" in early


def test_a_watched_folder_called_work_is_a_pair_s_only_when_it_holds_answers(tmp_path: Path, room: Path) -> None:
    watched = tmp_path / "shared" / "work"
    watched.mkdir(parents=True)
    assert work_folders(watched) == {}
    shutil.copytree(room / "ana", watched / "ana")
    assert list(work_folders(watched)) == ["ana"]


def test_a_work_folder_that_may_not_be_listed_is_shown_and_another_private_folder_left_out(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, private = os.scandir, {room / "ana" / "work", room / "photos"}

    def scandir(folder: Path) -> Iterator[os.DirEntry[str]]:
        if folder in private:
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return listed(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(work_folders(room)) == ["ana", "late", "room 2/kim"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["class", str(tmp_path / "nowhere"), "--once"]) == 2
    assert "cannot be read (No such file or directory). Next: name the shared folder." in capsys.readouterr().err


def test_a_torn_file_is_told_and_the_other_pairs_are_shown(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "ana" / "work" / "boards.json").write_bytes(b"\xff\xfe\0")
    assert main(["class", str(room), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    notes = {pair["pair"]: pair["notes"] for pair in told["pairs"]}
    assert [len(notes[name]) for name in ("ana", "late", "room 2/kim")] == [1, 1, 0]
    assert notes["late"][0].startswith("table-memory.json: not JSON")
    assert all("Next: let the pair change any answer" in note for note in (*notes["ana"], *notes["late"]))


# --- what it says ---------------------------------------------------------------------------------------------------


def test_says_where_pairs_disagree_and_who_has_not_chosen(room: Path) -> None:
    seen = overview(MEMORY, standings(room, MEMORY), BEGAN // 1000)
    first, second = seen.rows[:2]
    assert (dict(first.chosen), first.open, first.disputed) == ({"allow": 2}, 1, False)
    assert (dict(second.chosen), second.open, second.agreement) == ({"block": 1, "repair": 1}, 1, 0.5)
    assert [row.row for row in seen.disputed] == ["row-2"]
    assert {pair.pair: pair.rows for pair in seen.pairs} == {"ana": "12····", "late": "······", "room 2/kim": "12····"}


def test_a_row_that_all_chose_alike_and_wrongly_is_the_first_to_discuss() -> None:
    alike = {"row-1": "allow", "row-2": "block", "row-3": "allow"}  # the reference: allow, block, block
    pair = Standing("one", "memory", "02_freeze_the_contract", 0, {}, alike)
    other = pair._replace(pair="two", choices={**alike, "row-2": "repair"})
    seen = overview(MEMORY, [pair, other], 0)
    assert [row.row for row in seen.to_discuss] == ["row-3", "row-2"]
    assert [row.row for row in seen.disputed] == ["row-2"]  # nobody who watches the class at work is told an answer


def test_the_pair_that_is_stuck_longest_stands_first_and_one_that_is_done_is_not_stuck() -> None:
    done = {name: rows for name, (_, rows) in overview_boards().items()}
    found = [
        Standing("new", "memory", "", 0, {}, {}),
        Standing("at work", "memory", "01_reproduce_the_leak", 10_000 - 4 * 60, {}, {}),
        Standing("stuck", "memory", "01_reproduce_the_leak", 10_000 - 6 * 60, {}, {}),
        Standing("longest", "memory", "02_freeze_the_contract", 10_000 - 9 * 60, {}, {}),
        Standing("done", "memory", "05_replay_fixtures", 10_000 - 30 * 60, done, {}),
    ]
    seen = overview(MEMORY, found, 10_000)
    assert [(pair.pair, pair.idle) for pair in seen.pairs if pair.stuck] == [("longest", 9), ("stuck", 6)]
    assert [pair.pair for pair in seen.pairs] == ["longest", "stuck", "at work", "new", "done"]


def test_boards_stand_in_the_order_of_the_lab() -> None:
    assert [*overview_boards()][-2:] == ["memory.pack", "memory.bigger_pack"]


def overview_boards() -> dict[str, tuple[str, int]]:
    from gate.room.standing import boards_of

    return boards_of("memory")


def test_a_clock_that_is_ahead_makes_nobody_stuck() -> None:
    ahead = Standing("them", "memory", "01_reproduce_the_leak", 20_000, {}, {})
    assert overview(MEMORY, [ahead], 10_000).pairs[0].idle == 0


# --- the terminal, the page -----------------------------------------------------------------------------------------


def test_shows_the_class_in_the_terminal(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["class", str(room), "--once"]) == 0
    out = capsys.readouterr().out
    assert "memory: 3 pairs" in out and "35/35" in out and "Pairs disagree on row-2 (block 1, repair 1)." in out


def test_a_class_of_one_pair_is_one_pair(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "class.html"
    assert main(["class", str(room / "ana"), "--once", "--page", str(page)]) == 0
    assert "memory: 1 pair " in capsys.readouterr().out
    assert "1 pair, 0 stuck, at " in page.read_text(encoding="utf-8")


def test_a_place_where_nobody_has_begun_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat = tmp_path / "chat.txt"
    chat.write_text("good morning", encoding="utf-8")
    for source in ([str(tmp_path)], ["--codes", str(chat)]):
        assert main(["class", *source, "--once"]) == 0
        assert "Nobody has begun. Next: see that this is where each pair's work/ lies" in capsys.readouterr().out


def test_writes_a_page_that_refreshes_itself_and_escapes_what_stands_in_a_folder_s_name(
    room: Path, tmp_path: Path
) -> None:
    (room / "ana").rename(room / "<img src=x onerror=alert(1)>")
    page = tmp_path / "class.html"
    assert main(["class", str(room), "--once", "--page", str(page), "--every", "7"]) == 0
    text = page.read_text(encoding="utf-8")
    assert '<meta http-equiv="refresh" content="7">' in text and "3 pairs, " in text
    assert "<img" not in text and "&lt;img src=x onerror=alert(1)&gt;" in text


def test_the_live_page_does_not_show_the_answers_and_the_debrief_does(room: Path, tmp_path: Path) -> None:
    live, afterwards = tmp_path / "class.html", tmp_path / "out"
    assert main(["class", str(room), "--once", "--page", str(live)]) == 0
    assert main(["class", str(room), "--report", str(afterwards)]) == 0
    assert 'class="answer"' not in live.read_text(encoding="utf-8")
    assert 'class="answer"' in (afterwards / "debrief.html").read_text(encoding="utf-8")


def test_the_page_of_an_empty_class_says_so() -> None:
    text = class_page(overview(LABS["results"], [], 0), "10:00:00", 5)
    assert "Nobody has begun. Next: " in text and "Where pairs disagree" not in text  # that lab has no decision table


def test_goes_on_while_files_are_torn_or_away_and_ends_with_ctrl_c(
    room: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = tmp_path_factory.mktemp("page") / "live.html"
    command = [sys.executable, "-m", "gate", "class", str(room), "--every", "1", "--page", str(page)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HOME) as live:
        try:
            wait_until(lambda: page.exists())
            (room / "ana" / "work" / "boards.json").write_text("{", encoding="utf-8")
            wait_until(lambda: "boards.json: not JSON" in page.read_text(encoding="utf-8"))
            (room / "ana" / "work" / "boards.json").unlink()
            wait_until(lambda: "boards.json: not JSON" not in page.read_text(encoding="utf-8"))
            room.rename(away := room.with_name("away"))  # as a share that hangs
            time.sleep(1.5)
            away.rename(room)
            (room / "late" / "work" / "table-memory.json").unlink()
            wait_until(lambda: "table-memory.json: not JSON" not in page.read_text(encoding="utf-8"))
        finally:
            live.send_signal(signal.SIGINT)
            _, err = live.communicate(timeout=30)
    assert (live.returncode, err) == (0, "")


# --- codes ----------------------------------------------------------------------------------------------------------


def test_reads_codes_out_of_a_chat_and_names_the_one_that_is_torn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    early = Standing("7KQ2", "memory", "01_reproduce_the_leak", 600, {}, {})
    later = early._replace(section="03_fail_closed", green={"memory.by_hand": 6})
    other = Standing("9ZZ3", "arguments", "", 0, {}, {})
    codes = [encode(one, LABS) for one in (early, later, other)]
    chat = tmp_path / "chat.txt"
    chat.write_text(f"ana: {codes[0]}\nkim: {codes[2]}\nana: {codes[1]}\n??: {codes[1][:-2]}\n", encoding="utf-8")
    assert main(["class", "--codes", str(chat), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(pair["pair"], pair["place"]) for pair in told["pairs"]] == [("7KQ2", 3)]
    assert len(told["unreadable"]) == 1 and "torn or mistyped" in told["unreadable"][0]
    assert told["elsewhere"] == {"arguments": 1}


def test_codes_about_another_lab_are_told_and_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat = tmp_path / "chat.txt"
    chat.write_text(encode(Standing("9ZZ3", "arguments", "", 0, {}, {}), LABS), encoding="utf-8")
    assert main(["class", "--codes", str(chat)]) == 0
    assert "1 of the codes: about arguments. Next: add --lab arguments." in capsys.readouterr().out


@pytest.mark.parametrize("line", [["class"], ["class", "here", "--codes", "-"], ["class", ".", "--every", "0"]])
def test_asks_for_one_source(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 2
    assert "Next: name the shared folder, or --codes FILE." in capsys.readouterr().err


# --- the debrief ----------------------------------------------------------------------------------------------------


def test_sections_took_what_the_pair_in_the_middle_took(room: Path) -> None:
    took = sections_took(MEMORY, work_folders(room).values())
    assert [(one.planned, one.took, one.pairs) for one in took] == [
        (10, 12.0, 3), (15, 12.0, 3), (20, 12.0, 3), (15, None, 0), (15, None, 0)]  # fmt: skip
    assert sum(one.proposed for one in took) == MEMORY.minutes


@pytest.mark.parametrize(
    ("planned", "took", "proposed"),
    [
        ({"a": 10, "b": 10}, {"a": 5.0, "b": 15.0}, {"a": 5, "b": 15}),
        ({"a": 10, "b": 10}, {"a": None, "b": None}, {"a": 10, "b": 10}),
        ({"a": 10, "b": 10, "c": 10}, {"a": 0.0, "b": 90.0, "c": 90.0}, {"a": 3, "b": 13, "c": 14}),
        ({"a": 8, "b": 12, "c": 15}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 12, "b": 12, "c": 11}),
    ],
)
def test_proposes_whole_minutes_that_fill_the_lab(
    planned: dict[str, int], took: dict[str, float | None], proposed: dict[str, int]
) -> None:
    assert propose(planned, took) == proposed


def test_writes_a_debrief_and_a_patch_that_applies_and_changes_nothing_itself(room: Path, tmp_path: Path) -> None:
    before = (HOME / "data" / "labs.json").read_bytes()
    assert main(["class", str(room), "--report", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "debrief.html").read_text(encoding="utf-8")
    assert "The rows to discuss" in page and "row-2" in page
    assert (HOME / "data" / "labs.json").read_bytes() == before
    (tmp_path / "kit" / "data").mkdir(parents=True)
    (tmp_path / "kit" / "data" / "labs.json").write_bytes(before)
    subprocess.run(["git", "apply", str(tmp_path / "out" / "labs.patch")], cwd=tmp_path / "kit", check=True)
    changed = load_plan(tmp_path / "kit" / "data" / "labs.json")["memory"]
    assert [section.end - section.start for section in changed.sections] == [
        one.proposed for one in sections_took(MEMORY, work_folders(room).values())]  # fmt: skip


def test_a_plan_that_fits_needs_no_patch() -> None:
    assert plan_patch(MEMORY, sections_took(MEMORY, [])) == ""
