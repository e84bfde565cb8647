"""What a tool gave back, judged: did it fail, does its contract accept it, is it about what was asked?

Not here: keeping it (`memory`) and telling the model (`envelope`).
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from gate.brakes.outcomes import FLAGS, told
from gate.calls.running import Ran, failed, said
from gate.contract import Contract
from gate.errors import Finding, finding, quote
from gate.wrapping.blocks import words


class Accepted(NamedTuple):
    """A result that may be used: `value` is the copy that was judged, `content` what the model is shown."""

    value: Any
    content: Any


def judge_return(
    name: str, ran: Ran, contract: Contract | None, arguments: dict[str, Any], echo: tuple[str, ...]
) -> Accepted | Ran:
    """Return the result that may be used, or `ran` again with the findings that refuse it.

    With a contract the model is shown the judged value, and pictures and documents beside it, never text that no
    contract has seen. Without one, what the tool returned. A result that says it failed is an error either way.

    >>> judge_return("count", Ran("returned", {"ok": False}), None, {}, ()).findings[0].code
    'result.tool_error'

    Does not catch: an untrue result about the right thing; a failure told in words that the contract accepts.
    """
    failure = _failure(name, ran.value, contract)
    if failure is not None:
        return failure
    if contract is None:
        return Accepted(ran.value, ran.content or ran.value)
    decision = contract.judge(payload(ran))
    if decision.value is None:
        return ran._replace(findings=decision.findings)
    strays = tuple(_stray(name, field) for field in echo if not _echoes(field, arguments, decision.value))
    if strays:
        return ran._replace(findings=strays)
    pictures = [block for block in ran.content or () if words(block) is None]
    shown = [{"type": "text", "text": said(decision.value)}, *pictures] if pictures else decision.value
    return Accepted(decision.value, shown)


def payload(ran: Ran) -> Any:
    """Return what the contract judges: the value or, where a server sent only one text, that text."""
    texts = [words(block) for block in ran.content or () if words(block) is not None]
    return texts[0] if ran.value is None and len(texts) == 1 else ran.value


def _failure(name: str, value: Any, contract: Contract | None) -> Ran | None:
    """Return the failure that a result tells of itself. What its contract declares is the contract's business."""
    if type(value) is not dict:
        return None
    declared = contract.schema.get("properties", {}) if contract else {}
    own = {key: item for key, item in value.items() if key in FLAGS or key not in declared}
    if told(own).state == "applied":
        return None
    return failed(f"{name} says that it failed.", said(value))


def _echoes(field: str, arguments: dict[str, Any], value: dict[str, Any]) -> bool:
    """Say whether a field came back as it was sent. As JSON text, so that 1, 1.0 and true differ."""
    return field not in arguments or json.dumps(arguments[field]) == json.dumps(value[field])


def _stray(name: str, field: str) -> Finding:
    message = f"{name} answered about another {quote(field)[1:-1]} than was asked."
    hint = "do not use this answer for the question; ask again or tell a person."
    return finding("result.echo_mismatch", f"/{field}", message, hint)
