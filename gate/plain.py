"""Copies a Python value to plain JSON types before it is judged: what was judged is what is used.

Exact types only: a subclass of dict, str or int can answer differently each time it is asked, a Decimal or a tuple
is no JSON type, and nothing is converted.

Not here: text (`payload` parses it, `strictjson` names its faults).
"""

from __future__ import annotations

import math
from typing import Any

from gate import strictjson
from gate.errors import Finding, escape, finding, quote
from gate.strictjson import MAX_DEPTH, MAX_DIGITS, Refused

_LARGE = 10**MAX_DIGITS


def is_plain(value: Any) -> bool:
    """Say whether a value is of exactly one of the types that JSON has; what is inside is not looked at.

    By identity, because the type of a hostile value's type may have an `==` of its own.

    >>> is_plain([]), is_plain(()), is_plain(None)
    (True, False, True)
    """
    kind = type(value)
    return any(kind is plain for plain in (dict, list, str, int, float, bool, type(None)))


def overflows(value: float) -> bool:
    """Say whether a number is not finite, or too large for a double.

    >>> overflows(float("inf")), overflows(10**400), overflows(4)
    (True, True, False)
    """
    return not math.isfinite(value) if type(value) is float else not -_LARGE < value < _LARGE


def too_large(max_bytes: int) -> Finding:
    """Return the finding for a payload beyond the cap."""
    message = f"the payload is larger than {max_bytes} bytes; it was not parsed."
    return finding("parse.size", "", message, "send less, or ask for a narrower range.")


def copy_plain(value: Any, max_bytes: int) -> Any | Finding:
    """Return a deep copy of `value` in exact JSON types, or the `parse.*` finding that says why there is none.

    `max_bytes` caps names and texts, in bytes of UTF-8, with one more for every value. Never raises.

    >>> copy_plain({"at": (1, 2)}, 100).code
    'parse.not_json'
    """
    try:
        return _Copier(max_bytes).copy(value, 0)
    except Refused as refused:
        return refused.found
    except RuntimeError:
        message = "the payload was changed while it was copied."
        return finding("parse.not_json", "", message, "hand in a plain dict that nobody else changes.")


def sketch(value: Any, max_bytes: int) -> Any:
    """Return a refused value as far as it is JSON, the rest of it named by its type, to be looked at. Never raises.

    >>> sketch({"at": (1, 2), "n": 4}, 100)
    {'at': 'a value of type tuple', 'n': 4}
    """
    try:
        return _Sketcher(max_bytes).copy(value, 0)
    except RuntimeError:  # it was changed meanwhile
        return quote(value)


class _Copier:
    """Copies depth first and counts what it copies, so that a large value is given up early."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._left = max_bytes

    def copy(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return self._text(value)
        self._spend(1)
        if kind is dict or kind is list:
            if depth >= MAX_DEPTH:
                raise Refused(strictjson.too_deep())
            if kind is list:
                return [self.copy(item, depth + 1) for item in value]
            return {self._key(key): self.copy(item, depth + 1) for key, item in value.items()}
        if not is_plain(value):
            message = f"the payload holds {quote(value)}, which is not a JSON type."
            hint = "hand in dict, list, str, int, float, bool or None, and no subclass of them."
            raise Refused(finding("parse.not_json", "", message, hint))
        if value is not None and overflows(value):
            raise Refused(strictjson.not_finite())
        return value

    def _key(self, key: Any) -> str:
        if type(key) is not str:
            message = f"the payload has a key that is no string but {quote(key)}."
            raise Refused(finding("parse.not_json", "", message, "use strings for keys."))
        return self._text(key)

    def _text(self, text: str) -> str:
        try:
            self._spend(1 + len(text.encode()))
        except UnicodeEncodeError:
            raise Refused(strictjson.lone_surrogate()) from None
        return text

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise Refused(too_large(self._max_bytes))


class _Sketcher(_Copier):
    """Copies what can be copied and goes on where the copier gives up."""

    def copy(self, value: Any, depth: int) -> Any:
        try:
            return super().copy(value, depth)
        except Refused:
            return value if type(value) is float else quote(value)

    def _key(self, key: Any) -> str:
        try:
            return super()._key(key)
        except Refused:
            return escape(key, 40) if type(key) is str else quote(key)
