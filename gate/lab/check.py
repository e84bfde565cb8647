"""Is every notebook fit to teach? Nothing unlisted, nothing drifted, unsolved boards red, solved ones green.

Each problem says where it is and how to mend it.

Not here: the form of one notebook (`form`), running its code (`rehearse`), comparing stored outputs (nbval).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from pathlib import Path
from typing import NamedTuple

from gate.errors import ConfigError
from gate.files import HOME
from gate.lab.board_file import Board, load_board
from gate.lab.derive import (
    Notebook,
    fingerprint,
    learner_copy,
    learner_path,
    learner_paths,
    read_notebook,
    solution_paths,
    worked_in,
)
from gate.lab.exercise import ExerciseError
from gate.lab.form import Problem, form_problems
from gate.lab.plan import Section, load_plan
from gate.lab.rehearse import rehearse

_USED = re.compile(r"""\bboard\(\s*["']([^"']+)["']""")


class Pair(NamedTuple):
    """A solution and its learner's copy, with the section of the plan that they belong to."""

    section: Section
    lab: str
    solution: Path
    learner: Path

    @property
    def name(self) -> str:
        """`memory/03_fail_closed`."""
        return f"{self.lab}/{self.section.id}"


def check(home: Path = HOME, *, run: bool = True) -> list[Problem]:
    """Return every problem of the notebooks and boards in a kit; `run` runs each notebook once, both copies.

    Labs without a folder in `notebooks/solutions` are not begun yet, and nothing is asked of them. Nor is anything
    asked of a learner's copy that somebody worked in (`not_checked`).

    >>> check(run=False)
    []
    """
    pairs = all_pairs(home)
    boards, problems = all_boards(home)
    problems += [*_unlisted(home, pairs), *_board_problems(pairs, boards)]
    there = [pair for pair in pairs if pair.solution.exists()]
    problems += _unlinked(there)
    for pair in there:
        notebook = read_notebook(pair.solution)
        problems += form_problems(pair.name, notebook, pair.lab, pair.section)
        problems += _drift(pair)
    if run:
        with ThreadPoolExecutor(2) as pool:
            problems += [problem for found in pool.map(_rehearsed, there, repeat(boards)) for problem in found]
    return problems


def not_checked(home: Path = HOME) -> list[str]:
    """Return the names of the notebooks whose learner's copy somebody worked in: that is no fault of the kit's."""
    return [pair.name for pair in all_pairs(home) if worked_in(pair.learner)]


def all_pairs(home: Path = HOME) -> list[Pair]:
    """Return all sections of the labs that have been begun, whether their notebooks are there or not."""
    labs = load_plan(home / "data" / "labs.json").values()
    solutions = home / "notebooks" / "solutions"
    return [
        Pair(section, lab.id, solution, learner_path(solution))
        for lab in labs
        if (solutions / lab.id).is_dir()
        for section in lab.sections
        for solution in [solutions / lab.id / Path(section.notebook).name]
    ]


def _unlisted(home: Path, pairs: list[Pair]) -> Iterator[Problem]:
    for pair in pairs:
        if not pair.solution.exists():
            yield Problem(pair.name, "data/labs.json lists it, but there is no solution", f"write {pair.solution}")
    listed = {pair.solution for pair in pairs} | {pair.learner for pair in pairs}
    for path in [*solution_paths(home), *(path for path in learner_paths(home) if not _own(path))]:
        if path not in listed:
            where = path.relative_to(home).as_posix()
            yield Problem(where, "data/labs.json does not list this notebook", "list it there, or delete it")


def _unlinked(there: list[Pair]) -> Iterator[Problem]:
    """Each notebook leads to the next one of its lab, so that nobody looks for it in the file browser."""
    for pair, following in pairwise(there):
        prose = [cell["source"] for cell in read_notebook(pair.solution)["cells"] if cell["cell_type"] == "markdown"]
        link = f"[{following.section.title}]({following.section.id}.ipynb)"
        said = f"Next, from minute {following.section.start}: {link}."
        if pair.lab == following.lab and not (prose and prose[-1].endswith(said)):
            yield Problem(pair.name, "it does not lead to the next notebook", f"end its last text with {said}")


def _own(path: Path) -> bool:
    """Say whether a notebook is somebody's own, such as `Untitled.ipynb`: derived from no solution."""
    try:
        notebook = read_notebook(path)
    except ConfigError:
        return False
    return "derived" not in notebook.get("metadata", {}).get("gate", {})


def all_boards(home: Path = HOME) -> tuple[list[Board], list[Problem]]:
    """Return all boards, and a problem for each file that is none."""
    boards, problems = [], []
    for path in sorted((home / "data" / "boards").glob("*.json")):
        try:
            boards.append(load_board(path.stem, home))
        except ConfigError as error:
            problems.append(Problem(f"board {path.stem}", str(error), "mend the file"))
    return boards, problems


def _board_problems(pairs: list[Pair], boards: list[Board]) -> Iterator[Problem]:
    """Each board belongs to a notebook that uses it, and each one used is there."""
    used = {pair.name: _boards_in(read_notebook(pair.solution)) for pair in pairs if pair.solution.exists()}
    for board in boards:
        begun = board.notebook.split("/")[0] in {pair.lab for pair in pairs}
        if begun and board.id not in used.get(board.notebook, ()):
            yield Problem(f"board {board.id}", f"{board.notebook} does not use it", "use it there, or delete its file")
        if len(set(board.hints)) < len(board.hints):
            yield Problem(f"board {board.id}", "two of its hints are the same", "let each say more than the one before")
    for notebook, names in used.items():
        for name in sorted(names - {board.id for board in boards}):
            yield Problem(notebook, f"it uses the board {name}, which is not there", f"write data/boards/{name}.json")


def _boards_in(notebook: Notebook) -> set[str]:
    return {name for cell in notebook["cells"] if cell["cell_type"] == "code" for name in _USED.findall(cell["source"])}


def _drift(pair: Pair) -> Iterator[Problem]:
    try:
        derived = fingerprint(learner_copy(read_notebook(pair.solution)))
    except ExerciseError as error:
        yield Problem(pair.name, str(error), "mend the mark in the solution")
        return
    if not pair.learner.exists():
        yield Problem(pair.name, "there is no learner's copy", "run make notebooks")
    elif not worked_in(pair.learner) and fingerprint(read_notebook(pair.learner)) != derived:
        message = "the learner's copy is not what its solution gives"
        yield Problem(pair.name, message, "change the solution, never the copy, and run make notebooks")


def _rehearsed(pair: Pair, boards: list[Board]) -> list[Problem]:
    """Run both copies and say what is wrong with what they show."""
    problems: list[Problem] = []
    for path, solved in ((pair.solution, True), (pair.learner, False)):
        if not path.exists() or (not solved and worked_in(path)):
            continue
        cells = [cell for cell in read_notebook(path)["cells"] if cell["cell_type"] == "code"]
        went = rehearse(path, [{"id": cell.get("id", ""), "source": cell["source"]} for cell in cells])
        if went.error:
            problems.append(Problem(pair.name, f"{_copy(solved)} fails: {went.error}", "mend the cell in the solution"))
        else:
            problems += colour_problems(pair.name, solved, boards, went.red)
    return problems


def colour_problems(
    name: str, solved: bool, boards: Iterable[Board], red: Mapping[str, tuple[str, ...]]
) -> Iterator[Problem]:
    """Yield what is wrong with the boards that a notebook ran: what the learner gets is red, what is solved is green.

    `red` has the red rows of each board that was run, other than as a trial.
    """
    for board in boards:
        if board.notebook != name or board.trial:
            continue
        if board.id not in red:
            advice = 'run it without trial, or write "trial": true into its file'
            yield Problem(name, f"{_copy(solved)} never runs {board.id}, except as a trial", advice)
        elif solved and red[board.id]:
            message = f"{_copy(solved)} leaves {board.id} red: {', '.join(red[board.id])}"
            yield Problem(name, message, "mend the solution or the board")
        elif not solved and not red[board.id]:
            advice = "put # solution above what solves it, or show it as a trial"
            yield Problem(name, f"{_copy(solved)} has {board.id} green already", advice)


def _copy(solved: bool) -> str:
    return "the solution" if solved else "the learner's copy"
