"""What the situations of a fence share: a ticket tool that lists what it really did, and how a fence is asked.

    tool = TicketTool("refused")                  # its first run fails, after that it works
    ask(fence, COMMENT, tool)                     # {"ok": False, "result": None}, also when the error comes through
    held(ran(tool, 0, "nothing may have happened"))

Not here: the situations (`fences`, `interleaved`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gate.errors import GateError
from gate.lab.attacks import HELD, Got, wrote

Answer = dict[str, Any]
Make = Callable[[str], Any]

COMMENT = {"action": "add_comment", "ticket_id": "T-1", "body": "ship after contract", "idempotency_key": "k-00000001"}


class Unclear(Exception):
    """The fence answered with something that is no answer; the text says what."""


class TicketTool:
    """A tool that lists what it really did. `moods` say how its next runs go; after that it works.

    `refused`: it fails before anything happened; `says no`: it returns that it failed; `silent`: it did it, and no
    answer comes. `meanwhile` is called inside it, once, after the effect.
    """

    def __init__(self, *moods: str, meanwhile: Callable[[], None] | None = None) -> None:
        self._moods, self._meanwhile = list(moods), meanwhile
        self.done: list[str] = []

    def __call__(self, payload: Any) -> Answer:
        mood = self._moods.pop(0) if self._moods else ""
        if mood == "refused":
            raise ConnectionRefusedError("nothing listens there")
        if mood == "says no":
            return {"ok": False}
        self.done.append(payload["body"])
        number, meanwhile, self._meanwhile = len(self.done), self._meanwhile, None
        if mood == "silent":
            raise TimeoutError("no answer came")
        if meanwhile is not None:
            meanwhile()
        return {"ok": True, "n": number}


def ask(fence: Any, payload: Answer, tool: TicketTool) -> Answer:
    """Return what `fence.run` answers. Raises `Unclear` when that is no answer."""
    try:
        answer = fence.run(dict(payload), tool)
    except (ConnectionRefusedError, TimeoutError, GateError):
        return {"ok": False, "result": None}
    if not isinstance(answer, dict) or type(answer.get("ok")) is not bool:
        raise Unclear(f"run returned {wrote(answer)}: it needs ok, true or false, and result")
    return answer


def held(*facts: tuple[bool, str]) -> Got:
    """Return `hold` when every fact is true, else in words the first that is not."""
    return next((Got("broken", words) for true, words in facts if not true), Got(HELD, "it held"))


def ran(tool: TicketTool, times: int, what: str) -> tuple[bool, str]:
    """Return the fact that the tool had exactly so many effects."""
    count = len(tool.done)
    return count == times, f"the tool acted {count} times: {what}" if count > 1 else f"the tool never acted: {what}"


def comment(number: int) -> Answer:
    """Return a comment whose key and body carry a number."""
    return {**COMMENT, "body": f"comment {number}", "idempotency_key": f"k-{number:08}"}


def is_first(first: Answer, again: Answer) -> tuple[bool, str]:
    """Return the fact that a retry of work that is done got the first result."""
    good = again["ok"] and again.get("result") == first.get("result")
    return good, f"the retry got {wrote(again)}, not the first result"
