"""What an engine reports: the fault, in one shape for both engines, and what they share of the kit's strictness.

Not here: how a fault is found (`fast`, `strict`) or put in words (`explain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple, Protocol

DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: More faults than this are not told one by one: a payload of 80,000 wrong items needs one sentence.
MAX_FAULTS = 100

#: Where a schema is no JSON Schema, and why.
Misuse = tuple[tuple[str | int, ...], str]

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


class Fault(NamedTuple):
    """One broken rule: the keyword, where it was broken, the keyword's value in the schema, and the value judged.

    `branches` holds the faults of each alternative when the keyword is anyOf or oneOf.
    """

    keyword: str
    path: tuple[str | int, ...]
    limit: Any
    value: Any
    branches: tuple[tuple[Fault, ...], ...] = ()


def first_faults(faults: Iterable[Fault]) -> list[Fault]:
    """Return the faults, of a great many only one more than `MAX_FAULTS`."""
    return list(islice(faults, MAX_FAULTS + 1))


class Engine(Protocol):
    """What judges one parsed value: no `faults` exactly when it is accepted.

    `accepts` says only that, and sooner; `skims` says the same of a value in which no float is whole or infinite, and
    may be quicker still. Of more than `MAX_FAULTS` faults, one more than that is returned.
    """

    @property
    def accepts(self) -> Callable[[Any], bool]: ...

    @property
    def skims(self) -> Callable[[Any], bool]: ...

    def faults(self, value: Any) -> list[Fault]: ...


def json_type(value: Any) -> str:
    """Return the name of a plain value's JSON type; an integer is an integer token.

    >>> json_type(4), json_type(4.0), json_type(True), json_type(None)
    ('integer', 'number', 'boolean', 'null')
    """
    return _TYPES.get(type(value), "null")


def rules(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the names of itself and of its dialect, which an engine might try to look up.

    >>> rules({"$id": "https://example.org/a", "type": "object"})
    {'type': 'object'}
    """
    return {word: value for word, value in schema.items() if word not in ("$id", "$schema")}


def is_multiple(value: Any, step: float) -> bool:
    """Say whether a number is a multiple of another as both are written, in tens; what is no number passes.

    >>> is_multiple(19.99, 0.01), is_multiple(19.999, 0.01), is_multiple(1e308, 2.5)
    (True, False, True)
    """
    if type(value) is not int and type(value) is not float:
        return True
    from fractions import Fraction  # only contracts with multipleOf pay for it

    # The doubles of 19.99 and 0.01 are no multiples, and the fast engine is wrong about large ones.
    return (Fraction(repr(value)) / Fraction(repr(step))).denominator == 1


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
