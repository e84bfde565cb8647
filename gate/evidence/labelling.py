"""Labelling a payload: what must be kept out of a fixture, and whether a person's label and the contracts agree.

Not here: where the payload comes from (`pickup`), and its file (`adding`).
"""

from __future__ import annotations

import json
from typing import Any

from gate.decision import Decision
from gate.evidence.fixtures import Fixture
from gate.wrapping.redact import redact

_HIDDEN = "[redacted]"


def without_secrets(payload: dict[str, Any] | str) -> dict[str, Any] | str:
    """Return a payload in which what looks like a secret is replaced: by its name, or by its form.

    >>> without_secrets({"token": "abc", "note": "Authorization: Bearer abcdef123456"})
    {'token': '[redacted]', 'note': 'Authorization: [redacted]'}
    """
    if isinstance(payload, str):
        return redact(payload)
    return {name: _without(item, name) for name, item in payload.items()}


def _without(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, name) for item in value]
    if not isinstance(value, str):
        return value
    named = redact(f"{json.dumps(name)}: {json.dumps(value)}")
    return _HIDDEN if named.endswith(f": {_HIDDEN}") else redact(value)


def disagreement(fixture: Fixture, decision: Decision) -> str:
    """Return in words how a person's label and the contract differ, and what to do; "" where they agree.

    A right label that contradicts the contract is a reason to change the contract, not to keep a test that fails.
    """
    said = "allow" if decision else "block"
    if fixture.label == said:
        return ""
    name = f"{fixture.tool}.{fixture.side}"
    why = f" for {', '.join(decision.codes)}" if decision.codes else ""
    return (
        f"you say {fixture.label}, the contract says {said}{why}. Next: if you are right, change the contract with it: "
        f"edit {name}.schema.json, see what moves (gate contract diff OLD NEW), gate contract freeze --bump {name}, "
        "then add it again."
    )
