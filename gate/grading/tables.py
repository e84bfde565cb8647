"""Grades a decision table from the saved JSON (`work/table-memory.json`), row by row, with the reason.

The rows are no secret: the student saw them all. So each wrong row tells the reference reason too.

Not here: whether the pair's own reason is a good one. That a row has one is asked for, as in the notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.errors import clip
from gate.grading.words import Check, Exercise, Value
from gate.lab import ballot
from gate.lab.comparison import both_refuse
from gate.lab.sheet import Row, Sheet, load_sheet


def grade_table(name: str, notebook: str, work: Mapping[str, Any], points: float) -> Exercise:
    """Return the grade of the table `name`: each row counts the same, and repair for block where both refuse is right.

    A table that was not handed in fails; one that cannot be read is ungradable, and the note says why.

    >>> grade_table("memory", "memory/02_freeze_the_contract", {}, 3).checks[0].code
    'table.open'
    """
    sheet, made = load_sheet(name), f"table.{name}"
    document = _document(work.get(f"table-{name}.json", {}), sheet)
    if isinstance(document, str):
        return Exercise(made, notebook, "ungradable", 0, points, note=document)
    decided = ballot.decided(document, sheet)
    checks = tuple(_row(made, sheet, row, decided[row.id]) for row in sheet.rows)
    right = sum(check.value == "pass" for check in checks)
    value: Value = "pass" if right == len(checks) else "fail"
    note = " ".join(ballot.notes(document, sheet)) or ("" if ballot.frozen(document) else "The table was not frozen.")
    return Exercise(made, notebook, value, points * right / len(checks), points, checks, clip(note))


def _document(handed: Any, sheet: Sheet) -> dict[str, Any] | str:
    """Return the ballot that was handed in, or in words why it is none."""
    if not isinstance(handed, Mapping):
        return f"table-{sheet.id}.json is no JSON object."
    document = ballot.complete({key: value for key, value in handed.items() if key != "version"}, sheet)
    wrong = ballot.vet(document)
    if not wrong and document["table"] != sheet.id:
        wrong = f"it is another table, {document['table']}"
    return clip(f"table-{sheet.id}.json is no filled-in table: {wrong}") if wrong else document


def _row(made: str, sheet: Sheet, row: Row, mine: Mapping[str, str]) -> Check:
    name, chosen = f"{made}.{row.id}", mine["choice"]
    if not chosen:
        return Check(name, "fail", "table.open", row.id, f"{row.title}: nothing was decided. Next: choose one.")
    if not any(one.isprintable() and not one.isspace() for one in mine["reason"]):
        return Check(name, "fail", "table.reason", row.id, f"{row.title}: no reason. Next: say why, in a few words.")
    if chosen == row.answer or both_refuse(sheet, chosen, row.answer):
        return Check(name, "pass", "", row.id)
    told = f"{row.title}: you chose {chosen}, the tests say {row.answer}. {row.why}"
    return Check(name, "fail", "table.choice", row.id, clip(told))
