"""Rules of grading a decision table: from the saved JSON, row by row, with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate.files import read_json
from gate.grading.grade import grade
from gate.grading.runner import NbvalRunner
from gate.grading.tables import grade_table
from gate.grading.words import Exercise, Submitted
from gate.lab.sheet import load_sheet
from gate.lab.table import Table
from tests.grading.class_kit import perfect_work

NOTEBOOK = "memory/02_freeze_the_contract"


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """The memory table with every row right and a reason, saved as a pair would save it."""
    monkeypatch.setenv("GATE_WORK", str(tmp_path))
    table = Table("memory")
    for row in load_sheet("memory").rows:
        table.choose(row.id, row.answer, "so we agreed")
    return table


def graded(tmp_path: Path, **changes: Any) -> Exercise:
    work = {"table-memory.json": {**read_json(tmp_path / "table-memory.json"), **changes}}
    return grade_table("memory", NOTEBOOK, work, 3)


def test_a_right_frozen_table_gets_all_points(filled: Table, tmp_path: Path) -> None:
    filled.freeze()
    exercise = graded(tmp_path)
    assert (exercise.id, exercise.value, exercise.points, exercise.max_points) == ("table.memory", "pass", 3, 3)
    assert [check.value for check in exercise.checks] == ["pass"] * 6 and exercise.note == ""


def test_a_wrong_row_costs_its_part_and_tells_the_reason(filled: Table, tmp_path: Path) -> None:
    filled.choose("row-2", "allow", "a hint is nice")
    exercise = graded(tmp_path)
    assert (exercise.value, exercise.points) == ("fail", 2.5)
    (wrong,) = [check for check in exercise.checks if check.value != "pass"]
    assert (wrong.code, wrong.field) == ("table.choice", "row-2")
    assert wrong.told.startswith("extra key: you chose allow, the tests say block. No warehouse sends a reorder_hint.")


@pytest.mark.parametrize(("row", "worth"), [("row-3", 3.0), ("row-1", 2.5)])
def test_repair_for_block_is_right_and_for_allow_it_is_not(
    filled: Table, tmp_path: Path, row: str, worth: float
) -> None:
    filled.choose(row, "repair", "tell the model")
    assert graded(tmp_path).points == worth


@pytest.mark.parametrize(
    ("reason", "choice", "code"),
    [(" ", "block", "table.reason"), ("\u200b", "block", "table.reason"), ("why", "", "table.open")],
)
def test_a_row_without_a_choice_or_a_reason_earns_nothing(
    filled: Table, tmp_path: Path, reason: str, choice: str, code: str
) -> None:
    filled.choose("row-6", choice, reason)
    exercise = graded(tmp_path)
    assert (exercise.points, exercise.checks[5].code) == (2.5, code)


def test_a_table_that_was_not_frozen_or_was_changed_afterwards_is_said_to_be(filled: Table, tmp_path: Path) -> None:
    assert graded(tmp_path).note == "The table was not frozen."
    filled.freeze()
    rows = read_json(tmp_path / "table-memory.json")["rows"]
    rows["row-1"]["reason"] = "another"
    assert graded(tmp_path, rows=rows).note.startswith("This is not what was frozen")


def test_a_table_that_was_not_handed_in_fails_row_by_row() -> None:
    exercise = grade_table("memory", NOTEBOOK, {}, 3)
    assert (exercise.value, exercise.points) == ("fail", 0)
    assert {check.code for check in exercise.checks} == {"table.open"}


@pytest.mark.parametrize(
    "broken",
    [
        [], "allow", 7, None, {"rows": []}, {"rows": {"row-1": "allow"}}, {"table": "fence"}, {"table": "../etc"},
        {"rows": {"row-1": {"choice": "block", "reason": "x" * 501, "at": "2026-01-31T09:30:00.000000+00:00"}}},
        {"rows": {f"row-{n}": {"choice": "allow", "reason": "", "at": ""} for n in range(99)}},
        {"points": 1000}, {"history": [{"what": "freeze"}]},
    ],
)  # fmt: skip
def test_what_is_no_filled_in_table_is_ungradable_with_a_reason(broken: Any) -> None:
    exercise = grade_table("memory", NOTEBOOK, {"table-memory.json": broken}, 3)
    assert (exercise.value, exercise.points, exercise.max_points) == ("ungradable", 0, 3)
    assert exercise.note.startswith("table-memory.json is no ")


@pytest.mark.parametrize("lab", ["memory", "arguments", "fence", "results"])
def test_what_the_solutions_leave_in_work_earns_all_points_of_its_exercises(lab: str) -> None:
    graded = grade(Submitted("ann", "ann.zip", {}, perfect_work(lab)), lab, 3, NbvalRunner())
    saved = {
        one.id: (one.value, one.points - one.max_points) for one in graded.exercises if one.id[:5] in ("table", "pack.")
    }
    assert saved == dict.fromkeys(saved, ("pass", 0))
    assert bool(saved) is (lab != "results")
