"""The limits of a run, `data/limits.json`, read once at start. A missing, malformed or odd limit refuses to start.

Not here: keeping them. The fence keeps mutations, wall clock, actions and bytes, the harness repairs, the envelope the
length of a result.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.errors import ConfigError
from gate.files import locate, read_json
from gate.payload import MAX_BYTES

_BOUNDS = {
    "max_mutations": (0, 10_000),
    "max_wall_ms": (1, 600_000),
    "max_repairs": (0, 10),
    "max_result_chars": (200, 1_000_000),
    "max_payload_bytes": (64, MAX_BYTES),
}
_ACTIONS = {
    "type": "array", "minItems": 1, "maxItems": 64, "uniqueItems": True,
    "items": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
}  # fmt: skip
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": [*_BOUNDS, "allowed_actions"],
    "properties": {"allowed_actions": _ACTIONS}
    | {name: {"type": "integer", "minimum": low, "maximum": high} for name, (low, high) in _BOUNDS.items()},
}


class Limits(NamedTuple):
    """What one run may do. `max_mutations` is its budget of side effects, `max_wall_ms` the time for one call."""

    max_mutations: int
    max_wall_ms: int
    allowed_actions: tuple[str, ...]
    max_repairs: int
    max_result_chars: int
    max_payload_bytes: int


def load_limits(path: str | os.PathLike[str] = "data/limits.json") -> Limits:
    """Return the limits in a file.

    Raises `ConfigError` in one line naming the file and the first field that is wrong: NaN, -1, true, "3", 3.0, a
    missing or unknown limit, an action twice.

    >>> load_limits().max_mutations
    3

    Does not catch: a limit that is in range but unwise, or an action the tool does not have (the fence refuses that).
    """
    return limits_from(read_json(locate(path)), str(path))


def limits_from(value: Any, source: str = "limits") -> Limits:
    """Return the limits in a plain object, vetted as those of a file are; `source` names it in the error."""
    decision = Contract.from_schema(_SCHEMA, tool="limits").judge(value)
    if decision.value is None:
        raise ConfigError(f"{source}: {decision.findings[0]}", decision.findings)
    fields = decision.value | {"allowed_actions": tuple(decision.value["allowed_actions"])}
    return Limits(**fields)
