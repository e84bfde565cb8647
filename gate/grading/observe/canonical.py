"""One text for one value: JSON with sorted keys, exact types, and a mark where a value is no JSON.

Not here: what a value means.
"""

from __future__ import annotations

import json
import math
from typing import Any

MAX_CHARS = 60_000  # of one observation
_DEPTH = 40


def canonical(value: Any) -> str:
    """Return a value as one line of JSON. `4`, `4.0` and `true` differ; the order of keys does not matter.

    >>> canonical({"b": (1, 2), "a": 4.0})
    '{"a": 4.0, "b": {"no JSON": "tuple"}}'
    """
    text = json.dumps(_plain(value, _DEPTH), sort_keys=True)
    return text if len(text) <= MAX_CHARS else json.dumps({"too long": len(text)})


def _plain(value: Any, depth: int) -> Any:
    """Return a copy of exact JSON types only."""
    kind = type(value)
    if value is None or kind in (bool, int):
        return value
    if kind is str:
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if kind is float:
        return value if math.isfinite(value) else {"no JSON": repr(value)}
    if depth and kind is list:
        return [_plain(item, depth - 1) for item in value]
    if depth and kind is dict and all(type(key) is str for key in value):
        return {key: _plain(item, depth - 1) for key, item in value.items()}
    return {"no JSON": kind.__name__ if depth else "too deep"}
