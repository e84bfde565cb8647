"""What is graded in a lab: which notebook, which name a student defines there, and how many points it is worth.

`data/labs.json` has the points, the solution notebooks say which name a board looks at. Nothing is listed twice.

Not here: decision tables (`tables`) and fixture packs (`packs`), which are in no cell.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import NamedTuple

from gate.errors import ConfigError
from gate.files import HOME
from gate.lab.derive import Notebook, read_notebook, solution_paths
from gate.lab.plan import Section, find_lab


class Asked(NamedTuple):
    """One exercise that is answered in a cell: its board, its notebook, the name that is looked at, its points."""

    id: str
    notebook: str
    name: str
    points: float


@functools.cache
def solution(name: str) -> Notebook:
    """Return a solution notebook by its name, `memory/03_fail_closed`. It is shared: copy before changing it."""
    return read_notebook(HOME / "notebooks" / "solutions" / f"{name}.ipynb")


def sections(lab: str) -> list[tuple[str, Section]]:
    """Return the sections of a lab with the names of their notebooks. Raises `ConfigError` for a lab that is none."""
    return [(f"{lab}/{section.id}", section) for section in find_lab(lab).sections]


def asked(name: str, section: Section) -> list[Asked]:
    """Return the exercises of a notebook that are answered in its cells.

    >>> [(name, section)] = [one for one in sections("memory") if one[0].endswith("03_fail_closed")]
    >>> [one.name for one in asked(name, section)]
    ['validate_by_hand', 'validate_tool_result']
    """
    looked_at = dict(_boards(solution(name)))
    found = []
    for one in section.exercises:
        if one.id in looked_at:
            found.append(Asked(one.id, name, looked_at[one.id], one.points))
        elif not one.id.startswith(("table.", "pack.")):
            raise ConfigError(f"data/labs.json: {name} has no board {one.id}. Next: name one that it runs.")
    return found


def _boards(notebook: Notebook) -> Iterator[tuple[str, str]]:
    """Yield (board, name looked at) for each board that is run, other than as a trial."""
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        for node in ast.walk(ast.parse(cell["source"])):
            match node:
                case ast.Call(func=ast.Name(id="board"), args=[ast.Constant(value=str(id)), ast.Name(id=name)]):
                    if not node.keywords:
                        yield id, name


@functools.cache
def notebooks() -> dict[str, frozenset[str]]:
    """Return the name of every notebook of the labs, with the ids of its cells."""
    return {
        f"{path.parent.name}/{path.stem}": frozenset(cell["id"] for cell in read_notebook(path)["cells"])
        for path in solution_paths()
    }
