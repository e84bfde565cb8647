"""Where a pair stands in a lab, read from its work folder: section, boards, decision table, and since when.

Nothing is written, locked or renamed: the folder is somebody else's, and they are working in it. A file that is torn,
broken or too large is named in `notes` and otherwise counts as not there.

Not here: what the class makes of it (`overview`), the same as a short code (`code`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple

from gate.errors import ConfigError
from gate.files import HOME, read_json
from gate.lab.plan import Lab, load_plan
from gate.lab.sheet import Sheet, load_sheet
from gate.lab.status import counted_boards
from gate.lab.vetted import data_contract

MAX_BYTES = 262_144  # of one file; the kit's own are far smaller
_ANEW = "Next: let the pair change any answer; the kit keeps this file beside and begins a fresh one."
_UNREADABLE = "it cannot be read. Next: look at what it is, and at its rights."


class Standing(NamedTuple):
    """Where one pair stands in one lab.

    `section` is the furthest they touched, "" for none. `green` has the green rows of each board when last run (None:
    never run), `choices` the choice for each row of the decision table ("" : open). `changed` is the second since 1970
    of the last change, 0 for none.
    """

    pair: str
    lab: str
    section: str
    changed: int
    green: Mapping[str, int | None]
    choices: Mapping[str, str]
    notes: tuple[str, ...] = ()


@cache
def boards_of(lab: str) -> dict[str, tuple[str, int]]:
    """Return the boards of a lab that count, in order: notebook's section and number of rows by the board's name.

    >>> boards_of("memory")["memory.invented"]
    ('01_reproduce_the_leak', 6)
    """
    return {board.id: (board.notebook.split("/")[1], len(board.rules)) for board in counted_boards(lab)}


@cache
def section_of_table(lab: str) -> str:
    """Return the section in which the decision table of a lab is filled in, "" where there is none.

    >>> section_of_table("memory")
    '02_freeze_the_contract'
    """
    sections = load_plan(HOME / "data" / "labs.json")[lab].sections
    return next((one.id for one in sections for exercise in one.exercises if exercise.id == f"table.{lab}"), "")


@cache
def sheet_of(lab: str) -> Sheet | None:
    """Return the decision table of a lab, None where it has none."""
    return load_sheet(lab) if (HOME / "data" / "tables" / f"{lab}.json").exists() else None


def standing(pair: str, work: Path, lab: Lab) -> Standing:
    """Return where a pair stands in a lab by the files in its work folder. Never raises, never writes."""
    notes: list[str] = []
    boards = _boards(_read(work / "boards.json", "", notes), lab.id)
    table = _read(work / f"table-{lab.id}.json", "table_answers", notes)
    clock = _read(work / f"clock-{lab.id}.json", "clock_answers", notes)
    sheet, rows = sheet_of(lab.id), table.get("rows", {})
    choices = {row: _choice(rows.get(row, {}), sheet) for row in sheet.row_ids()} if sheet else {}
    times = [event["at"] // 1000 for event in clock.get("events", ())]
    times += [when for _, when in boards.values()] + [_second(row["at"]) for row in rows.values()]
    touched = {boards_of(lab.id)[name][0] for name in boards} | {event["section"] for event in clock.get("events", ())}
    if any(choices.values()):
        touched.add(section_of_table(lab.id))
    reached = [section.id for section in lab.sections if section.id in touched]
    green = {name: boards[name][0] if name in boards else None for name in boards_of(lab.id)}
    return Standing(pair, lab.id, reached[-1] if reached else "", max(times, default=0), green, choices, tuple(notes))


def _read(path: Path, contract: str, notes: list[str]) -> dict[str, Any]:
    """Return the document in a file without its version, {} if it cannot be used."""
    try:
        document = _document(path)
    except ConfigError as error:
        told = f"{error.findings[0].message} {_ANEW}" if error.findings else _UNREADABLE
        notes.append(f"{path.name}: {told}")
        return {}
    if document is None:
        return {}
    document.pop("version", None)
    decision = data_contract(contract).judge(document) if contract else None
    if decision is not None and not decision:
        notes.append(f"{path.name}: {decision.findings[0].message} {_ANEW}")
        return {}
    return document


def _document(path: Path) -> dict[str, Any] | None:
    """Return the document in a file, None where there is none. Raises `ConfigError` when it cannot be used."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise ConfigError(f"{path}: no file.")  # a pipe would keep the whole class waiting
        return read_json(path, max_bytes=MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read.") from error


def _boards(saved: Mapping[str, Any], lab: str) -> dict[str, tuple[int, int]]:
    """Return green rows and second of the last run of each board of a lab; what makes no sense counts as not run."""
    return dict(_usable(saved, boards_of(lab)))


def _usable(saved: Mapping[str, Any], boards: Mapping[str, tuple[str, int]]) -> Iterator[tuple[str, tuple[int, int]]]:
    for name, (_, rows) in boards.items():
        match saved.get(name):
            case {"green": int(green), "rows": int(known), "at": str(at)} if known == rows and 0 <= green <= rows:
                yield name, (green, _second(at))


def _choice(row: Mapping[str, str], sheet: Sheet) -> str:
    choice = row.get("choice", "")
    return choice if choice in sheet.choice_ids() else ""


def _second(at: str) -> int:
    """Return the second since 1970 of a time as the kit writes it; one that is none counts as long ago."""
    try:
        return int(datetime.fromisoformat(at).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0
