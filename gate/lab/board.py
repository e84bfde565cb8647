"""A board: a list of rules run against what a student wrote, each row red or green, in words.

Whatever the student's code does, a row comes out of it: a wrong answer, an exception, an endless loop, nothing at all.
The result is the same in every run; what is red and green is saved in `work/boards.json`.

Not here: the file of a board (`board_file`), how a rule is tried (`rules`), how a board looks (`board_page`).
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from datetime import UTC, datetime
from types import FunctionType
from typing import Any

from gate.errors import clip
from gate.lab import board_page
from gate.lab.answers import Answers
from gate.lab.attacks import Got
from gate.lab.board_file import Board, load_board, one_hint
from gate.lab.comparison import IF_FROZEN
from gate.lab.limit import TimedOut, run_limited
from gate.lab.rules import KINDS, Row, Rule
from gate.lab.show import Shown
from gate.lab.table import Table

SECONDS = 8.0 if sys.platform == "emscripten" else 2.0  # for one rule; Python in a browser is several times slower
_ENDLESS = "a loop without an end, or waiting for a lock or an answer that never comes"
MAX_ENDLESS = 2  # rules that may run into the limit; the others are then not tried, so that nobody waits for a minute
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
_last_run: dict[str, tuple[Any, bool]] = {}


class Result:
    """What a board says of one student's code. As the last line of a cell it shows itself.

    `green` is true when every row is; `red` holds the ids of the rows that are not, to be mended in their order.
    """

    def __init__(self, board: Board, rows: tuple[Row, ...], notes: tuple[str, ...], name: str = "f") -> None:
        self.rows, self.notes, self._name = rows, notes, name
        self._board = f"{board.id}, {board.title}", board.kind

    @property
    def red(self) -> tuple[str, ...]:
        """The ids of the red rows."""
        return tuple(row.rule.id for row in self.rows if not row.green)

    @property
    def green(self) -> bool:
        """Whether every row is green."""
        return not self.red

    def __repr__(self) -> str:
        return board_page.as_text(*self._board, self.rows, self.notes, self._name)

    def _repr_html_(self) -> str:
        return board_page.as_html(*self._board, self.rows, self.notes, self._name)


def board(name: str, student: Any, *, trial: bool = False) -> Result:
    """Run the rules of `data/boards/<name>.json` against `student` and return what is red and green.

    `trial` is for code that is meant to be red, to see what it lets through: nothing is saved (a board may also be
    marked so in its file). Raises `ConfigError` for a board that is not there or cannot be used; never for what the
    student's code does.

    >>> from gate import validate_tool_result
    >>> board("memory.validate", validate_tool_result, trial=True).red
    ()

    Does not catch: a gate that only knows these rows. That is what the planted inputs and `gate fuzz` are for.
    """
    chosen = load_board(name)
    rows = run_rules(chosen, student)
    called = student.__name__ if isinstance(student, FunctionType) and student.__name__.isidentifier() else "f"
    if trial or chosen.trial:
        return Result(chosen, rows, ("A trial: red is allowed here, and nothing is saved.",), called)
    notes, answers = _disagreements(chosen), Answers("boards")
    result = Result(chosen, rows, notes)
    _last_run[name] = (student, result.green)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    answers.save({name: {"green": len(rows) - len(result.red), "rows": len(rows), "red": list(result.red), "at": at}})
    return Result(chosen, rows, (*notes, *answers.notes), called)


def hint(name: str, level: int = 1) -> Shown:
    """Return a board's hint: level 1 says where to look, 2 how it goes, 3 nearly all of it."""
    chosen = load_board(name)
    more = f" More: hint({name!r}, {level + 1})" if level in range(1, len(chosen.hints)) else ""
    return Shown(f"Hint {level} of {len(chosen.hints)} for {name}: {one_hint(chosen, level)}{more}")


def reset(name: str) -> Shown:
    """Forget what was saved of a board: it counts as never run."""
    load_board(name)
    _last_run.pop(name, None)
    answers = Answers("boards")
    answers.update(lambda known: {key: value for key, value in known.items() if key != name})
    return Shown(" ".join((f"{name} counts as never run.", *answers.notes)))


def turned_green(student: Any) -> bool | None:
    """Say whether every board last run on this very object in this kernel was green; None if none was."""
    runs = [green for tried, green in _last_run.values() if tried is student]
    return all(runs) if runs else None


def run_rules(chosen: Board, student: Any) -> tuple[Row, ...]:
    """Try every rule of a board, until too many did not end."""
    rows: list[Row] = []
    for rule in chosen.rules:
        if sum(row.got.outcome == "endless" for row in rows) < MAX_ENDLESS:
            rows.append(run_rule(chosen, rule, student))
        else:
            rows.append(Row(rule, Got("untried", f"not tried: {MAX_ENDLESS} rules before did not end"), False))
    return tuple(rows)


def run_rule(chosen: Board, rule: Rule, student: Any, *, limited: bool = True) -> Row:
    """Try one rule, and make a row of whatever happens. What the student's code prints is not shown.

    `limited=False` is for what holds no code of a student's: the row then does not depend on how busy the machine is.
    """
    if student is ...:
        got = _unwritten("this exercise")
    else:
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                kind = KINDS[chosen.kind]
                got = run_limited(lambda: kind(student, rule), SECONDS) if limited else kind(student, rule)
        except TimedOut:
            got = Got("endless", f"did not end within {SECONDS:g} seconds and was stopped: {_ENDLESS}")
        except NotImplementedError as stub:
            got = _unwritten(clip(str(stub), 60) or "this exercise")
        except KeyboardInterrupt:  # the person at the keyboard wants to stop the board, not this rule
            raise
        except BaseException as error:  # noqa: BLE001 - a student's code may raise anything, SystemExit included
            got = Got("crash", f"raised {_in_words(error)}")
    if got.outcome == rule.expect and not set(rule.codes) <= set(got.codes):
        why = "for another reason" if got.codes else "without a reason"
        return Row(rule, got._replace(words=f"{got.words}, {why}"), False)
    return Row(rule, got, got.outcome == rule.expect)


def _unwritten(what: str) -> Got:
    return Got("unwritten", f"not written yet: {what}")


def _in_words(error: BaseException) -> str:
    try:
        text = _ADDRESS.sub("0x…", " ".join(str(error).split()))
    except Exception as second:  # noqa: BLE001 - an exception whose text raises is still one red row
        text = f"(its text raises {type(second).__name__})"
    return clip(f"{type(error).__name__}: {text}" if text else type(error).__name__, 160)


def _disagreements(chosen: Board) -> tuple[str, ...]:
    """Return a line for each row of the pair's decision table that says something else than the tests."""
    expected = {rule.row: rule.expect for rule in chosen.rules if rule.row}
    if not expected:
        return ()
    table = Table(chosen.table)
    decided, found = table.decided(), table.check_against(expected)
    return tuple(
        f"{line} Next: go to the table and change the row; {IF_FROZEN}."
        for row, line in zip(found.rows, found.lines, strict=True)
        if row in expected and decided[row]["choice"]
    )
