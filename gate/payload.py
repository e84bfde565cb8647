"""The front door: model text or a Python mapping in, one plain JSON object or one finding out.

`jiter` reads the text; whatever it refuses, `strictjson` reads again to name the fault, so that the codes are the
same with and without `jiter`. Nothing is repaired: the only thing taken off is one ```json fence around the whole.

Not here: whether the object is what a tool expects (`contract`).
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Mapping

from gate import strictjson
from gate.errors import Finding, finding, quote
from gate.strictjson import MAX_DEPTH, MAX_DIGITS

try:
    import jiter
except ImportError:  # the browser build has no wheel for it
    jiter = None  # type: ignore[assignment]

MAX_BYTES = 262_144

Raw = str | bytes | Mapping[str, Any]

# The fence must be the whole text, its tag exactly `json`, its marks on lines of their own.
_FENCE = re.compile(r"\A[ \t\r\n]*```json[ \t]*\r?\n(.*?)\r?\n[ \t]*```[ \t\r\n]*\Z", re.DOTALL)
_OPENS_FENCE = re.compile(r"\A[ \t\r\n]*(?:```|~~~)")
_LARGE_INTEGER = 10**MAX_DIGITS


def read(raw: Raw, *, max_bytes: int = MAX_BYTES) -> dict[str, Any] | Finding:
    """Return the one JSON object in `raw` as a fresh dict of plain types, or the `parse.*` finding. Never raises.

    `raw` is text, UTF-8 bytes, or a dict (or a read-only view of one) of exact JSON types; `max_bytes` caps it before
    anything is parsed. The rule is RFC 8259, read strictly: each key once, finite numbers, whole characters.

    >>> read('{"quantity": 4}')
    {'quantity': 4}
    >>> read('{"quantity": NaN}').code
    'parse.non_finite'

    Does not catch: a well-formed object that is wrong, late or about something else.
    """
    kind = type(raw)
    if kind is bytes or kind is str:
        return _read_text(raw, max_bytes)  # type: ignore[arg-type]
    if kind is dict or kind is MappingProxyType:
        return _copy_mapping(raw, max_bytes)  # type: ignore[arg-type]
    if isinstance(raw, Mapping):
        message = f"a mapping of type {quote(kind.__name__)} can answer differently each time it is asked."
        return finding("parse.not_json", "", message, "hand in a plain dict: dict(payload).")
    message = f"expected JSON text or an object, got a value of type {kind.__name__}."
    return finding("parse.not_object", "", message, "send one JSON object.")


def _read_text(raw: str | bytes, max_bytes: int) -> dict[str, Any] | Finding:
    if len(raw) > max_bytes:
        return _too_large(max_bytes)
    if jiter is not None:
        try:
            data = raw if type(raw) is bytes else raw.encode()  # type: ignore[union-attr]
            value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
        except ValueError:
            return _read_slowly(raw, max_bytes)
        if type(value) is dict and len(data) <= max_bytes and data.count(b"{") + data.count(b"[") <= MAX_DEPTH:
            # A double overflows only through an exponent or through more digits than MAX_DIGITS.
            if len(data) <= MAX_DIGITS and b"e" not in data and b"E" not in data:
                return value
            return value if _all_finite(value) else strictjson.not_finite()
    return _read_slowly(raw, max_bytes)


def _read_slowly(raw: str | bytes, max_bytes: int) -> dict[str, Any] | Finding:
    """Read with the standard library: names the fault of what `jiter` refused, and peels a fence."""
    text = strictjson.decode(raw) if isinstance(raw, bytes) else raw
    if isinstance(text, Finding):
        return text
    if len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        return _too_large(max_bytes)
    if _OPENS_FENCE.match(text):
        peeled = _FENCE.match(text)
        if peeled is None:
            message = "a code fence that is not one ```json block around the whole text."
            return finding("parse.fence", "", message, "send the bare JSON object, no fence.")
        text = peeled[1]
        if _OPENS_FENCE.match(text):
            return finding("parse.fence", "", "a code fence inside a code fence.", "send the bare JSON object.")
        if "\n```" in text:
            return finding("parse.fence", "", "more than one code fence.", "send one bare JSON object.")
    value = strictjson.loads(text)
    if isinstance(value, Finding) or type(value) is dict:
        return value
    return _not_object(value)


def _not_object(value: Any) -> Finding:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    kind = names.get(type(value), "a number")
    hint = "send the object itself."
    if isinstance(value, str) and value.lstrip().startswith("{"):
        hint = "the object was encoded twice: send the object itself, not a string that holds it."
    return finding("parse.not_object", "", f"expected one JSON object, got {kind}.", hint)


def _too_large(max_bytes: int) -> Finding:
    message = f"larger than {max_bytes} bytes; it was not parsed."
    return finding("parse.size", "", message, "send less, or ask for a narrower range.")


def _all_finite(value: Any) -> bool:
    kind = type(value)
    if kind is dict:
        return all(map(_all_finite, value.values()))
    if kind is list:
        return all(map(_all_finite, value))
    if kind is float:
        return math.isfinite(value)
    return kind is not int or -_LARGE_INTEGER < value < _LARGE_INTEGER


class _Copy:
    """Copies a Python value to plain JSON types, counting bytes and levels. Exact types only."""

    def __init__(self, max_bytes: int) -> None:
        self.left = max_bytes
        self.max_bytes = max_bytes
        self.found: Finding | None = None

    def refuse(self, found: Finding) -> None:
        self.found = self.found or found

    def of(self, value: Any, depth: int = 0) -> Any:
        kind = type(value)
        self.left -= 1
        if self.found is None and self.left < 0:
            self.refuse(_too_large(self.max_bytes))
        if self.found is not None:
            return None
        if kind is dict:
            if depth >= MAX_DEPTH:
                return self.refuse(strictjson.too_deep())
            return {self.key(key): self.of(item, depth + 1) for key, item in value.items()}
        if kind is list:
            if depth >= MAX_DEPTH:
                return self.refuse(strictjson.too_deep())
            return [self.of(item, depth + 1) for item in value]
        if kind is str:
            return self.text(value)
        if kind is float and not math.isfinite(value):
            return self.refuse(strictjson.not_finite())
        if kind is int and not -_LARGE_INTEGER < value < _LARGE_INTEGER:
            return self.refuse(strictjson.not_finite())
        if kind in (int, float, bool, type(None)):
            return value
        message = f"a Python value of type {quote(kind.__name__)} is not a JSON type."
        return self.refuse(finding("parse.not_json", "", message, "hand in dict, list, str, int, float, bool or None."))

    def key(self, key: Any) -> str:
        if type(key) is str:
            return self.text(key)
        message = f"an object key is {quote(key)}, not a string."
        self.refuse(finding("parse.not_json", "", message, "use strings for keys."))
        return ""

    def text(self, text: str) -> str:
        try:
            self.left -= len(text.encode())
        except UnicodeEncodeError:
            self.refuse(strictjson.lone_surrogate())
        return text


def _copy_mapping(raw: Mapping[str, Any], max_bytes: int) -> dict[str, Any] | Finding:
    copier = _Copy(max_bytes)
    try:
        value = copier.of(dict(raw))
    except Exception as error:  # a view over a hostile mapping runs its code; a dict may change while it is copied
        message = f"the mapping could not be copied ({type(error).__name__})."
        return finding("parse.not_json", "", message, "hand in a plain dict.")
    return copier.found or value


def exact_number(raw: Raw, key: str) -> Decimal | None:
    """Return a top-level number of an accepted payload exactly as it was written, or None if it is no number.

    Money is compared with this, never with the float: `19.000000000000001` is not 19.

    >>> exact_number('{"amount": 19.00}', "amount")
    Decimal('19.00')

    For a Python mapping the number is the shortest text of the float, which is all that is left of it.
    """
    if isinstance(raw, (str, bytes)):
        text = raw if isinstance(raw, str) else raw.decode("utf-8")
        peeled = _FENCE.match(text)
        value = strictjson.loads_exact(peeled[1] if peeled else text)
    else:
        value = dict(raw)
    number = value.get(key)
    if type(number) is Decimal:
        return number
    return Decimal(repr(number)) if type(number) in (int, float) else None
