"""The front door: model text or a Python mapping in, one plain JSON object or one finding out.

`jiter` reads the text; whatever it refuses, `strictjson` reads again to name the fault, so that the codes are the
same with and without `jiter`. Nothing is repaired: the only thing taken off is one ```json fence around the whole.

Not here: whether the object is what a tool expects (`contract`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import islice
from types import MappingProxyType
from typing import Any

from gate import strictjson
from gate.errors import Finding, finding, quote
from gate.plain import copy_plain, is_plain, overflows, too_large
from gate.strictjson import MAX_DEPTH

_fast_json: Callable[..., Any] | None
try:
    from jiter import from_json as _fast_json
except ImportError:  # the browser build has no wheel for it
    _fast_json = None

MAX_BYTES = 262_144

Raw = str | bytes | Mapping[str, Any]

# The fence must be the whole text, its tag exactly `json`, its marks on lines of their own.
_FENCE = re.compile(r"\A[ \t\r\n]*```json[ \t]*\r?\n(|.*?\r?\n)[ \t]*```[ \t\r\n]*\Z", re.DOTALL)
_OPENS_FENCE = re.compile(r"\A[ \t\r\n]*(?:```|~~~)")


def read(raw: Raw, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> dict[str, Any] | Finding:
    """Return the one JSON object in `raw` as a fresh dict of plain types, or the `parse.*` finding. Never raises.

    `raw` is text, UTF-8 bytes, or a dict (or a read-only view of one) of exact JSON types; `max_bytes` caps it before
    anything is parsed, `max_depth` the levels of a text. The rule is RFC 8259, read strictly: each key once, finite
    numbers, whole characters.

    >>> read('{"quantity": 4}')
    {'quantity': 4}
    >>> read('{"quantity": NaN}').code
    'parse.non_finite'

    Does not catch: a well-formed object that is wrong, late or about something else.
    """
    kind = type(raw)
    if kind is bytes or kind is str:
        return _read_text(raw, max_bytes, max_depth)
    if kind is dict or kind is MappingProxyType:
        return _copy_mapping(raw, max_bytes)
    if is_plain(raw):
        return _not_object(raw)
    # A subclass of dict is refused with the rest: it can answer differently each time it is asked.
    message = f"the payload is {quote(raw)}, which is not a JSON type."
    return finding("parse.not_json", "", message, "hand in JSON text or a plain dict, no subclass of it.")


def _read_text(raw: Any, max_bytes: int, max_depth: int) -> dict[str, Any] | Finding:
    if len(raw) > max_bytes:
        return too_large(max_bytes)
    if _fast_json is not None:
        try:
            data = raw if type(raw) is bytes else raw.encode()
            value = _fast_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
            if type(value) is dict and len(data) <= max_bytes and _is_fine(value, max_depth):
                return value
        except ValueError:  # the slow reader says why
            pass
    return _read_slowly(raw, max_bytes, max_depth)


def _is_fine(value: Any, levels: int) -> bool:
    """Say whether what the fast reader made is not too deep and holds no number that overflows."""
    if levels == 0:
        return False
    for item in value.values() if type(value) is dict else value:
        kind = type(item)
        if kind is dict or kind is list:
            if not _is_fine(item, levels - 1):
                return False
        elif (kind is float or kind is int) and overflows(item):
            return False
    return True


def _read_slowly(raw: str | bytes, max_bytes: int, max_depth: int) -> dict[str, Any] | Finding:
    """Read with the standard library: names the fault of what `jiter` refused, and peels a fence."""
    text = strictjson.decode(raw) if isinstance(raw, bytes) else raw
    if isinstance(text, Finding):
        return text
    if len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        return too_large(max_bytes)
    if _OPENS_FENCE.match(text):
        peeled = _FENCE.match(text)
        if peeled is None:
            message = "the payload opens a code fence that is not one ```json block around the whole text."
            return finding("parse.fence", "", message, "send the bare JSON object, no fence.")
        text = peeled[1]
        if _OPENS_FENCE.match(text):
            return finding(
                "parse.fence",
                "",
                "the payload is a code fence inside a code fence.",
                "send the bare JSON object.",
            )
        if "\n```" in text:
            return finding(
                "parse.fence",
                "",
                "the payload holds more than one code fence.",
                "send one bare JSON object.",
            )
    value = strictjson.loads(text, max_depth=max_depth)
    if isinstance(value, Finding) or type(value) is dict:
        return value
    return _not_object(value)


def _not_object(value: Any) -> Finding:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    kind = names.get(type(value), "a number")
    hint = "send the object itself."
    if isinstance(value, str) and value.lstrip().startswith("{"):
        hint = "the object was encoded twice: send the object itself, not a string that holds it."
    return finding(
        "parse.not_object",
        "",
        f"the payload must be one JSON object, got {kind}.",
        hint,
    )


def _copy_mapping(raw: Any, max_bytes: int) -> dict[str, Any] | Finding:
    if type(raw) is MappingProxyType:
        try:
            raw = dict(islice(raw.items(), max_bytes + 1))
        except (Exception, SystemExit) as error:  # a read-only view runs the code of what it views
            message = f"the payload could not be copied ({quote(error)})."
            return finding("parse.not_json", "", message, "hand in a plain dict.")
    copied: dict[str, Any] | Finding = copy_plain(raw, max_bytes)
    return copied


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
