"""How a command prints: a table that reads well in a terminal, or JSON.

Not here: what is printed. Cells are shown as they are, never interpreted as markup.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

_PLAIN_WIDTH = 120  # where the output is no terminal, lines should not depend on who reads them


def console(stderr: bool = False) -> Console:
    """Return a console on today's standard output, or on its errors (tests replace them between calls)."""
    file = sys.stderr if stderr else sys.stdout
    return Console(file=file, highlight=False, width=None if file.isatty() else _PLAIN_WIDTH)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> None:
    """Print rows under a title, with an optional line below. Every cell is plain text."""
    console().print(drawn(title, columns, rows, note))


def drawn(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> Group:
    """Return what `table` prints, to be shown in place."""
    made = Table(title=Text(title), title_justify="left", title_style="bold", show_edge=False)
    for column in columns:
        made.add_column(Text(column), overflow="fold")
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))
    return Group(made, Text(note)) if note else Group(made)


def line(text: str) -> None:
    """Print one line as it is."""
    console().print(Text(text), soft_wrap=True)


def trouble(text: str) -> None:
    """Print one line to the errors as it is."""
    console(stderr=True).print(Text(text), soft_wrap=True)


def as_json(value: Any) -> None:
    """Print a value as JSON text, sorted, with nothing but ASCII in it."""
    print(json.dumps(value, indent=2, sort_keys=True))
