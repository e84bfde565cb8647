"""The ballot: what a pair decided on a sheet, as the plain document that is saved. Functions only; none writes a file.

    {"table": "memory",
     "rows": {"row-1": {"choice": "allow", "reason": "…", "at": "2026-01-31T09:30:00.000000+00:00"}},
     "history": [{"at": "…", "what": "freeze", "sha256": "…", "reason": ""}]}

Not here: where it is kept (`answers`), what the rows ask (`sheet`).
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime, timedelta
from typing import Any

from gate.errors import ConfigError, GateError
from gate.files import read_json
from gate.lab.answers import Document
from gate.lab.sheet import Sheet
from gate.lab.vetted import data_contract

UNDECIDED = {"choice": "", "reason": "", "at": "2000-01-01T00:00:00.000000+00:00"}
_UNFREEZE = 'write the reason beside Unfreeze and press it (in code: .unfreeze("why"))'


class TableError(GateError):
    """The table does not take this: a row or choice that is not there, a change while frozen, a freeze while open."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]  # in a notebook one red line says more than a stack


def vet(document: Document) -> str:
    """Return what is wrong with a ballot that was read, "" when nothing is."""
    decision = data_contract("table_answers").judge(document)
    return "" if decision else str(decision.findings[0])


def read(path: str | os.PathLike[str]) -> Document:
    """Return a ballot that another pair sent. Raises `ConfigError` naming the file if it is none."""
    document = read_json(path)
    document.pop("version", None)
    wrong = vet(document)
    if wrong:
        raise ConfigError(f"{path} is no filled-in table: {wrong}")
    return document


def complete(document: Document, sheet: Sheet) -> Document:
    """Return the ballot with its parts: an empty document is one on which nothing was decided yet."""
    return {"table": sheet.id, "rows": {}, "history": [], **document}


def decided(document: Document, sheet: Sheet) -> dict[str, dict[str, str]]:
    """Return choice and reason of each row of the sheet, in its order. A choice that is not offered counts as none."""
    rows = {}
    for name in sheet.row_ids():
        kept = document["rows"].get(name, UNDECIDED)
        choice = kept["choice"] if kept["choice"] in sheet.choice_ids() else ""
        rows[name] = {"choice": choice, "reason": kept["reason"]}
    return rows


def open_rows(document: Document, sheet: Sheet) -> tuple[str, ...]:
    """Return the rows that lack a choice or a reason."""
    rows = decided(document, sheet)
    return tuple(name for name, row in rows.items() if not row["choice"] or not row["reason"].strip())


def choose(document: Document, sheet: Sheet, row: str, parts: dict[str, str]) -> Document:
    """Return the ballot with one row's `choice` or `reason` changed, newer than what was there.

    Raises `TableError` when that would change a frozen ballot; saying again what is there is no change.
    """
    now = decided(document, sheet)[row]
    if {**now, **parts} == now:
        return document
    if frozen(document):
        raise TableError(f"{row} is not changed: the table is frozen. Next: {_UNFREEZE}, then choose again.")
    old = document["rows"].get(row, UNDECIDED)
    changed = {**old, **parts, "at": _after(old["at"])}
    return {**document, "rows": {**document["rows"], row: changed}}


def freeze(document: Document, sheet: Sheet) -> Document:
    """Return the ballot locked with its fingerprint. Raises `TableError` while a row is open."""
    still_open = open_rows(document, sheet)
    if still_open:
        lacks, them = ("lack", "them") if len(still_open) > 1 else ("lacks", "it")
        named = ", ".join(still_open)
        raise TableError(f"not frozen: {named} {lacks} a choice or a reason. Next: decide {them} first.")
    return document if frozen(document) else _with_event(document, sheet, "freeze", "")


def unfreeze(document: Document, sheet: Sheet, reason: str) -> Document:
    """Return the ballot unlocked, the reason in its history. Raises `TableError` without a reason or a freeze."""
    if not reason.strip():
        raise TableError(f"still frozen: unfreeze needs a reason, which is kept. Next: {_UNFREEZE}.")
    if not frozen(document):
        raise TableError("the table is not frozen. Next: choose what you like, then freeze it.")
    return _with_event(document, sheet, "unfreeze", reason)


def _with_event(document: Document, sheet: Sheet, what: str, reason: str) -> Document:
    last = max((event["at"] for event in document["history"]), default=UNDECIDED["at"])
    event = {"at": _after(last), "what": what, "sha256": fingerprint(document, sheet), "reason": reason}
    return {**document, "history": [*document["history"], event]}


def frozen(document: Document) -> dict[str, str] | None:
    """Return the event that froze the ballot, None when it is open."""
    last: dict[str, str] | None = document["history"][-1] if document["history"] else None
    return last if last and last["what"] == "freeze" else None


def fingerprint(document: Document, sheet: Sheet) -> str:
    """Return the sha256 of what was asked and decided: the same for the same table, whoever fills it and when."""
    asked = [[row.id, row.title, row.tool, row.given] for row in sheet.rows]
    text = json.dumps([sheet.id, asked, decided(document, sheet)], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def merge(known: Document, mine: Document) -> Document:
    """Return two ballots in one: each row as it was decided last, every event once, in the order of time."""
    if not known:
        return mine
    rows = dict(known["rows"])
    for name, row in mine["rows"].items():
        rows[name] = max(rows.get(name, UNDECIDED), row, key=_newest)
    events = {_newest(event): event for event in [*known["history"], *mine["history"]]}
    return {**known, "rows": rows, "history": [events[key] for key in sorted(events)]}


def notes(document: Document, sheet: Sheet) -> list[str]:
    """Return in words what is kept in the ballot although this sheet cannot show it, or does not fit the freeze."""
    said = []
    for name, row in document["rows"].items():
        if name not in sheet.row_ids():
            said.append(f"The table has no {name} any more; what you decided there stays in the file.")
        elif row["choice"] and row["choice"] not in sheet.choice_ids():
            said.append(f'{name}: "{row["choice"]}" is not offered any more; it stays in the file until you choose.')
    event = frozen(document)
    if event and event["sha256"] != fingerprint(document, sheet):
        said.append("This is not what was frozen: rows or answers were changed outside. Next: unfreeze with a reason.")
    return said


def _newest(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["at"], json.dumps(entry, sort_keys=True)


def _after(moment: str) -> str:
    """Return now, or a moment later than `moment` if this machine's clock is behind it: the newer entry must win."""
    now = datetime.now(UTC)
    earliest = datetime.fromisoformat(moment) + timedelta(microseconds=1)
    return max(now, earliest).isoformat(timespec="microseconds")
