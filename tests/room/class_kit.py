"""A small class: work folders as the kit itself writes them, with the wrong kind of files among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.lab import board, clock, table
from gate.results import validate_tool_result

SECTIONS = ("01_reproduce_the_leak", "02_freeze_the_contract", "03_fail_closed")
BEGAN = 1_900_000_000_000  # milliseconds


def let_everything_through(tool: str, payload: object) -> object:
    return payload


def make_class(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make three pairs: two at work who disagree on row-2, one whose table is torn; and a folder that is no pair."""
    for pair, minutes, choice in (("ana", 8, "block"), ("room 2/kim", 12, "repair"), ("late", 20, "")):
        work = folder / pair / "work"
        monkeypatch.setenv("GATE_WORK", str(work))
        at = BEGAN
        for section in SECTIONS:
            shown = clock("memory", section)
            shown.press("start", at=at)
            at += minutes * 60_000
            shown.press("move_on", at=at)
            at += 1000  # nobody presses two buttons at once
        if choice:
            rows = table("memory")
            rows.choose("row-1", "allow", "it is right")
            rows.choose("row-2", choice, "why not")
        board("memory.validate", validate_tool_result if choice == "block" else let_everything_through)
    (folder / "late" / "work" / "table-memory.json").write_text('{"table": "mem', encoding="utf-8")
    (folder / "photos").mkdir()
    (folder / "photos" / "holiday.json").write_text("{}", encoding="utf-8")
    return folder
