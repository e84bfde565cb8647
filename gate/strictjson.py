"""A strict JSON reader on the standard library alone: it names the fault, and stands in where `jiter` is missing.

Refuses what `json.loads` lets through: duplicate keys, NaN and Infinity, numbers too large to be finite, lone
surrogates, nesting deeper than the cap, text after the value, a byte order mark.

Not here: size, fences and what the value must look like (`payload`, `contract`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any, NoReturn

from gate.errors import Finding, finding, quote

MAX_DEPTH = 32
MAX_DIGITS = 308  # an integer of more digits overflows a double, so that two readers could disagree about it

_WHITESPACE = " \t\r\n"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Refused(Exception):
    """Carries a finding out of nested reading; it never leaves the front door."""

    def __init__(self, found: Finding) -> None:
        self.found = found


def _refuse(reason: str, message: str, hint: str) -> NoReturn:
    raise Refused(finding(f"parse.{reason}", "", message, hint))


def too_deep() -> Finding:
    """Return the finding for nesting beyond `MAX_DEPTH` levels."""
    return finding("parse.depth", "", f"the payload nests deeper than {MAX_DEPTH} levels.", "send a flatter object.")


def not_finite() -> Finding:
    """Return the finding for NaN, Infinity and numbers that overflow to them."""
    return finding(
        "parse.non_finite",
        "",
        "the payload holds NaN, Infinity or a number too large to be finite.",
        "send an ordinary number.",
    )


def lone_surrogate() -> Finding:
    """Return the finding for half of a surrogate pair, which cannot be written as UTF-8."""
    return finding(
        "parse.encoding",
        "",
        "the payload holds half of a surrogate pair.",
        "send whole characters; an emoji needs both halves.",
    )


def depth_of(text: str) -> int:
    """Return how deep brackets nest in JSON text, brackets inside strings not counted.

    >>> depth_of('{"a": ["]]]"]}')
    2
    """
    deepest = depth = 0
    for char in _STRING.sub("", text):
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        _refuse("duplicate_key", f"the key {quote(twice)} stands twice in one object.", "send each key once.")
    return value


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise Refused(not_finite())
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise Refused(not_finite())
    return number


def _constant(_: str) -> NoReturn:
    raise Refused(not_finite())


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant, strict=True
)


def decode(raw: bytes) -> str | Finding:
    """Return UTF-8 bytes as text, or the `parse.encoding` finding for bad bytes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return finding(
            "parse.encoding", "", f"byte {error.start} is not valid UTF-8.", "send the text encoded as UTF-8."
        )


def loads(text: str, *, max_depth: int = MAX_DEPTH) -> Any | Finding:
    """Return the one JSON value in `text`, or the `Finding` that says why there is none. Never raises.

    >>> loads('{"a": 1, "a": 2}').code
    'parse.duplicate_key'
    """
    if text.startswith("\ufeff"):
        return finding("parse.encoding", "", "the payload starts with a byte order mark.", "send UTF-8 without a mark.")
    start = len(text) - len(text.lstrip(_WHITESPACE))
    if start == len(text):
        return finding(
            "parse.empty", "", "the payload is empty.", "send one JSON object; {} if there is nothing to say."
        )
    if depth_of(text) > max_depth:
        return too_deep()
    try:
        value, end = _DECODER.raw_decode(text, start)
        if text[end:].strip(_WHITESPACE):
            _refuse(
                "trailing", f"text follows the JSON value at character {end}.", "send the JSON value and nothing else."
            )
    except Refused as refused:
        return refused.found
    except json.JSONDecodeError as error:
        return finding(
            "parse.not_json", "", f"not JSON at line {error.lineno} column {error.colno}: {_said(error)}.",
            "send one complete JSON object in double quotes, no prose and no comments.",
        )  # fmt: skip
    return lone_surrogate() if _SURROGATE.search(json.dumps(value, ensure_ascii=False)) else value


def loads_exact(text: str) -> Any:
    """Return accepted JSON text with every fraction as a `Decimal` that keeps its digits.

    Only for text that `loads` has accepted: it raises what `json.loads` raises.

    >>> loads_exact('{"amount": 19.000000000000001}')["amount"]
    Decimal('19.000000000000001')
    """
    return json.loads(text, parse_float=Decimal)


def _said(error: json.JSONDecodeError) -> str:
    """Return what the reader said, without the words that its own place would follow."""
    return error.msg.removesuffix(" at").removesuffix(" starting")
