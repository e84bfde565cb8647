"""Two calls of a student's fence at the same time, in an order that is the same in every run.

`two_threads` stops the first call before each line of the student's class in turn and lets a second one pass: a check
that another line can come after is found, without luck.

Not here: lines of the kit's own fence. For it two calls begin at once; its own tests try it harder.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from gate.lab.attacks import HELD, Got
from gate.lab.ticket_tool import COMMENT, Answer, Make, TicketTool, ask, comment, held, is_first, ran

LINES = 240  # at most so many are tried; in a longer call nobody has looked at all of them
_TIMES = 2  # that one line counts: a loop is no place to hide behind
_WAIT, _LEAST = 0.3, 0.02  # seconds that a second call is waited for: it may be waiting for the first
_END = 0.8
_KIT = str(Path(__file__).parents[1])


class Beside(threading.Thread):
    """A call on a thread of its own."""

    def __init__(self, call: Callable[[], Answer]) -> None:
        super().__init__(daemon=True)
        self._call = call
        self._answer: Answer | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._answer = self._call()
        except BaseException as error:  # noqa: BLE001 - handed over by `answer`
            self._error = error

    def answer(self) -> Answer | None:
        """Return the answer, None if the call never began or does not end; what it raised is raised here."""
        if self.ident is not None:
            self.join(_END)
        if self._error is not None:
            raise self._error
        return self._answer


class Stopped(Beside):
    """A call that stops before the `line`th line it runs in `files`, until `go_on`. A line counts `_TIMES` at most."""

    def __init__(self, call: Callable[[], Answer], files: set[str], line: int, patience: float = _END) -> None:
        super().__init__(call)
        self._files, self._left, self._patience = files, line, patience
        self._there, self.go_on = threading.Event(), threading.Event()
        self._seen: Counter[tuple[object, int]] = Counter()

    def run(self) -> None:
        sys.settrace(self._trace)
        try:
            super().run()
        finally:
            sys.settrace(None)
            self._there.set()

    def stopped(self) -> bool:
        """Wait until it has stopped, or ended without coming so far."""
        self._there.wait(self._patience)
        return self._left <= 0

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        place = frame.f_code, frame.f_lineno
        if event == "line" and self._seen[place] < _TIMES:
            self._seen[place] += 1
            self._left -= 1
            if self._left == 0:
                self._there.set()
                self.go_on.wait(self._patience)
        return self._trace


def while_it_runs(make: Make) -> Got:
    """The same call again, while the tool is still at work for the first."""
    fence = make("ledger")
    second = Beside(lambda: ask(fence, COMMENT, tool))
    tool = TicketTool(meanwhile=lambda: _pass(second))
    first, other = ask(fence, COMMENT, tool), second.answer()
    if other is None:
        return held(ran(tool, 1, "once is right"), (False, "the second call never got an answer"))
    said = "the second call was told ok while the first still ran, and nothing was known yet"
    return held(ran(tool, 1, "one key, one mutation"), (not other["ok"] or is_first(first, other)[0], said))


def while_the_last_one_runs(make: Make) -> Got:
    """A budget of two: the second comment still runs when a third comes."""
    fence, tool = make("ledger"), TicketTool()
    third = Beside(lambda: ask(fence, comment(3), tool))
    last = TicketTool(meanwhile=lambda: _pass(third))
    ask(fence, comment(1), tool)
    ask(fence, comment(2), last)
    answer = third.answer()
    if answer is None:
        return held(ran(last, 1, "the budget is two"), (False, "the third call never got an answer"))
    told = (not answer["ok"], "told ok beyond the budget")
    return held(ran(tool, 1, "the third ran while the second still did"), told)


def two_threads(make: Make) -> Got:
    """The same call twice at once, the second between any two lines of the first."""
    wait, got, line = _WAIT, Got(HELD, "it held"), 0
    more = True
    while more and got.outcome == HELD:
        line += 1
        got, more, waited = _between(make(f"ledger-{line}"), line, wait)
        wait = max(_LEAST, wait / 2) if waited else _WAIT
        if line == LINES:
            return Got("too long", f"one call runs more than {LINES} lines: too many to come between all of them")
    return got


def _between(fence: Any, line: int, wait: float) -> tuple[Got, bool, bool]:
    """Let a second call pass before a line of the first; say too if the first came so far, and if the second waited."""
    tool = TicketTool()
    files = files_of(fence)
    first = Stopped(lambda: ask(fence, COMMENT, tool), files, line)
    second = Beside(lambda: ask(fence, COMMENT, tool))
    first.start()
    more = bool(files) and first.stopped()
    second.start()
    second.join(wait)
    waited = second.is_alive()
    first.go_on.set()
    return _one_effect(first.answer(), second.answer(), tool), more, waited


def _one_effect(first: Answer | None, second: Answer | None, tool: TicketTool) -> Got:
    if first is None or second is None:
        return Got("stuck", "two calls wait for each other for ever")
    told = [one for one in (first, second) if one["ok"]]
    true = all(one.get("result") == {"ok": True, "n": 1} for one in told)
    return held(
        ran(tool, 1, "the second call came between two lines of the first"),
        (true, "one was told ok before the tool had done anything"),
        (bool(told), "both were refused"),
    )


def _pass(second: Beside) -> None:
    """Let the second call run, now; it may be waiting for the first."""
    second.start()
    second.join(_WAIT)


def files_of(fence: Any) -> set[str]:
    """Return the files, or cells, in which the student wrote the class and what stands beside it; not the kit's own."""
    members = [member for kind in type(fence).__mro__ for member in vars(kind).values() if hasattr(member, "__code__")]
    beside = [
        other
        for member in members
        for other in getattr(member, "__globals__", {}).values()
        if hasattr(other, "__code__") and getattr(other, "__module__", "") == type(fence).__module__
    ]
    files = {str(one.__code__.co_filename) for one in (*members, *beside)}
    return {file for file in files if not file.startswith(_KIT)}
