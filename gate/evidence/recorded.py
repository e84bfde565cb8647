"""Recorded, real output of a small local model: what a planner and a tool really sent.

`fixtures/recorded/smollm2.jsonl` holds it word for word, `prompts.json` beside it the prompts. It has no labels: what
is right is for the contract to say.

Not here: asking the model anew; a seed repeats only in the same cache state, so tests never do.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gate.contract import Side
from gate.errors import ConfigError, Finding
from gate.files import locate
from gate.payload import read

_TOOLS: dict[str, tuple[str, Side]] = {
    "inventory": ("inventory.lookup", "output"),
    "refund": ("refund_order", "input"),
    "ticket": ("ticket", "input"),
}


class Recorded(NamedTuple):
    """One output: `kind` names the prompt (`inventory.oneshot`), `raw` is the text, `finish_reason` stop or length."""

    id: str
    kind: str
    tool: str
    side: Side
    raw: str
    finish_reason: str


def load_recorded(path: str | Path = "fixtures/recorded/smollm2.jsonl") -> list[Recorded]:
    """Return the recorded outputs in a file. Raises `ConfigError` naming file and line for one that cannot be used.

    >>> load_recorded()[0].id
    'refund.oneshot-001'
    """
    file = locate(path)
    found = list(_rows(file))
    if not found:
        raise ConfigError(f"{file} holds no recorded output. Next: put the file back.")
    return found


def _rows(file: Path) -> Iterator[Recorded]:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{file}: cannot be read. Next: put the file back.") from error
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        row = read(line)
        fields = ("id", "kind", "raw", "finish_reason")
        if isinstance(row, Finding) or not all(type(row.get(field)) is str for field in fields):
            raise ConfigError(f"{file} line {number}: needs {', '.join(fields)}. Next: put the file back.")
        tool = tool_of(row["kind"])
        if tool is None:
            raise ConfigError(f"{file} line {number}: the kind is of no known tool. Next: put the file back.")
        yield Recorded(row["id"], row["kind"], *tool, row["raw"], row["finish_reason"])


def tool_of(kind: str) -> tuple[str, Side] | None:
    """Return the tool and the side that a kind of prompt asks for, or None for one that is not known.

    >>> tool_of("inventory.oneshot")
    ('inventory.lookup', 'output')
    """
    return _TOOLS.get(kind.split(".")[0])
