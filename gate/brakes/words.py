"""What the fence says: its refusals in words, the payload as the audit log may show it, and the answer of a call.

Not here: when something is said (`fence`, `brakes`).
"""

from __future__ import annotations

import json
from typing import Any

from gate.brakes.rules import Verdict
from gate.decision import Decision, block
from gate.errors import Finding, finding, quote

_SAME_KEY = "send this call again with the same key, never with a fresh one."
_REASONS = {
    "fence.duplicate": ("", "this call was made before.", "use its first result; nothing runs again."),
    "fence.key_reused": ("/idempotency_key", "this key belongs to another payload.", "make one key for each intent."),
    "fence.in_progress": ("", "a mutation still runs, and one runs at a time.", f"wait, then {_SAME_KEY}"),
    "fence.unknown_outcome": ("", "nobody knows whether this took effect.", _SAME_KEY),
    "fence.budget_exhausted": ("", "the run has spent its budget of mutations.", "stop and page a person."),
    "fence.second_create": ("/action", "this was created before.", "add a comment instead."),
    "fence.tool_failed": ("", "the tool failed; nothing happened.", _SAME_KEY),
    "fence.timeout": ("", "the tool did not end in time.", f"wait, then {_SAME_KEY}"),
    "fence.unavailable": ("", "the ledger cannot be used.", "stop and page a person; nothing runs without it."),
}
_SHOWN = 300


def reason(code: str, detail: str = "", other: str = "") -> Finding:
    """Return the finding for a `fence.*` code; `detail` is what exactly was wrong, `other` the key in the way.

    >>> reason("fence.second_create", other="k-00000001").message
    'this was created before. The other key is "k-00000001".'
    """
    path, message, hint = _REASONS[code]
    about = f" The other key is {quote(other, 130)}." if other else ""
    return finding(code, path, f"{message}{about}{' ' + detail if detail else ''}", hint)


def too_large(limit: int) -> Decision:
    """Return the refusal of a payload that is larger than the run allows, though the contract might take it."""
    message = f"the payload is larger than the {limit} bytes that this run allows."
    return block("parse", [finding("parse.size", "", message, "send less.")], ("schema",))


def shown(payload: Any, codes: tuple[str, ...]) -> str:
    """Return a refused payload as the audit log keeps it: its beginning, escaped to printable ASCII.

    >>> shown('{"a": "\\x1b[2J"}', ())
    '"{\\\\"a\\\\": \\\\"\\\\u001b[2J\\\\"}"'
    """
    if "parse.size" in codes:
        return "too large to show"
    if type(payload) is bytes:
        payload = payload[:_SHOWN].decode("utf-8", "backslashreplace")
    elif type(payload) is dict:
        try:
            payload = json.dumps(payload, default=quote)
        except (TypeError, ValueError, RecursionError):  # keys that are no strings, a loop, too deep
            return "an object that is not JSON"
    return quote(payload, _SHOWN)


def answer(
    state: str,
    findings: list[Finding],
    *,
    key: str | None = None,
    result: dict[str, Any] | None = None,
    verdict: Verdict | None = None,
    budget: int,
    wall_ms: int = 0,
) -> dict[str, Any]:
    """Return what `ToolFence.run` returns: plain JSON types, the same keys on every path; `ok` when a result stands."""
    return {
        "ok": result is not None,
        "outcome": "block" if result is None else "allow",
        "state": state,
        "key": key,
        "result": result,
        "replayed": result is not None and verdict is not None and verdict.act == "replay",
        "findings": [found._asdict() for found in findings],
        "used": None if verdict is None else verdict.used,
        "budget": budget,
        "wall_ms": wall_ms,
    }
