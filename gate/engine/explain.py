"""Faults in words: which field, what was wrong, what to do next.

A message never holds a value that was sent, only its type, and of a name that was sent no more than a short
escaped piece. Limits come from the contract and may be shown.

Not here: what is a fault (the engines).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from gate.engine.faults import MAX_FAULTS, Fault, json_type
from gate.errors import Finding, clip, escape, finding, quote

_CODES = {
    "additionalProperties": "unknown_field", "propertyNames": "unknown_field", "required": "missing_field",
    "type": "type", "enum": "enum", "const": "enum", "pattern": "pattern", "format": "format", "multipleOf": "range",
    "minimum": "range", "maximum": "range", "exclusiveMinimum": "range", "exclusiveMaximum": "range",
    "minLength": "length", "maxLength": "length", "minItems": "items", "maxItems": "items", "uniqueItems": "items",
    "contains": "items", "falseSchema": "items",
}  # fmt: skip

_TYPE_WORDS = {
    "string": "a string", "boolean": "a boolean", "integer": "an integer", "number": "a number", "array": "an array",
    "object": "an object", "null": "null",
}  # fmt: skip
_LIMITS = {
    "minimum": "must be at least {}", "maximum": "must be at most {}", "exclusiveMinimum": "must be greater than {}",
    "exclusiveMaximum": "must be less than {}", "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters", "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items", "minProperties": "must have at least {} fields",
    "maxProperties": "must have at most {} fields", "multipleOf": "must be a multiple of {}",
    "pattern": "must match {}", "uniqueItems": "must not hold one item twice",
    "contains": "holds too few or too many items of the kind that is counted", "falseSchema": "is one item too many",
}  # fmt: skip
_FORMAT_WORDS = {
    "line": "must be one printable line: no line end, no blank at an end, nothing invisible",
    "text": "must be printable lines: no control or invisible characters, no blank at the end of a line",
}


class Names(NamedTuple):
    """The field names a contract knows, for the hint on an unknown field: those at its root, and those below it."""

    root: list[str]
    inner: list[str]


def names_in(schema: dict[str, Any]) -> Names:
    """Return the names of a schema's fields.

    >>> names_in({"properties": {"a": {"properties": {"b": {"type": "null"}}}}})
    Names(root=['a'], inner=['b'])
    """
    root = _properties(schema)
    return Names(sorted(root), sorted(set(_all_properties({**schema, "properties": [*root.values()]}))))


def _properties(node: dict[str, Any]) -> dict[str, Any]:
    own = node.get("properties")
    return own if isinstance(own, dict) else {}


def _all_properties(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from _properties(node)
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _all_properties(part)


_NONE = Names([], [])


def explain(faults: Iterable[Fault], known: Names = _NONE) -> list[Finding]:
    """Return one finding for each fault; for a failed alternative, those of the branch that fits best.

    `known` are the names of the contract's fields, for the hint on an unknown one. Of more than `MAX_FAULTS` findings
    only their number is told: nobody mends a payload from thousands of them.
    """
    told = list(islice(_told(faults), MAX_FAULTS + 1))
    if len(told) <= MAX_FAULTS:
        return [_explain_one(fault, known) for fault in told]
    message = f"the payload breaks its contract in more than {MAX_FAULTS} places."
    return [finding("schema.other", "", message, "compare it with the contract, and send it anew.")]


def _told(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Yield what is worth telling: each fault, or in place of a failed alternative the faults of its best branch."""
    for fault in faults:
        branch = _best_branch(fault) if fault.branches else ()
        if branch:
            yield from _told(branch)
        else:
            yield fault


def _best_branch(fault: Fault) -> tuple[Fault, ...]:
    """Return the faults of the one alternative that takes a value of this type, if there is exactly one such.

    `anyOf [integer ≥ 0, null]` given -1 should say "must be at least 0", and given "4" that its type is wrong.
    """
    if not all(fault.branches):  # oneOf, and more than one of them took the value
        return ()
    fitting = [branch for branch in fault.branches if not any(_wrong_shape(item, fault) for item in branch)]
    if len(fitting) == 1:
        return fitting[0]
    wrong = [item for branch in fault.branches for item in branch if item.keyword == "type" and item.path == fault.path]
    if not fitting and wrong and len(wrong) == len(fault.branches):
        return (Fault("type", fault.path, [kind for item in wrong for kind in item.limit], fault.value),)
    return ()


def _wrong_shape(item: Fault, fault: Fault) -> bool:
    return item.path == fault.path and item.keyword in ("type", "const", "enum")


def _explain_one(fault: Fault, known: Names) -> Finding:
    keyword = fault.keyword
    code = "schema." + _CODES.get(keyword, "other")
    path = pointer(fault.path)
    name = _name(fault.path)
    if keyword == "propertyNames":
        return finding(code, path, f"no field may be named {name} here.", "use a name that the contract allows.")
    if keyword == "additionalProperties":
        return finding(code, path, f"unknown field {name}.", _unknown_hint(fault, known))
    if keyword == "required":
        return finding(code, path, f"missing field {name}.", f"send {name}; nothing is filled in for you.")
    if keyword == "type":
        return finding(
            code, path, f"{name} must be {_either(fault.limit)}, got {kind_of(fault.value)}.", _type_hint(fault)
        )
    if keyword in ("enum", "const"):
        return finding(code, path, f"{name} is not one of the allowed values.", _enum_hint(fault))
    if keyword == "format":
        words = _FORMAT_WORDS.get(fault.limit, f"must be a well-formed {fault.limit}")
        return finding(code, path, f"{name} {words}.", f"send {name} in that form.")
    if keyword in _LIMITS:
        limit = _printable(fault.limit) if keyword == "pattern" else json.dumps(fault.limit)
        hint = f"send {name} in that form." if keyword == "pattern" else f"send {name} within that limit."
        return finding(code, path, f"{name} {_LIMITS[keyword].format(limit)}.", hint)
    if keyword == "oneOf" and not all(fault.branches):
        return finding(code, path, f"{name} fits more than one of the forms.", "send what fits exactly one.")
    return finding(code, path, f"{name} fits none of the allowed forms.", "compare it with the contract.")


def pointer(path: Iterable[str | int]) -> str:
    """Return a JSON Pointer; names that were sent are escaped to ASCII and cut short.

    >>> pointer(("items", 0, "a/b"))
    '/items/0/a~1b'
    """
    return "".join("/" + clip(_escaped(part).replace("~", "~0").replace("/", "~1"), 60) for part in path)


def _escaped(part: str | int) -> str:
    return escape(part) if isinstance(part, str) else str(part)


def _name(path: tuple[str | int, ...]) -> str:
    """Return the field as a reader would say it: `quantity`, `items[2].sku`, `the payload`."""
    out = ""
    for part in path:
        shown = _escaped(part) if isinstance(part, int) or part.isidentifier() and part.isascii() else quote(part)
        out += f"[{shown}]" if isinstance(part, int) else f".{shown}" if out else shown
    return clip(out, 120) or "the payload"


def kind_of(value: Any) -> str:
    """Return the JSON type of a value with its article: `a string`, `null`."""
    return _TYPE_WORDS[json_type(value)]


def _printable(pattern: str) -> str:
    """Return a pattern as it is written, but for what would not print."""
    return "".join(char if " " <= char <= "~" else escape(char) for char in pattern)


def _either(types: list[str]) -> str:
    return " or ".join(_TYPE_WORDS[kind] for kind in sorted(set(types)))


def _type_hint(fault: Fault) -> str:
    value = fault.value
    if isinstance(value, str) and value[:1] in ("{", "[") and ("object" in fault.limit or "array" in fault.limit):
        return "this is a string that holds JSON: send the object itself."
    if isinstance(value, float) and "integer" in fault.limit:
        return "write it without a fraction or exponent: 4, not 4.0; nothing is rounded."
    if isinstance(value, str) and ("integer" in fault.limit or "number" in fault.limit):
        return 'send a bare number: 4, not "4"; nothing is converted.'
    return f"send {_either(fault.limit)}; nothing is converted."


def _enum_hint(fault: Fault) -> str:
    allowed = [fault.limit] if fault.keyword == "const" else fault.limit
    listed = ", ".join(json.dumps(item, sort_keys=True) for item in allowed)
    return f"send one of {clip(listed, 200)}, spelt exactly so."


def _unknown_hint(fault: Fault, known: Names) -> str:
    at_root = len(fault.path) == 1
    near = difflib.get_close_matches(str(fault.path[-1])[:60], known.root if at_root else known.inner, n=1)
    if near:
        return f"remove it, or send {escape(near[0])} if that is what you mean."
    listed = known.root if at_root else []  # below the root, names of other objects would mislead
    return "remove it; allowed: " + escape(", ".join(listed), 200) + "." if listed else "remove it."
