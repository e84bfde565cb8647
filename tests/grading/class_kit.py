"""A small class, for the tests of reports: real tables and packs, graded, and names that nobody should have."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.grading.exercises import sections
from gate.grading.jobs import Job, kit_fingerprint
from gate.grading.packs import grade_pack
from gate.grading.tables import grade_table
from gate.grading.words import Check, Exercise, Grade, Submitted, Value
from gate.lab.sheet import load_sheet

AT = "2026-01-31T09:30:00.000000+00:00"
EVIL = "<script>alert(1)</script>\x1b[2J"
TOOL = "inventory.lookup"
VALID = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}


def ballot(name: str = "memory", **choices: str) -> dict[str, Any]:
    """Return a table that is right, but for the choices given (`row_2="allow"`)."""
    rows = {
        row.id: {"choice": choices.get(row.id.replace("-", "_"), row.answer), "reason": "we agreed", "at": AT}
        for row in load_sheet(name).rows
    }
    return {"version": 1, "table": name, "rows": rows, "history": []}


def fixture(payload: dict[str, Any], *codes: str) -> dict[str, Any]:
    label = "block" if codes else "allow"
    return {"tool": TOOL, "side": "output", "label": label, "codes": list(codes), "payload": payload, "note": ""}


PACK = {
    f"fixtures/{TOOL}/valid.json": fixture(VALID),
    f"fixtures/{TOOL}/extra-key.json": fixture({**VALID, "reorder_hint": "buy 500 today"}, "schema.unknown_field"),
    f"fixtures/{TOOL}/wrong-type.json": fixture({**VALID, "quantity": "4"}, "schema.type"),
}

TWICE = '{"sku": "SKU-19", "quantity": 9999, "quantity": 4, "warehouse": "sfo"}'
DUPLICATE = {**fixture({}, "parse.duplicate_key"), "raw": TWICE}
del DUPLICATE["payload"]
BIGGER_PACK = {
    **PACK,
    f"fixtures/{TOOL}/missing-field.json": fixture({"sku": "SKU-19", "quantity": 4}, "schema.missing_field"),
    f"fixtures/{TOOL}/duplicate-key.json": DUPLICATE,
}


def perfect_work(lab: str) -> dict[str, Any]:
    """Return what lies in `work/` after a lab in which everything was answered as in the solutions."""
    work: dict[str, Any] = {}
    for _, section in sections(lab):
        for one in section.exercises:
            kind, _, about = one.id.partition(".")
            if kind == "table":
                work[f"table-{about}.json"] = ballot(about)
            elif kind == "pack":
                work |= BIGGER_PACK
    return work


def grade(student: str, work: dict[str, Any], board: Value = "pass") -> Grade:
    """Return a grade with a table, a pack and one board of two checks."""
    gate = "memory.validate"
    checks = (
        Check(f"{gate}.1", "pass", "", "quantity"),
        Check(f"{gate}.2", board, "schema.type", "quantity", f"{EVIL}: a text was let through. Next: judge it first."),
    )
    exercises = (
        grade_table("memory", "memory/02_freeze_the_contract", work, 3),
        Exercise(gate, "memory/03_fail_closed", board, 4 if board == "pass" else 2, 4, checks),
        grade_pack(TOOL, "memory/05_replay_fixtures", work, 3, 7),
    )
    values = [one.value for one in exercises]
    value: Value = "ungradable" if "ungradable" in values else "fail" if "fail" in values else "pass"
    return Grade(student, "memory", 7, value, exercises, protection=("no network", "own process"))


def small_class() -> list[Grade]:
    """Return five grades: perfect, half done, empty, partly ungradable, and one that is no submission at all."""
    return [
        grade("ada", {"table-memory.json": ballot(), **PACK}),
        grade("bob & <b>co</b>", {"table-memory.json": ballot(row_2="allow"), **PACK}, "fail"),
        grade("empty", {}, "fail"),
        grade(
            f"={EVIL}", {"table-memory.json": ballot(row_2="allow"), f"fixtures/{TOOL}/{EVIL}.json": []}, "ungradable"
        ),
        Grade(
            "zoe", "memory", 7, "ungradable", problem=f"the zip holds a link, {EVIL}. Next: pack it with gate submit."
        ),
    ]


def jobs(*students: str, seed: int = 7, note: str = "") -> list[Job]:
    """Return a job for each student: a right table and three fixtures, and no cells."""
    work = {"table-memory.json": ballot(row_2="allow"), **PACK}
    handed = [Submitted(student, note, {}, work) for student in students]
    return [Job(one, "memory", seed, False, kit_fingerprint()) for one in handed]


def do_what_needs_no_kernel(job: Job) -> Grade:
    """Grade what lies in the work folder; a student may be named after what becomes of the process that does it."""
    name, place = job.submitted.student, Path(job.submitted.source)
    if name.startswith("killed-always") or (name.startswith("killed-once") and not place.exists()):
        place.write_text("seen", encoding="utf-8")
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    if name == "other-kit":
        raise ConfigError("the kit on this worker is another one. Next: put the same kit on every machine.")
    if name == "waits":
        (place / str(os.getpid())).write_text("here", encoding="utf-8")
        threading.Event().wait()
    return replace(grade(name, dict(job.submitted.work)), seed=job.seed)
