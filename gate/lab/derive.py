"""Solution notebooks are the only source; the learner's copies are derived from them, byte for byte the same each time.

`notebooks/solutions/<lab>/<section>.ipynb` becomes `notebooks/<lab>/<section>.ipynb`: the same cells with the same ids,
stubs where `# solution` stood, no outputs. Its metadata holds the fingerprint of its cells as derived, so that
somebody's work in it is told from a copy that is merely old.

Not here: the marks in a cell (`exercise`), running a notebook (`execute`), whether it is fit to teach (`check`).
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from gate.errors import ConfigError, quote
from gate.files import HOME, write_whole
from gate.lab.exercise import ExerciseError, is_exercise, stub

Notebook = dict[str, Any]
Cell = dict[str, Any]

_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def solution_paths(home: Path = HOME) -> list[Path]:
    """Return all solution notebooks, sorted."""
    return sorted(_notebooks(home / "notebooks" / "solutions"))


def learner_path(solution: Path) -> Path:
    """Return where the learner's copy of a solution stands.

    >>> learner_path(Path("notebooks/solutions/memory/03_fail_closed.ipynb")).as_posix()
    'notebooks/memory/03_fail_closed.ipynb'
    """
    return solution.parents[2] / solution.parent.name / solution.name


def learner_paths(home: Path = HOME) -> list[Path]:
    """Return all learner notebooks that are there, sorted; what a reset kept beside is not among them."""
    folder = home / "notebooks"
    return sorted(path for path in _notebooks(folder) if path.parent.parent == folder)


def read_notebook(path: Path) -> Notebook:
    """Return a notebook with the source of every cell as one text. Raises `ConfigError` if it is none."""
    try:
        notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{path}: this is no notebook ({type(error).__name__}). Next: restore it.") from error
    return notebook


def exercise_cells(notebook: Notebook) -> list[Cell]:
    """Return the cells of a solution that a student fills in."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and is_exercise(cell["source"])]


def learner_copy(solution: Notebook) -> Notebook:
    """Return the learner's copy of a solution. Raises `ExerciseError`, naming the cell, for marks that are wrong."""
    derived = {**normal(solution), "cells": [_learner_cell(cell) for cell in solution["cells"]]}
    derived["metadata"]["gate"] = {"derived": fingerprint(derived)}
    return derived


def fingerprint(notebook: Notebook) -> str:
    """Return the sha256 of a notebook's cell ids and sources: what an editor adds when it saves does not matter."""
    cells = [[cell.get("id", ""), cell["source"]] for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def normal(notebook: Notebook) -> Notebook:
    """Return a notebook without what editors and runs leave in its metadata."""
    cells = [{**cell, "metadata": _tags(cell)} for cell in notebook["cells"]]
    return {"cells": cells, "metadata": copy.deepcopy(_METADATA), "nbformat": 4, "nbformat_minor": 5}


def as_text(notebook: Notebook) -> str:
    """Return a notebook as its file holds it, in the form that Jupyter itself writes."""
    cells = [{**cell, "source": cell["source"].splitlines(keepends=True)} for cell in notebook["cells"]]
    return json.dumps({**notebook, "cells": cells}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def derived_text(solution: Path) -> str:
    """Return what the learner's copy of a solution must hold. Raises `ConfigError` naming notebook and cell."""
    try:
        return as_text(learner_copy(read_notebook(solution)))
    except ExerciseError as error:
        raise ConfigError(f"{solution}: {error}") from error


class Written(NamedTuple):
    """A learner's copy that was written, and where the one before is kept, None if nobody had worked in it."""

    path: Path
    kept: Path | None


def derive(solutions: Iterable[Path]) -> list[Written]:
    """Write every learner's copy that is not there or differs from its solution; return those written.

    A copy that somebody worked in is kept beside.
    """
    texts = {learner_path(solution): derived_text(solution) for solution in solutions}
    return [_write(path, text, worked_in(path)) for path, text in texts.items() if not holds(path, text)]


def worked_in(path: Path) -> bool:
    """Say whether a copy is there and holds somebody's work: it was run, or its cells are not those last derived.

    What cannot be read, or does not say what was derived, may be work too. A saved copy with the same cells is none.
    """
    try:
        notebook = read_notebook(path)
        was_run = any(cell.get("execution_count") or cell.get("outputs") for cell in notebook["cells"])
        return was_run or notebook["metadata"]["gate"]["derived"] != fingerprint(notebook)
    except (ConfigError, LookupError, TypeError, AttributeError):
        return path.exists()


def holds(path: Path, text: str) -> bool:
    """Say whether a file holds exactly this text."""
    return path.is_file() and path.read_bytes() == text.encode("utf-8")


def restore(solutions: Iterable[Path]) -> list[Written]:
    """Write learner's copies anew where they were changed, the old ones kept beside; return those written."""
    texts = {learner_path(solution): derived_text(solution) for solution in solutions}
    return [_write(path, text, path.exists()) for path, text in texts.items() if not holds(path, text)]


def chosen(paths: Iterable[Path], names: Iterable[str]) -> list[Path]:
    """Return the notebooks that names stand for (all if there are none): `memory/03`, `memory`, or a path.

    Raises `ConfigError` for a name that stands for none.
    """
    known = list(paths)
    found: list[Path] = []
    for name in names:
        lab, _, section = name.replace("\\", "/").removesuffix(".ipynb").rpartition("/")
        lab = lab.rpartition("/")[2]
        of_lab = [path for path in known if path.parent.name == (lab or section)]
        mine = [path for path in of_lab if path.stem.startswith(section)] if lab else of_lab
        if not mine:
            raise ConfigError(f"no notebook is named {quote(name)}. Next: write memory/03, or memory for a lab.")
        found += mine
    return found or known


def _write(path: Path, text: str, keep: bool) -> Written:
    kept = None
    if keep:
        numbers = range(1, 10_000)
        kept = next(free for n in numbers if not (free := path.with_name(f"{path.stem}.kept-{n}.ipynb")).exists())
        write_whole(kept, path.read_text(encoding="utf-8"))
    write_whole(path, text)
    return Written(path, kept)


def _learner_cell(cell: Cell) -> Cell:
    bare = {"cell_type": cell["cell_type"], "id": cell.get("id", ""), "metadata": _tags(cell), "source": cell["source"]}
    if cell["cell_type"] != "code":
        return bare
    try:
        source = stub(cell["source"])
    except ExerciseError as error:
        raise ExerciseError(f"cell {cell.get('id', 'without an id')}: {error}") from error
    return {**bare, "execution_count": None, "outputs": [], "source": source}


def _tags(cell: Cell) -> Cell:
    return {key: value for key, value in cell["metadata"].items() if key == "tags"}


def _notebooks(folder: Path) -> list[Path]:
    found = folder.glob("*/*.ipynb")
    return [path for path in found if not path.parent.name.startswith(".") and ".kept-" not in path.name]
