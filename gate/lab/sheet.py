"""The sheet: a decision table as printed, before anyone has filled it in. Read from `data/tables/<name>.json`.

Not here: what a pair decided (`ballot`), how it is shown (`table`).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gate.errors import ConfigError
from gate.files import HOME
from gate.lab.vetted import read_vetted


class Choice(NamedTuple):
    """One thing that may be decided, and what it means."""

    id: str
    label: str
    means: str


class Row(NamedTuple):
    """One row: what is `given` (the text as it was sent, or the signal in words), the reference `answer` and why.

    `code` is the finding that the gate gives for it, where there is one.
    """

    id: str
    title: str
    tool: str
    given: str
    answer: str
    why: str
    code: str = ""


class Sheet(NamedTuple):
    """A decision table: its question, its choices and its rows, in the order in which they are shown."""

    id: str
    title: str
    question: str
    choices: tuple[Choice, ...]
    rows: tuple[Row, ...]

    def row_ids(self) -> tuple[str, ...]:
        """Return the ids of the rows, in order."""
        return tuple(row.id for row in self.rows)

    def choice_ids(self) -> tuple[str, ...]:
        """Return the ids of the choices, in order."""
        return tuple(choice.id for choice in self.choices)


def load_sheet(name: str) -> Sheet:
    """Return the sheet `data/tables/<name>.json`; a name that ends in `.json` is a path to a file of your own.

    Raises `ConfigError` for a file that is no table, a row or choice that is there twice, an answer that is no choice.

    >>> load_sheet("memory").row_ids()[0]
    'row-1'

    Does not catch: a reference answer that the gate would not give. A test compares them.
    """
    path = Path(name) if name.endswith(".json") else HOME / "data" / "tables" / f"{name}.json"
    data = read_vetted(path, "table")
    choices = tuple(Choice(**choice) for choice in data["choices"])
    rows = tuple(Row(**row) for row in data["rows"])
    sheet = Sheet(data["id"], data["title"], data["question"], choices, rows)
    for ids, kind in ((sheet.row_ids(), "row"), (sheet.choice_ids(), "choice")):
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice:
            raise ConfigError(f"{path}: {kind} {twice} is there twice. Next: rename one.")
    for row in rows:
        if row.answer not in sheet.choice_ids():
            choice = ", ".join(sheet.choice_ids())
            raise ConfigError(f"{path}: {row.id} has the answer {row.answer}, no choice. Next: use one of {choice}.")
    return sheet
