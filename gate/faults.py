"""What an engine reports: the fault, in one shape for both engines, and what they share of the kit's strictness.

Not here: how a fault is found (`fast_engine`, `strict_engine`) or put in words (`explain`).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Fault(NamedTuple):
    """One broken rule: the keyword, where it was broken, the keyword's value in the schema, and the value judged.

    `branches` holds the faults of each alternative when the keyword is anyOf or oneOf.
    """

    keyword: str
    path: tuple[str | int, ...]
    limit: Any
    value: Any
    branches: tuple[tuple[Fault, ...], ...] = ()


class Engine(Protocol):
    """What judges one parsed value. `accepts` and `faults` agree: no faults exactly when the value is accepted."""

    def accepts(self, value: Any) -> bool: ...

    def faults(self, value: Any) -> list[Fault]: ...


def same(left: Any, right: Any) -> bool:
    """Say whether two JSON values are the same token for token: true is not 1, and 1.0 is not 1.

    >>> same([1], [1.0]), same({"a": 1}, {"a": 1})
    (False, True)
    """
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def has_whole_float(value: Any) -> bool:
    """Say whether a float that is whole (4.0) or infinite stands anywhere in a value.

    The fast engine takes the first for an integer and the second for null, so such values get a closer look.
    """
    for item in value.values() if type(value) is dict else value:
        kind = type(item)
        if kind is float:
            if item.is_integer() or item - item != 0:
                return True
        elif (kind is dict or kind is list) and has_whole_float(item):
            return True
    return False


def wants_exact_numbers(schema: Any) -> bool:
    """Say whether a schema anywhere tells 4 from 4.0: an integer, a number in an enum or const, or a null."""
    if isinstance(schema, list):
        return any(map(wants_exact_numbers, schema))
    if not isinstance(schema, dict):
        return False
    kinds = schema.get("type", ())
    listed = repr(schema.get("enum")) + repr(schema.get("const"))
    if "integer" in kinds or "null" in kinds or any(letter.isdigit() for letter in listed):
        return True
    return any(map(wants_exact_numbers, schema.values()))
