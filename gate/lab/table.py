"""The decision table of a notebook: a choice and a reason for each row, before any code.

What is chosen is saved at once in `work/`, by table and not by notebook, so that a rerun, a restart, a reload or a
copied notebook shows it again. Frozen, it is locked with a hash and a date until someone unfreezes it with a reason.

Not here: the rows (`sheet`), the saved form (`ballot`), the plain form (`plain`), the browser's form (`table.js`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from gate.decision import Decision
from gate.errors import GateError, quote
from gate.lab import ballot, plain
from gate.lab.answers import Answers, Document
from gate.lab.ballot import TableError
from gate.lab.comparison import Comparison, pair_against_pair, table_against_tests
from gate.lab.sheet import Choice, Row, Sheet, load_sheet
from gate.lab.view import View

MAX_REASON = 500


class Table:
    """One decision table. As the last line of a cell it shows itself; `choose` does the same as the mouse.

    `rows` and `choices` are what is asked. Raises `ConfigError` if there is no such table, or its file is damaged.

    >>> Table("memory").rows[3].title
    'quantity as text'

    Does not catch: a reason that is no reason. The pair next to you does.
    """

    _ballot: Document

    def __init__(self, name: str) -> None:
        self._sheet = load_sheet(name)
        self._answers = Answers(f"table-{self._sheet.id}", vet=ballot.vet, merge=ballot.merge)
        self._refused = ""
        self._reload()
        self._view = View("table", self._printed(), self._state, self._receive)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows, with what is given in each."""
        return self._sheet.rows

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What may be decided."""
        return self._sheet.choices

    @property
    def frozen(self) -> bool:
        """Whether the table is locked."""
        return ballot.frozen(self._ballot) is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened to the answers file, or does not fit any more, in words. Empty when all is well."""
        return (*self._answers.notes, *ballot.notes(self._ballot, self._sheet))

    def decided(self) -> dict[str, dict[str, str]]:
        """Return {row id: {"choice", "reason"}}; both are "" where nothing was decided."""
        return ballot.decided(self._ballot, self._sheet)

    def missing(self) -> tuple[str, ...]:
        """Return the ids of the rows that lack a choice or a reason."""
        return ballot.open_rows(self._ballot, self._sheet)

    def choose(self, row: str, choice: str, reason: str = "") -> None:
        """Decide one row and save it at once. Saying again what is there changes nothing, frozen or not.

        Raises `TableError` for a row or choice that is not there, a reason above 500 characters, a frozen table.
        """
        self._set(row, choice=choice, reason=reason)

    def freeze(self) -> str:
        """Lock the table and return the sha256 of what was decided. Raises `TableError` while a row is open."""
        self._update(lambda known: ballot.freeze(known, self._sheet))
        return ballot.fingerprint(self._ballot, self._sheet)

    def unfreeze(self, reason: str) -> None:
        """Unlock the table; the reason is kept in its history. Raises `TableError` without one."""
        _check_text(reason)
        self._update(lambda known: ballot.unfreeze(known, self._sheet, reason))

    def history(self) -> list[dict[str, str]]:
        """Return every freeze and unfreeze with its time, hash and reason, oldest first."""
        return [dict(event) for event in self._ballot["history"]]

    def as_text(self) -> str:
        """Return the table as plain text, without times, so that the same table always reads the same."""
        return plain.as_text(self._sheet, self.decided(), self._status(), self.notes)

    def compare(self, theirs: Filled) -> Comparison:
        """Return the rows where another pair's table, or the answers file they sent, says something else.

        Raises `ConfigError` for a file that is no filled-in table, `TableError` for one of another table.
        """
        return compare(self, theirs)

    def check_against(self, judged: Mapping[str, str | Decision]) -> Comparison:
        """Return the rows where the table says something else than the tests. The tests win.

        `judged` gives for each row id what was really decided: `{row.id: contract.judge(row.given) for row in t.rows}`.
        """
        return table_against_tests(self._sheet, self.decided(), judged)

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_mimebundle_(self, **_options: object) -> dict[str, Any]:
        self._reload()
        html = plain.as_html(self._sheet, self.decided(), self._status(), self.notes)
        return self._view.bundle(self.as_text(), html)

    def _set(self, row: str, **parts: str) -> None:
        if row not in self._sheet.row_ids():
            raise TableError(f"there is no row {quote(row)}. Next: use one of {', '.join(self._sheet.row_ids())}.")
        if parts.get("choice", "") not in ("", *self._sheet.choice_ids()):
            choices = ", ".join(self._sheet.choice_ids())
            raise TableError(f"{row}: {quote(parts['choice'])} is not offered. Next: use one of {choices}.")
        _check_text(parts.get("reason", ""))
        self._update(lambda known: ballot.choose(known, self._sheet, row, parts))

    def _reload(self) -> None:
        """Read the newest ballot: another notebook may have changed it."""
        self._ballot = ballot.complete(self._answers.load(), self._sheet)

    def _update(self, change: Callable[[Document], Document]) -> None:
        """Change the newest ballot, which may be another kernel's, and show the result."""
        self._ballot = self._answers.update(lambda known: change(ballot.complete(known, self._sheet)))
        self._refused = ""
        self._view.push()

    def _status(self) -> str:
        if self.frozen:
            return f"Frozen: {ballot.fingerprint(self._ballot, self._sheet)[:12]}"
        count, still_open = len(self.rows), self.missing()
        status = f"{count - len(still_open)} of {count} rows decided"
        return f"{status}; open: {', '.join(still_open)}" if still_open else status

    def _printed(self) -> dict[str, Any]:
        """The table for the browser, without its answers."""
        return {
            "title": self._sheet.title,
            "question": self._sheet.question,
            "choices": [choice._asdict() for choice in self.choices],
            "rows": [{"id": row.id, "title": row.title, "tool": row.tool, "given": row.given} for row in self.rows],
            "max_reason": MAX_REASON,
        }

    def _state(self) -> dict[str, Any]:
        return {
            "rows": self.decided(),
            "frozen": ballot.frozen(self._ballot),
            "status": self._status(),
            "missing": list(self.missing()),
            "notes": list(self.notes),
            "saved": self._answers.saved,
            "refused": self._refused,
        }

    def _receive(self, message: dict[str, Any]) -> None:
        """Do what was pressed in the browser. Never prints and never raises: a refusal is shown in the table."""
        action = message.get("do")
        part = {name: message[name] for name in ("choice", "reason") if type(message.get(name)) is str}
        try:
            if action == "choose" and part:
                self._set(str(message.get("row")), **part)
            elif action == "freeze":
                self.freeze()
            elif action == "unfreeze":
                self.unfreeze(part.get("reason", ""))
        except GateError as error:
            self._refused = str(error)
            self._reload()
            self._view.push()


Filled = Table | str | os.PathLike[str]


def table(name: str) -> Table:
    """Return the decision table `name`, filled in as it was left. As the last line of a cell it shows itself.

    >>> table("memory").choices[0].id
    'allow'
    """
    return Table(name)


def compare(mine: Filled, theirs: Filled) -> Comparison:
    """Return the rows where two pairs disagree; each is a `Table` or the path of an answers file (`table-….json`).

    Raises `ConfigError` for a file that is no filled-in table, `TableError` for two different tables.
    """
    first, second = (pair._ballot if isinstance(pair, Table) else ballot.read(pair) for pair in (mine, theirs))
    if first["table"] != second["table"]:
        names = f"{first['table']} and {second['table']}"
        raise TableError(f"{names} are two tables. Next: compare the same table, filled in by two pairs.")
    sheets = [pair._sheet for pair in (mine, theirs) if isinstance(pair, Table)]
    sheet: Sheet = sheets[0] if sheets else load_sheet(first["table"])
    return pair_against_pair(sheet, ballot.decided(first, sheet), ballot.decided(second, sheet))


def _check_text(reason: str) -> None:
    if not isinstance(reason, str):
        raise TableError(f"the reason is {quote(reason)}. Next: give it as text.")
    if len(reason) > MAX_REASON:
        raise TableError(f"the reason has {len(reason)} characters of at most {MAX_REASON}. Next: say it shorter.")
    try:
        reason.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TableError(f"the reason holds a broken character: {quote(reason)}. Next: type it again.") from error
