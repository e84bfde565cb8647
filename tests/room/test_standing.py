"""Where a pair stands is read from its work folder, whatever state its files are in, and nothing there is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gate.lab import board, clock, table
from gate.lab.plan import load_plan
from gate.results import validate_tool_result
from gate.room.standing import standing

MEMORY = load_plan()["memory"]


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_reads_what_a_pair_has_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_WORK", str(tmp_path))
    clock("memory", "02_freeze_the_contract").press("start", at=1_700_000_000_000)
    rows = table("memory")
    rows.choose("row-1", "allow", "why")
    board("memory.validate", validate_tool_result)
    before = _snapshot(tmp_path)
    found = standing("them", tmp_path, MEMORY)
    assert found.section == "03_fail_closed"  # its board was run; the clock stands at the section before
    assert found.green["memory.validate"] == len(board("memory.validate", validate_tool_result, trial=True).rows)
    assert found.green["memory.isolate"] is None
    assert found.choices == {"row-1": "allow", **{f"row-{number}": "" for number in range(2, 7)}}
    assert found.changed > 1_700_000_000 and found.notes == ()
    assert _snapshot(tmp_path) == before


def test_an_empty_or_missing_folder_is_a_pair_that_has_not_begun(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        found = standing("them", folder, MEMORY)
        assert (found.section, found.changed, set(found.green.values()), set(found.choices.values())) == (
            "", 0, {None}, {""})  # fmt: skip
        assert found.notes == ()


def test_a_pair_that_only_fills_in_the_table_stands_where_the_table_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE_WORK", str(tmp_path))
    assert standing("them", tmp_path, MEMORY).section == ""
    table("memory").choose("row-1", "allow", "it is right")
    assert standing("them", tmp_path, MEMORY).section == "02_freeze_the_contract"


def test_what_is_no_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    getattr(os, "mkfifo", os.mkdir)(tmp_path / "boards.json")  # Windows has no pipe with a name
    (tmp_path / "table-memory.json").mkdir()
    (tmp_path / "clock-memory.json").symlink_to("clock-memory.json")
    found = standing("them", tmp_path, MEMORY)
    assert len(found.notes) == 3 and all("cannot be read. Next: look at what it is" in note for note in found.notes)


@pytest.mark.parametrize("text", ['{"memory.inv', "[]", "", '{"a": NaN}', "\0" * 40, '{"x": 1}' + " " * 300_000])
def test_a_file_that_is_torn_or_too_large_is_named_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    names = ("boards.json", "table-memory.json", "clock-memory.json")
    for name in names:
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = _snapshot(tmp_path)
    found = standing("them", tmp_path, MEMORY)
    assert found.section == "" and {note.split(":")[0] for note in found.notes} == set(names)
    assert _snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "saved",
    [
        {"green": 99, "rows": 6, "at": "2026-01-01T00:00:00+00:00"},
        {"green": -1, "rows": 6, "at": "2026-01-01T00:00:00+00:00"},
        {"green": 6, "rows": 7, "at": "2026-01-01T00:00:00+00:00"},
        {"green": "6", "rows": 6, "at": "2026-01-01T00:00:00+00:00"},
        {"green": 6, "rows": 6},
        [6, 6],
    ],
)
def test_a_board_that_makes_no_sense_counts_as_not_run(tmp_path: Path, saved: object) -> None:
    (tmp_path / "boards.json").write_text(json.dumps({"version": 1, "memory.invented": saved}), encoding="utf-8")
    assert standing("them", tmp_path, MEMORY).green["memory.invented"] is None


@pytest.mark.parametrize("at", ["yesterday", "9999999-01-01", "0001-01-01T00:00:00"])
def test_a_time_that_is_none_counts_as_long_ago(tmp_path: Path, at: str) -> None:
    saved = {"memory.invented": {"green": 6, "rows": 6, "red": [], "at": at}}
    (tmp_path / "boards.json").write_text(json.dumps(saved), encoding="utf-8")
    found = standing("them", tmp_path, MEMORY)
    assert found.green["memory.invented"] == 6 and found.changed <= 0
