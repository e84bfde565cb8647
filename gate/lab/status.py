"""How far a student is: the boards and tables of each notebook, as `work/` has them.

Not here: how fast they were.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from gate.files import HOME
from gate.lab.answers import Answers
from gate.lab.board_file import Board, load_board
from gate.lab.plan import load_plan


class BoardStatus(NamedTuple):
    """One board: its notebook, its name, how many rows were green when last run (None if it was not), the red ones."""

    notebook: str
    board: str
    green: int | None
    rows: int
    red: tuple[str, ...]

    @property
    def state(self) -> str:
        """`green`, `red`, or `not run`."""
        return "not run" if self.green is None else "red" if self.red else "green"


def counted_boards(lab: str = "*", home: Path = HOME) -> list[Board]:
    """Return the boards of a lab, or of all, that count (no trials), in the order in which a class meets them.

    The plan is the kit's own, also where an instructor has another: the order stands in every code of `gate progress`.

    >>> [board.id for board in counted_boards("fence")][:3]
    ['fence.two_doors', 'fence.first', 'fence.mended']
    """
    boards = [load_board(path.stem, home) for path in (home / "data" / "boards").glob(f"{lab}.*.json")]
    plan = load_plan(home / "data" / "labs.json")
    labs = [*plan]
    graded = [one.id for lab in plan.values() for section in lab.sections for one in section.exercises]

    def place(board: Board) -> tuple[int, str, int, str]:
        lab, notebook = board.notebook.split("/")
        return (
            labs.index(lab) if lab in labs else len(labs),
            notebook,
            graded.index(board.id) if board.id in graded else len(graded),
            board.id,
        )

    return sorted((board for board in boards if not board.trial), key=place)


def board_status(home: Path = HOME) -> list[BoardStatus]:
    """Return the status of every board but trials, in the labs' order. One whose rows changed counts as not run."""
    saved = Answers("boards").load()
    return [_status(board, saved.get(board.id)) for board in counted_boards(home=home)]


def _status(board: Board, mine: Any) -> BoardStatus:
    rows = len(board.rules)
    if not isinstance(mine, dict) or mine.get("rows") != rows:
        return BoardStatus(board.notebook, board.id, None, rows, ())
    red = tuple(str(row) for row in mine.get("red", ()))
    return BoardStatus(board.notebook, board.id, rows - len(red), rows, red)
