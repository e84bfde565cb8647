"""How far a student is: the boards and tables of each notebook, as `work/` has them.

Not here: how fast they were.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gate.files import HOME
from gate.lab.answers import Answers
from gate.lab.board_file import load_board


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


def board_status(home: Path = HOME) -> list[BoardStatus]:
    """Return the status of every board but trials, by notebook. One whose rows are others by now counts as not run."""
    saved = Answers("boards").load()
    found = []
    for path in sorted((home / "data" / "boards").glob("*.json")):
        board = load_board(path.stem, home)
        if board.trial:
            continue
        mine = saved.get(board.id)
        if isinstance(mine, dict) and mine.get("rows") == len(board.rules):
            red = tuple(str(row) for row in mine.get("red", ()))
            found.append(BoardStatus(board.notebook, board.id, len(board.rules) - len(red), len(board.rules), red))
        else:
            found.append(BoardStatus(board.notebook, board.id, None, len(board.rules), ()))
    return sorted(found)
