"""What a planner says: text, calls, and why it stopped. A planner is any function from messages to a `Reply`.

Not here: the shapes of the providers (`adapters`), and what becomes of the calls (`loop`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gate.errors import Finding, finding, quote

Message = dict[str, Any]

#: Finish reasons of a whole reply. Any other one means that it was cut off; None says that the planner does not know.
WHOLE = {"stop", "tool_calls", "function_call", "end_turn", "tool_use", "stop_sequence"}
#: Finish reasons that announce calls.
CALLING = {"tool_calls", "function_call", "tool_use"}
MAX_CALLS = 32


class Reply(NamedTuple):
    """One reply of a planner. No calls means that it is done.

    `calls` are `{"id", "name"}` with `arguments` or `input` (an object) or `raw` (the model's text, parsed once, by the
    front door).
    """

    text: str = ""
    calls: tuple[Any, ...] = ()
    finish_reason: str | None = None

    @property
    def incomplete(self) -> bool:
        """Whether it is not whole: cut off, and then none of its calls may run, or it announces calls and has none."""
        return is_cut_off(self.finish_reason) or self.announces_what_it_lacks

    @property
    def announces_what_it_lacks(self) -> bool:
        """Whether it says that it calls tools, and has no call."""
        return not self.calls and self.finish_reason in CALLING


def is_cut_off(finish_reason: object) -> bool:
    """Say whether a finish reason means that something may be missing: any that is not known to be whole does.

    >>> is_cut_off("stop"), is_cut_off(None), is_cut_off("length"), is_cut_off("soon")
    (False, False, True, True)
    """
    return finish_reason is not None and (type(finish_reason) is not str or finish_reason not in WHOLE)


def marked(call: Any, finish_reason: object) -> Any:
    """Return a copy of a call that says `length` where it was cut off, so that it is refused as such.

    >>> marked({"id": "c1"}, "content_filter")
    {'id': 'c1', 'finish_reason': 'length'}
    """
    if type(call) is not dict:
        return call
    return {**call, "finish_reason": "length"} if is_cut_off(finish_reason) else dict(call)


Planner = Callable[[list[Message]], "Reply | str"]


def read_reply(said: Any) -> Reply | Finding:
    """Return what a planner said as a `Reply` (text alone may be a `str`), or the `run.planner_failed` finding.

    >>> read_reply("done").text, read_reply(None).code
    ('done', 'run.planner_failed')
    """
    reply = Reply(said) if type(said) is str else said
    if not isinstance(reply, Reply):
        return planner_failed(f"it returned {quote(said)}, no Reply")
    if type(reply.text) is not str or type(reply.finish_reason) not in (str, type(None)):
        return planner_failed("its text and its finish reason must be strings")
    if type(reply.calls) not in (tuple, list) or len(reply.calls) > MAX_CALLS:
        return planner_failed(f"its calls must be a list of at most {MAX_CALLS}")
    return reply._replace(calls=tuple(reply.calls))


def planner_failed(why: str) -> Finding:
    """Return the finding for a planner that gave no reply that can be used."""
    message = f"the planner failed: {why.rstrip('.')}."
    return finding("run.planner_failed", "", message, "a person has to look at the planner.")


def recorded(replies: list[Reply]) -> Planner:
    """Return a planner that gives recorded replies, one after the other, and is done when there are none left.

    >>> planner = recorded([Reply(calls=({"id": "c1", "name": "refund_order", "raw": "{}"},))])
    >>> len(planner([]).calls), len(planner([]).calls)
    (1, 0)
    """
    left = iter(replies)
    return lambda messages: next(left, Reply())
