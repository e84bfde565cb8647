"""The form of one notebook: short cells, its headings as planned, its first cell, outputs that were really stored.

Not here: what is between notebooks (`check`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from gate.lab.derive import Cell, Notebook
from gate.lab.exercise import ExerciseError, blocks, is_exercise
from gate.lab.first_cell import first_cell, names_in
from gate.lab.plan import Section

MAX_CELLS = 40
MAX_LINES = 14  # a dozen, and two to be reasonable
MAX_EXERCISE_LINES = 30
MAX_WORDS = 80
MAX_WIDTH = 104  # characters on a line of code or of output in a page 1280 wide, the file browser open
LAST_HEADINGS = ("Keep", "What this does not prove")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_WINDOW = re.compile(r"\((\d+)-(\d+)\)$")
_CODE = re.compile(r"```.*?```", re.DOTALL)
_CHEATS = re.compile(r"NBVAL_|raises-exception|nbval-")


class Problem(NamedTuple):
    """Something to mend: where, what is wrong, what to do."""

    where: str
    message: str
    next: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}. Next: {self.next.removesuffix('.')}."


def form_problems(name: str, notebook: Notebook, lab: str, section: Section) -> Iterator[Problem]:
    """Yield what is wrong with the form of a solution, `name` being how it is called in the problems."""
    cells = notebook["cells"]
    if len(cells) > MAX_CELLS:
        yield Problem(name, f"it has {len(cells)} cells", f"keep it at {MAX_CELLS} or fewer")
    for cell_id, count in Counter(cell.get("id", "") for cell in cells).items():
        if not _ID.fullmatch(cell_id) or count > 1:
            yield Problem(name, f"the cell id {cell_id!r} is no id, or there twice", "give each cell an id of its own")
    for index, cell in enumerate(cells):
        where = f"{name} cell {cell.get('id') or index}"
        yield from _code_problems(where, cell) if cell["cell_type"] == "code" else _prose_problems(where, cell)
    yield from _first_problems(name, cells, lab, section)
    yield from _heading_problems(name, cells, section)


def _prose_problems(where: str, cell: Cell) -> Iterator[Problem]:
    lines = [line for line in _CODE.sub("", cell["source"]).splitlines() if not line.startswith(("#", "|"))]
    words = sum(any(letter.isalnum() for letter in word) for line in lines for word in line.split())
    if words > MAX_WORDS:
        yield Problem(where, f"it has {words} words", f"say it in {MAX_WORDS} or fewer, or split it")


def _code_problems(where: str, cell: Cell) -> Iterator[Problem]:
    try:
        limit = MAX_EXERCISE_LINES if is_exercise(cell["source"]) else MAX_LINES
        ours = {line for block in blocks(cell["source"]) for line in range(block.start + 1, block.end)}
    except ExerciseError as error:
        yield Problem(where, str(error), "mend the mark")
        return
    lines = cell["source"].count("\n") + 1
    if lines > limit:
        yield Problem(where, f"it has {lines} lines", f"split it, or keep it at {limit} lines")
    yield from _width_problems(where, cell, ours)
    if _CHEATS.search(cell["source"] + " ".join(cell["metadata"].get("tags", ()))):
        advice = "show a refusal with refused(...), which fails when nothing was refused"
        yield Problem(where, "a marker keeps nbval from looking at it", advice)
    if cell.get("execution_count") is None:
        yield Problem(where, "it was never run, so nbval would compare nothing", "run gate lab derive --execute")
    for output in cell.get("outputs", ()):
        shown = str(output.get("data", {}).get("text/plain", "")) + str(output.get("text", ""))
        if output["output_type"] == "error" or "not written yet" in shown:
            yield Problem(where, "its stored output is an error or an unwritten exercise", "solve it and run it")


def _width_problems(where: str, cell: Cell, ours: Container[int]) -> Iterator[Problem]:
    """Yield what a learner would not see whole: code is cut off at the edge, and output breaks within a word.

    `ours` are the lines of the solution, which a learner does not get.
    """
    code = [line for number, line in enumerate(cell["source"].split("\n")) if number not in ours]
    plain = [_plain(output) for output in cell.get("outputs", ())]
    for lines, advice in ((code, "break it"), ("\n".join(plain).split("\n"), "print less on a line")):
        longest = max(map(len, lines))
        if longest > MAX_WIDTH:
            message = f"a line has {longest} characters, and a page shows {MAX_WIDTH}"
            yield Problem(where, message, advice)


def _plain(output: dict[str, Any]) -> str:
    """Return what an output shows as plain text: not what has a page of its own beside the text."""
    data = output.get("data", {})
    return "".join(output.get("text", ()) or (data["text/plain"] if data.keys() == {"text/plain"} else ()))


def _first_problems(name: str, cells: list[Cell], lab: str, section: Section) -> Iterator[Problem]:
    start = next((cell["source"] for cell in cells if cell["cell_type"] == "code"), "")
    wanted = first_cell(lab, section.id, *names_in(start))
    if start != wanted:
        yield Problem(name, "its first code cell is not the kit's", f"make it exactly this:\n{wanted}\n")


def _heading_problems(name: str, cells: list[Cell], section: Section) -> Iterator[Problem]:
    found = [
        (len(marks), text.strip())
        for cell in cells
        if cell["cell_type"] == "markdown"
        for marks, text in _HEADING.findall(_CODE.sub("", cell["source"]))
    ]
    texts = [text for _, text in found]
    if found[:1] != [(1, section.title)] or [level for level, _ in found].count(1) != 1:
        yield Problem(name, "its title is not the one planned", f"begin with the one line # {section.title}")
    planned = f"{section.title} ({section.start}-{section.end})"
    if planned not in texts:
        yield Problem(name, "the window of data/labs.json stands in no heading", f"write ## {planned}")
    windows = [(int(match[1]), int(match[2])) for text in texts if text != planned and (match := _WINDOW.search(text))]
    edges = [section.start, *(edge for window in windows for edge in window), section.end]
    if any(earlier > later for earlier, later in pairwise(edges)):
        yield Problem(name, "windows in its headings overlap or leave the planned one", "keep them in order inside it")
    if tuple(texts[-len(LAST_HEADINGS) :]) != LAST_HEADINGS:
        yield Problem(name, "its last headings are others", f"end with ### {' and ### '.join(LAST_HEADINGS)}")
