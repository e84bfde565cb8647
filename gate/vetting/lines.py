"""The line to write instead: for each thing that vetting refuses or misses, the JSON that mends it.

A hint reads `write "maxLength": 200, or …` or `drop "default": 3`. Numbers in it are a proposal: what bounds a value
is a decision about the tool, and nobody makes it for its owner.

Not here: writing anything into a schema.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterable
from typing import Any

from gate.errors import clip
from gate.vetting.shapes import as_list, as_object, has_names, is_limit

_LONGEST, _MOST_ITEMS, _MOST_FIELDS, _GREATEST = 200, 100, 20, 1_000_000
_NAMES = {"pattern": "^[A-Za-z0-9_-]{1,64}$"}
_TEXT = {"type": "string", "maxLength": _LONGEST}
_SHOWN = 240
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
#: Keywords that other languages have, and what a contract calls them; `min` and `max` depend on the type.
_MEANT = {"list": "enum", "values": "enum", "options": "enum", "regex": "pattern"}
#: Keywords that are on or off, and what a contract wants of them: who thinks in JSON soon writes "false" in Python.
_SWITCHES = {"additionalProperties": False, "uniqueItems": True}
_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}


def write(put: dict[str, Any], otherwise: str = "") -> str:
    """Return the hint to write some keywords.

    >>> write({"maxLength": 200}, "the longest real one")
    'write "maxLength": 200, or the longest real one.'
    """
    line = json.dumps(put, ensure_ascii=True)[1:-1]
    return f"write {clip(line, _SHOWN)}{', or ' + otherwise if otherwise else ''}."


def drop(word: str, value: Any, otherwise: str = "") -> str:
    """Return the hint to drop a keyword.

    >>> drop("default", 3)
    'drop "default": 3.'
    """
    line = json.dumps({word: value}, ensure_ascii=True)[1:-1]
    return f"drop {clip(line, _SHOWN)}{', or ' + otherwise if otherwise else ''}."


def root(schema: dict[str, Any]) -> str:
    """Return the hint for a contract whose root does not say that it is an object."""
    if "$ref" in schema:
        return f"write out here what {clip(json.dumps(schema['$ref']), 80)} points at."
    return write({"type": "object"})


def misuse(schema: dict[str, Any], steps: tuple[str | int, ...]) -> str:
    """Return the hint for a place where a schema is no JSON Schema: what older drafts, or a slip, meant by it.

    >>> misuse({"properties": {"n": {"type": "int"}}}, ("properties", "n", "type"))
    'write "type": "integer".'
    >>> misuse({"maximum": 9, "exclusiveMaximum": True}, ("exclusiveMaximum",))
    'write "exclusiveMaximum": 9, and drop "maximum".'
    """
    around: Any = schema
    for step in steps[:-1]:
        around = around[step]
    if not steps or not isinstance(around, dict):
        return "correct it."
    word, value = str(steps[-1]), around[steps[-1]]
    bound = around.get(word.removeprefix("exclusive").lower())
    if word == "type" and isinstance(value, str):
        near = difflib.get_close_matches(value.casefold(), _TYPES, n=1, cutoff=0.5)
        return write({"type": near[0]}) if near else f"use one of {', '.join(_TYPES)}."
    if word == "items" and isinstance(value, list):
        return write({"prefixItems": value, "items": False})
    if word.startswith("exclusive") and value is True and type(bound) in (int, float):
        return f'{write({word: bound})[:-1]}, and drop "{word.removeprefix("exclusive").lower()}".'
    if word == "required" and isinstance(value, str):
        return write({word: [value]})
    if word == "required" and value is True and len(steps) == 1 and isinstance(around.get("properties"), dict):
        return write({word: list(around["properties"])})
    if word in _SWITCHES and isinstance(value, str):
        return write({word: _SWITCHES[word]})
    if word == "required" and isinstance(value, bool):
        return drop(word, value, 'name the field in "required" of the object around it')
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return write({word: int(value[:9])})
    return drop(word, value, "write what it takes")


def keyword(node: dict[str, Any], word: str, known: Collection[str]) -> str:
    """Return the hint for an unknown keyword of a node: the one that was probably meant, or to drop it.

    >>> keyword({"maximun": 5}, "maximun", {"maximum", "minimum"})
    'write "maximum": 5.'
    >>> keyword({"type": "string", "min": 5}, "min", {"maxLength", "minLength", "minimum"})
    'write "minLength": 5.'
    """
    if word == "nullable" and node[word] is True and isinstance(node.get("type"), str):
        return f'{write({"type": [node["type"], "null"]})[:-1]}, and drop "nullable".'
    near = difflib.get_close_matches(_meant(node, word).casefold(), sorted(known), n=1, cutoff=0.8)
    if near and near[0] not in node:
        return write({near[0]: node[word]})
    return drop(word, node[word], "say it with a keyword that is checked")


def _meant(node: dict[str, Any], word: str) -> str:
    if word in ("min", "max"):
        return word + _SIZES.get(str(node.get("type")), "imum")
    return _MEANT.get(word, word)


def shape(node: Any) -> str:
    """Return the hint for a node that does not say what it is."""
    if not isinstance(node, dict):
        return f"write {json.dumps(_TEXT)}, or what it is."
    words = {"properties": "object", "items": "array", "minimum": "number", "maximum": "number"}
    kind = next((kind for word, kind in words.items() if word in node), "string")
    return write({"type": kind}, "what it is")


def closing(node: dict[str, Any]) -> str:
    """Return the hint for an open object: closed, or, where it is a map, bounded."""
    if not isinstance(node.get("additionalProperties"), dict) or not node["additionalProperties"]:
        return write({"additionalProperties": False})
    names = {} if has_names(node) else {"propertyNames": _NAMES}
    size = {} if "maxProperties" in node else {"maxProperties": _MOST_FIELDS}
    return write(names | size, "what this map really holds")


def required(node: dict[str, Any], names: Collection[str]) -> str:
    """Return the hint for `required` (or `dependentRequired`) that names what is no property."""
    listed = as_list(node.get("required"))
    if any(name not in names for name in listed):
        return write({"required": [name for name in listed if name in names]}, "add the property")
    parts = as_object(node.get("dependentRequired"))
    kept = {name: [other for other in as_list(part) if other in names] for name, part in parts.items()}
    return write({"dependentRequired": kept}, "add the property")


def items(node: dict[str, Any]) -> str:
    """Return the hint for an array of anything."""
    return write({"items": False}) if "prefixItems" in node else write({"items": _TEXT}, "what they are")


def most_items(node: dict[str, Any]) -> str:
    """Return the hint for an array of any length."""
    return write({"maxItems": max(_MOST_ITEMS, _number(node.get("minItems")))}, "the most there can be")


def longest(node: dict[str, Any]) -> str:
    """Return the hint for a string of any length."""
    return write({"maxLength": max(_LONGEST, _number(node.get("minLength")))}, "the longest real one")


def ends(node: dict[str, Any]) -> str:
    """Return the hint for a number without a least or a greatest value.

    >>> ends({"type": "integer", "minimum": 1})
    'write "maximum": 1000000, or the least and the greatest real value.'
    """
    low = [node[word] for word in ("minimum", "exclusiveMinimum") if is_limit(node.get(word))]
    high = [node[word] for word in ("maximum", "exclusiveMaximum") if is_limit(node.get(word))]
    put = {} if low else {"minimum": min([0, *(int(number) - 1 for number in high)])}
    put |= {} if high else {"maximum": max([_GREATEST, *(int(number) + 1 for number in low)])}
    return write(put, "the least and the greatest real value")


def anchored(pattern: str) -> str:
    """Return the hint for a pattern that is found anywhere in a string.

    >>> anchored("[a-z]+"), anchored("^/")
    ('write "pattern": "^[a-z]+$".', 'write "pattern": "^/.*$".')
    """
    if "|" in pattern:
        return write({"pattern": f"^(?:{pattern})$"})
    begun, ended = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    body = pattern[begun : len(pattern) - ended]
    return write({"pattern": f"^{'.*' if ended and not begun else ''}{body}{'.*' if begun and not ended else ''}$"})


def format_name(name: Any, known: Iterable[str]) -> str:
    """Return the hint for a format that nobody checks."""
    near = difflib.get_close_matches(str(name).casefold(), known, n=1)
    return write({"format": near[0]}) if near else drop("format", name, f"use one of {', '.join(sorted(known))}")


def _number(value: Any) -> int:
    return value if type(value) is int else 0
