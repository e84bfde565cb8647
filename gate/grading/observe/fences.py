"""Observes a fence that a student wrote: calls are sent through it, and what was answered and done is written down.

Not here: which calls (`probes.fences`), what is right.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from gate.lab.interleaved import LINES, Beside, Stopped, files_of
from gate.lab.ticket_tool import TicketTool, Unclear, ask

_PATIENT = 5.0  # seconds that a call which should end is waited for
_PASSING, _LEAST = 0.5, 0.1  # seconds that a call may wait for another, fewer the more often it does
Call = dict[str, Any]


def fenced(student: Any, given: dict[str, Any]) -> Any:
    """Send calls through a fence made by `student(path)`: each answer, and at the end what the tool really did."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        fence, done = student(Path(folder, "ledger.sqlite")), list[str]()
        answers = [_sent(fence, call, done) for call in given["calls"]]
        return {"answers": answers, "done": done}


def interleaved(student: Any, given: dict[str, Any]) -> Any:
    """Send one call twice at once, the second between any two lines of the first: every pair of answers that came."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seen, line, more, wait = list[Any](), 0, True, _PASSING
        while more and line < LINES:
            line += 1
            fence = student(Path(folder, f"ledger-{line}.sqlite"))
            pair, more, waited = _between(fence, given["payload"], line, wait)
            wait = max(_LEAST, wait / 2) if waited else _PASSING
            seen += [] if pair in seen else [pair]
        return {"pairs": seen, "lines": line, "more": more}


def _sent(fence: Any, call: Call, done: list[str]) -> Any:
    """Send one call, and where it has another one `inside`, send that while the tool is at work."""
    inside = call.get("inside")
    beside = Beside(lambda: ask(fence, inside, inner)) if inside else None
    inner = _Listing(done)
    tool = _Listing(done, *call.get("moods", ()), meanwhile=lambda: _pass(beside) if beside else None)
    answer = _told(ask_kindly(fence, call["payload"], tool))
    if call["payload"]["action"] == "noop":
        return {"ok": answer["ok"]}
    if beside is None:
        return answer
    beside.join(_PATIENT)
    return [answer, _told(beside.answer())]


class _Listing(TicketTool):
    """A tool that also writes what it did into a list that others share."""

    def __init__(self, shared: list[str], *moods: str, meanwhile: Any = None) -> None:
        super().__init__(*moods, meanwhile=meanwhile)
        self.done = shared


def ask_kindly(fence: Any, payload: Call, tool: TicketTool) -> Any:
    """Return what a fence answers; what is no answer comes back as it is."""
    try:
        return ask(fence, payload, tool)
    except Unclear:
        return {"ok": "unclear"}


def _pass(beside: Beside) -> None:
    beside.start()
    beside.join(_PASSING)


def _told(answer: Any) -> Any:
    """Return of an answer what is asked for: ok, and the result of what was done."""
    if answer is None:
        return "no answer"
    return {"ok": answer["ok"], "result": answer.get("result")} if answer["ok"] is True else {"ok": answer["ok"]}


def _between(fence: Any, payload: Call, line: int, wait: float) -> tuple[Any, bool, bool]:
    done = list[str]()
    files = files_of(fence)
    first = Stopped(lambda: ask_kindly(fence, payload, _Listing(done)), files, line, _PATIENT)
    second = Beside(lambda: ask_kindly(fence, payload, _Listing(done)))
    first.start()
    more = bool(files) and first.stopped()
    second.start()
    second.join(wait)
    waited = second.is_alive()
    first.go_on.set()
    for one in (first, second):
        one.join(_PATIENT)
    return [_told(first.answer()), _told(second.answer()), done], more, waited
