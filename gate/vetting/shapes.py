"""What a schema node is: what types it names, whether it has a shape of its own, whether it is closed.

Not here: what is wrong with it (`gate.vet`).
"""

from __future__ import annotations

import json
from typing import Any

from gate.engine import patterns

_SHAPES = ("type", "enum", "const", "$ref", "anyOf", "oneOf")


def is_limit(value: Any) -> bool:
    """Say whether a number bounds anything; one of 300 digits leaves room for numbers that overflow."""
    return isinstance(value, int | float) and abs(value) < 1e300


def is_shaped(node: Any) -> bool:
    """Say whether a node says by itself what passes, be it through `allOf`.

    >>> is_shaped({"allOf": [{"type": "null"}]}), is_shaped({"maxLength": 3})
    (True, False)
    """
    return isinstance(node, dict) and (
        any(word in node for word in _SHAPES) or any(map(is_shaped, as_list(node.get("allOf"))))
    )


def is_closed(node: dict[str, Any]) -> bool:
    """Say whether an object takes no unknown field, or is a map that is constrained."""
    return node.get("additionalProperties") is False or is_map(node)


def is_map(node: dict[str, Any]) -> bool:
    """Say whether an object is a map whose names, values and size are all constrained."""
    return isinstance(node.get("additionalProperties"), dict) and has_names(node) and "maxProperties" in node


def has_names(node: dict[str, Any]) -> bool:
    """Say whether the names of a map are constrained."""
    names = node.get("propertyNames")
    return isinstance(names, dict) and bool(names.keys() & {"pattern", "enum", "format", "maxLength"})


def types(node: dict[str, Any]) -> set[str]:
    """Return the types that a node names."""
    kind = node.get("type", [])
    return {kind} if isinstance(kind, str) else {item for item in as_list(kind) if isinstance(item, str)}


def as_object(value: Any) -> dict[str, Any]:
    """Return an object as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and anything else as an empty one."""
    return value if isinstance(value, list) else []


def is_bounded_text(node: dict[str, Any], formats: frozenset[str]) -> bool:
    """Say whether a string has a greatest length: by `maxLength`, one of these `formats`, or its pattern."""
    name = node.get("format")
    by_format = isinstance(name, str) and name in formats
    return "maxLength" in node or by_format or _has_fixed_length(node.get("pattern"))


def _has_fixed_length(pattern: Any) -> bool:
    """Say whether an anchored pattern bounds the length by itself: it repeats nothing without end."""
    if not isinstance(pattern, str) or not patterns.is_anchored(pattern):
        return False
    return not any(mark in json.dumps(pattern) for mark in ("*", "+", ",}"))
