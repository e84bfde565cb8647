"""Rules of `gate submit`: data only, complete or said to be not, the same bytes for the same work."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gate.cli import main
from gate.errors import ConfigError
from gate.lab import board, submit, table
from gate.lab.derive import learner_path, solution_paths
from gate.lab.submission import MAX_CELL, MAX_FILE, Submission, collect
from gate.results import validate_tool_result
from tests.lab.notebook_kit import SOLVED, make_kit

NAME = "memory/03_fail_closed"
MINE = SOLVED.replace("# solution: ask the gate", "# mine, with an é")


def answer(learner: Path, cell_id: str, **changes: Any) -> None:
    """Change a cell of the learner's copy, as a student does; `gone=True` deletes it."""
    notebook = json.loads(learner.read_text(encoding="utf-8"))
    for one in [one for one in notebook["cells"] if one["id"] == cell_id]:
        if changes.get("gone"):
            notebook["cells"].remove(one)
        one.update(changes)
    learner.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    return make_kit(tmp_path / "kit")


def submitted(solution: Path, **more: Any) -> Submission:
    return collect([solution], home=solution.parents[3], **more)


def finish(solution: Path) -> None:
    answer(learner_path(solution), "write", source=MINE)
    board("memory.by_hand", validate_tool_result)


def test_takes_answer_cells_and_the_json_of_work_and_nothing_else(solution: Path, work: Path) -> None:
    finish(solution)
    table("memory").choose("row-1", "allow", "fine")
    (work / "fixtures" / "inventory.lookup").mkdir(parents=True)
    (work / "fixtures" / "inventory.lookup" / "valid.json").write_text('{"label": "allow"}', encoding="utf-8")
    (work / "clock-memory.json").write_text('{"events": []}', encoding="utf-8")
    (work / "notes.txt").write_text("mine", encoding="utf-8")
    handed = submitted(solution, pair="ada and bob")
    assert handed.missing == ()
    assert sorted(handed.files) == [
        "manifest.json", f"notebooks/{NAME}.json", "work/boards.json", "work/fixtures/inventory.lookup/valid.json",
        "work/table-memory.json",
    ]  # fmt: skip
    assert json.loads(handed.files[f"notebooks/{NAME}.json"]) == {"write": MINE}


def test_the_manifest_says_what_is_in_it_and_by_which_kit(solution: Path) -> None:
    finish(solution)
    handed = submitted(solution, pair="ada and bob")
    manifest = json.loads(handed.files["manifest.json"])
    lock = (solution.parents[3] / "schemas" / "contracts.lock.json").read_bytes()
    assert manifest["contracts"] == hashlib.sha256(lock).hexdigest()
    assert (manifest["format"], manifest["pair"], manifest["notebooks"]) == (1, "ada and bob", [NAME])
    assert manifest["labs"] == ["memory"]
    others = {name: text for name, text in handed.files.items() if name != "manifest.json"}
    assert manifest["files"] == {name: hashlib.sha256(text.encode()).hexdigest() for name, text in others.items()}


def test_the_same_work_gives_the_same_bytes_and_other_work_others(solution: Path) -> None:
    finish(solution)
    first = submitted(solution).packed()
    assert submitted(solution).packed() == first
    answer(learner_path(solution), "title", source="# Something else", execution_count=9)
    assert submitted(solution).packed() == first
    answer(learner_path(solution), "write", source=MINE + "\n")
    assert submitted(solution).packed() != first


def test_the_zip_holds_plain_files_without_times(solution: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(submitted(solution).packed())) as bundle:
        assert {entry.date_time for entry in bundle.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert all(not name.startswith("/") and ".." not in name for name in bundle.namelist())
        assert json.loads(bundle.read("manifest.json"))["notebooks"] == [NAME]


def test_says_what_is_missing_and_hands_in_the_rest(solution: Path) -> None:
    handed = submitted(solution)
    assert handed.missing == (
        f"{NAME}: the answer cell write is as it was handed out",
        f"{NAME}: the board memory.by_hand was not run",
    )
    board("memory.by_hand", lambda tool, payload: payload)
    assert submitted(solution).missing[1] == f"{NAME}: the board memory.by_hand has 5 red rows"
    assert "write" in json.loads(handed.files[f"notebooks/{NAME}.json"])


def test_a_table_that_was_filled_in_by_hand_needs_no_cell_that_fills_it_in(work: Path) -> None:
    told = "memory/02_freeze_the_contract: the answer cell freeze-choose is as it was handed out"
    freeze = [path for path in solution_paths() if path.stem == "02_freeze_the_contract"]
    rows = table("memory")
    for number in range(1, 6):
        rows.choose(f"row-{number}", "block", "we are sure")
    assert told in collect(freeze).missing
    rows.choose("row-6", "block", "we are sure")
    assert told not in collect(freeze).missing
    (work / "table-memory.json").write_text("{", encoding="utf-8")
    assert told in collect(freeze).missing


def test_says_what_an_answer_needs_of_a_cell_that_is_not_handed_in(solution: Path) -> None:
    path = learner_path(solution)
    answer(path, "write", source="def validate_by_hand(tool, payload):\n    return helper(payload)")
    document = json.loads(path.read_text(encoding="utf-8"))
    own = {"id": "own", "cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    document["cells"].insert(0, {**own, "source": "def helper(payload):\n    return payload"})
    path.write_text(json.dumps(document), encoding="utf-8")
    told = f"{NAME}: what write needs of a cell of your own, helper: move it into that answer cell"
    assert told in submitted(solution).missing


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gone": True}, "the answer cell write is not there"),
        ({"id": "renamed"}, "the answer cell write is not there"),
        ({"cell_type": "markdown"}, "the answer cell write is not there"),
        ({"source": "x" * (MAX_CELL + 1)}, "the answer cell write is too long"),
    ],
    ids=["deleted", "renamed", "turned into text", "huge"],
)
def test_a_cell_that_cannot_be_taken_is_missing(solution: Path, changes: dict[str, Any], says: str) -> None:
    answer(learner_path(solution), "write", **changes)
    handed = submitted(solution)
    assert f"{NAME}: {says}" in handed.missing and json.loads(handed.files[f"notebooks/{NAME}.json"]) == {}


def test_a_notebook_that_is_gone_or_broken_is_missing(solution: Path) -> None:
    learner_path(solution).write_text("half", encoding="utf-8")
    assert any("this is no notebook" in line for line in submitted(solution).missing)
    learner_path(solution).unlink()
    assert f"{NAME}: the notebook is not there (gate lab reset {NAME} brings it back)" in submitted(solution).missing


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"a": NaN}', '{"a": 1, "a": 2}', '{"a": "' + "x" * MAX_FILE + '"}'],
    ids=["cut off", "a list", "NaN", "a key twice", "huge"],
)  # fmt: skip
def test_a_file_that_is_no_strict_json_is_missing_and_the_rest_goes_in(solution: Path, work: Path, text: str) -> None:
    finish(solution)
    (work / "odd.json").write_text(text, encoding="utf-8")
    handed = submitted(solution)
    assert len(handed.missing) == 1 and handed.missing[0].startswith("odd.json: ")
    assert "work/odd.json" not in handed.files and "work/boards.json" in handed.files


def test_a_link_out_of_the_work_folder_is_not_followed(solution: Path, work: Path, tmp_path: Path) -> None:
    finish(solution)
    (tmp_path / "secret.json").write_text('{"secret": 1}', encoding="utf-8")
    (work / "link.json").symlink_to(tmp_path / "secret.json")
    assert not any("link" in name for name in submitted(solution).files)


def test_the_command_writes_the_file_and_exits_1_while_something_is_missing(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submit", "memory/03", "--pair", "ada"]) == 1
    out = capsys.readouterr().out
    assert f"{work / 'submission.zip'}: 2 files, " in out and "it can be handed in all the same" in out
    with zipfile.ZipFile(work / "submission.zip") as bundle:
        assert json.loads(bundle.read("manifest.json"))["pair"] == "ada"
    other = work / "mine.zip"
    assert main(["submit", "memory/03", "--out", str(other), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["path"] == str(other) and other.exists()
    assert main(["submit", "nothing"]) == 2


def test_a_whole_lab_has_a_file_of_its_own(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", "memory", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["path"] == str(work / "submission-memory.zip")
    with zipfile.ZipFile(work / "submission-memory.zip") as bundle:
        assert json.loads(bundle.read("manifest.json"))["labs"] == ["memory"]


def widgets_of(shown: Any) -> tuple[Any, Any, Any]:
    """Return the field, the button and what is told, as the browser would draw them."""
    shown._repr_mimebundle_()
    line, note = shown._box.children
    return (*line.children, note)


def test_the_button_packs_the_lab_and_shows_what_is_missing(work: Path) -> None:
    pair, button, note = widgets_of(submit("memory"))
    button.click()
    assert "It does not say whose it is. Next: write your names beside the button, and pack again." in note.value
    pair.value = "ada & bob"
    button.click()
    assert f"{work / 'submission-memory.zip'}: " in note.value and "it can be handed in all the same" in note.value
    assert note.value.count("<li>") == 13 and "more</li>" in note.value
    assert "Did you write in one of these cells? Next: save that notebook (Ctrl+S, on a Mac Cmd+S)" in note.value
    with zipfile.ZipFile(work / "submission-memory.zip") as bundle:
        assert json.loads(bundle.read("manifest.json"))["pair"] == "ada & bob"


def test_the_button_says_what_is_in_the_way_and_never_raises(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work.write_text("a file where the folder should be", encoding="utf-8")
    _, button, note = widgets_of(submit("memory"))
    button.click()
    assert "cannot be written" in note.value and capsys.readouterr().out == ""


def test_code_does_the_same_as_the_button(work: Path) -> None:
    told = submit("fence").pack("eve")
    assert repr(told).startswith(f"{work / 'submission-fence.zip'}: 6 files, ")
    assert "\n  missing  fence/01_parse_once_reject_twice: " in repr(told)


def test_the_cell_reads_the_same_in_every_run_and_without_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (submit("memory")._repr_mimebundle_() for _ in range(2))
    view = "application/vnd.jupyter.widget-view+json"
    assert view in first and {**first, view: ""} == {**second, view: ""}
    monkeypatch.setenv("GATE_PLAIN", "1")
    plain = submit("memory")._repr_mimebundle_()
    assert plain == {"text/plain": first["text/plain"], "text/html": first["text/html"]}
    assert 'submit("memory").pack("your names")' in plain["text/plain"]


def test_a_lab_that_is_none_is_refused() -> None:
    with pytest.raises(
        ConfigError, match='there is no lab "memroy". Next: use one of memory, arguments, fence, results'
    ):
        submit("memroy")


def test_every_answer_cell_of_the_kit_is_asked_for(work: Path) -> None:
    assert main(["submit"]) == 1
    with zipfile.ZipFile(work / "submission.zip") as bundle:
        manifest = json.loads(bundle.read("manifest.json"))
        taken = {name: json.loads(bundle.read(f"notebooks/{name}.json")) for name in manifest["notebooks"]}
    assert taken[NAME].keys() >= {"closed-gate"}
