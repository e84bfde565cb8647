"""What became of one call, and the message about it that a model can act on.

Not here: how it came to that (`harness`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gate.calls.running import Ran
from gate.decision import Decision, block
from gate.engine.formats import is_line
from gate.envelope import MAX_CHARS, ToolResult, problems, tool_result
from gate.errors import Finding, GateError, clip, finding, type_name

#: The id of a result whose call had none that can be used. Send such a result to the model as plain text.
UNIDENTIFIED = "unidentified"

_HEADLINES = {
    "returned": "{} ran, but its result was refused: it is no fact, and it is not in memory.",
    "failed": "{} ran and failed.",
    "unknown": "{} may or may not have taken effect.",
    "refused": "{} was not run.",
}


class Step(NamedTuple):
    """One call and what became of it: `ran` is None when it was refused, `findings` say why `result` is an error."""

    tool: str
    decision: Decision
    ran: Ran | None
    findings: tuple[Finding, ...]
    result: ToolResult

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, in their order, each once."""
        return tuple(dict.fromkeys(found.code for found in self.findings))


def refused(call: Any, tool: str, decision: Decision, limit: int = MAX_CHARS) -> Step:
    """Return the step of a call that no tool has seen; `tool` is its tool's name, or "" for one there is not."""
    text = problems(_HEADLINES["refused"].format(tool or "The call"), decision.findings)
    return Step(tool, decision, None, decision.findings, tool_result(identity(call), text, True, limit))


def failed(call: Any, tool: str, decision: Decision, ran: Ran, limit: int = MAX_CHARS) -> Step:
    """Return the step of a call that was allowed, and of which no usable result came."""
    text = problems(_HEADLINES[ran.state].format(tool), ran.findings)
    text += f"\nThe tool said: {ran.detail}" if ran.detail else ""
    return Step(tool, decision, ran, ran.findings, tool_result(identity(call), text, True, limit))


def broken(call: Any, error: BaseException) -> Step:
    """Return the step of a call that the kit, its memory or its judge could not carry out to the end."""
    why = str(error) if isinstance(error, GateError) else type_name(type(error))
    hint = "this is no fault of your call: tell a person."
    found = finding("result.tool_error", "", f"the call could not be carried out to its end: {clip(why, 200)}.", hint)
    return failed(call, "The call", block("result", [found]), Ran("unknown", findings=(found,)))


def identity(call: Any) -> str:
    """Return the id that a call's result must carry, or `UNIDENTIFIED`.

    >>> identity({"id": "c1"}), identity({"id": None}), identity(7)
    ('c1', 'unidentified', 'unidentified')
    """
    found = call.get("id") if type(call) is dict else None
    return found if type(found) is str and is_line(found) else UNIDENTIFIED
