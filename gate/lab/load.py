"""How long a notebook keeps a reader busy, counted: words, lines of code, lines to write, rows to decide.

The rates are those of somebody who reads under time pressure and has run an agent loop before. A notebook should need
at most 80 % of its slot: the rest is talk, a hand up, a kernel that restarts.

Not here: how long anyone took (`clock`), and how hard a line is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from gate.files import HOME
from gate.lab.check import all_pairs
from gate.lab.derive import Notebook, read_notebook
from gate.lab.exercise import blocks
from gate.lab.table import Table

WORDS_A_MINUTE = 200  # prose
LINES_A_MINUTE = 25  # code that is only read and run
WRITTEN_A_MINUTE = 4  # lines of a solution: thought about, typed, run, mended
ROWS_A_MINUTE = 2  # rows of a decision table, argued in a pair
SHARE = 0.8  # of a slot, at most

_TABLE = re.compile(r"""\btable\(\s*["']([^"']+)["']""")
_CHOOSES = ".choose("
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Load(NamedTuple):
    """What a notebook asks for, and the minutes its slot has."""

    notebook: str
    words: int
    read: int
    written: int
    rows: int
    slot: int

    @property
    def minutes(self) -> float:
        """The minutes that it needs, by the rates above."""
        reading = self.words / WORDS_A_MINUTE + self.read / LINES_A_MINUTE
        return reading + self.written / WRITTEN_A_MINUTE + self.rows / ROWS_A_MINUTE

    @property
    def share(self) -> float:
        """The part of its slot that it needs."""
        return self.minutes / self.slot


def loads(home: Path = HOME) -> list[Load]:
    """Return the load of every notebook of the labs, in their order.

    >>> max(loads(), key=lambda one: one.share).share <= SHARE
    True

    Does not catch: an idea that takes long to understand.
    """
    return [_load(pair.name, read_notebook(pair.solution), pair.section.end - pair.section.start)
            for pair in all_pairs(home) if pair.solution.exists()]  # fmt: skip


def _load(name: str, notebook: Notebook, slot: int) -> Load:
    words = read = written = rows = decided = 0
    for cell in notebook["cells"]:
        source: str = cell["source"]
        if cell["cell_type"] == "markdown":
            words += len(_WORD.findall(source))
            continue
        solved = {line for block in blocks(source) for line in range(block.start + 1, block.end)}
        for number, line in enumerate(source.split("\n")):
            filled, chooses = bool(line.strip()), _CHOOSES in line
            decided += chooses
            written += filled and number in solved and not chooses  # the plain way of filling the table, counted there
            read += filled and number not in solved and cell.get("id") != "start"
        rows += sum(len(Table(found).rows) for found in _TABLE.findall(source))
    return Load(name, words, read, written, rows if decided else 0, slot)  # a table may be shown again later
