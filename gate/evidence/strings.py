"""Strings that fit a schema node, at both ends of what it allows: the shortest, the longest, and some between.

The same seed gives the same strings on every machine. Not here: strings that do not fit (`nearmiss`).
"""

from __future__ import annotations

import importlib
import random
import re
import string
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from gate.engine.formats import FORMATS
from gate.engine.patterns import to_python

_parser: Any = importlib.import_module("re._parser")  # the standard library shows a pattern's tree nowhere else

LONGEST = 256  # where nothing bounds a string
_MOST = 4096  # repetitions of one piece
_PRINTABLE = string.digits + string.ascii_letters + string.punctuation + " "
_WORD = string.ascii_letters + string.digits + "_"
_CATEGORIES = {"CATEGORY_DIGIT": string.digits, "CATEGORY_WORD": _WORD, "CATEGORY_SPACE": " "}
_SEEDS = {
    "line": ["damaged on delivery", "Ünïcode ☃ 日本", "x"],
    "text": ["one line", "first\n\nsecond", "x"],
    "date": ["2024-02-29", "1999-12-31"],
    "date-time": ["2024-02-29T23:59:59Z", "1999-12-31T00:00:00.5+14:00"],
    "email": ["a@example.org", "first.last+tag@mail.example.com"],
    "hostname": ["example.org", "a"],
    "ipv4": ["127.0.0.1", "255.255.255.255"],
    "ipv6": ["::1", "2001:db8::8a2e:370:7334"],
    "uri": ["https://example.org/a?b=c#d", "urn:x:y"],
    "uuid": ["00000000-0000-4000-8000-000000000000", "FFFFFFFF-ffff-4fff-bfff-ffffffffffff"],
}
_PLAIN = ["plain words", "Ünïcode ☃ 日本", "", "x"]


def fitting(node: dict[str, Any], rng: random.Random) -> list[str]:
    """Return distinct strings that fit the node's pattern, format and lengths, borders first; empty if none was found.

    >>> lengths = [len(text) for text in fitting({"pattern": "^T-[0-9]{1,6}$"}, random.Random(0))]
    >>> min(lengths), max(lengths)
    (3, 8)
    """
    fits = fit_for(node)
    found = list(_SEEDS.get(node.get("format", ""), _PLAIN))
    if "pattern" in node:
        found += [drawn(node["pattern"], rng, size) for size in ("short", "long", *["any"] * 8)]
    low, high = node.get("minLength", 0), node.get("maxLength", LONGEST)
    found += [stretched(text, size, fits) for text in found for size in {low, min(high, LONGEST)}]
    good = [text for text in dict.fromkeys(found) if low <= len(text) <= high and fits(text)]
    return sorted(good, key=lambda text: (len(text) not in (low, high), len(text)))


def drawn(pattern: str, rng: random.Random, size: str = "any") -> str:
    """Return a string that the pattern matches: a "short" or a "long" one, or one of "any" size.

    >>> drawn("^ord_[0-9]{4}$", random.Random(0))
    'ord_7425'
    """
    return _draw(_tree(pattern), rng, size)


def fit_for(node: dict[str, Any]) -> Callable[[str], bool]:
    """Return a test for the node's pattern and format, its lengths left aside."""
    pattern = re.compile(to_python(node["pattern"]), re.ASCII) if "pattern" in node else None
    form = FORMATS.get(node.get("format", ""))
    return lambda text: (pattern is None or pattern.search(text) is not None) and (form is None or form(text))


def stretched(text: str, size: int, fits: Callable[[str], bool]) -> str:
    """Return `text` grown or cut towards `size` characters, as far as it keeps fitting.

    >>> stretched("ab", 4, lambda text: text.startswith("a"))
    'abxx'
    """
    more = size - len(text)
    at_once = [text + "x" * more, text + text[-1:] * more] if more > 0 else [text[:size], text[-more:]]
    for other in at_once:
        if len(other) == size and fits(other):
            return other
    while len(text) != size:
        better = next(filter(fits, _stepped(text, len(text) < size)), None)
        if better is None:
            return text
        text = better
    return text


def _stepped(text: str, grow: bool) -> Iterator[str]:
    """Yield the texts that are one character longer (a character doubled) or shorter, from the end backwards."""
    for spot in range(len(text) - 1, max(-1, len(text) - 40), -1):
        yield text[: spot + 1] + text[spot:] if grow else text[:spot] + text[spot + 1 :]


@lru_cache(maxsize=256)
def _tree(pattern: str) -> Any:
    return _parser.parse(to_python(pattern), re.ASCII)


def _draw(tree: Any, rng: random.Random, size: str) -> str:
    return "".join(_piece(opcode.name, value, rng, size) for opcode, value in tree)


def _piece(opcode: str, value: Any, rng: random.Random, size: str) -> str:
    if opcode == "LITERAL":
        return chr(value)
    if opcode == "NOT_LITERAL":
        return rng.choice(_PRINTABLE.replace(chr(value), ""))
    if opcode == "ANY":
        return rng.choice(_PRINTABLE)
    if opcode == "IN":
        return rng.choice(_class(value))
    if opcode in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, inner = value
        return _repeat(low, high, inner, rng, size)
    if opcode == "SUBPATTERN":
        return _draw(value[-1], rng, size)
    if opcode == "BRANCH":
        return _draw(rng.choice(value[1]), rng, size)
    return ""  # an anchor


def _repeat(low: int, high: int, inner: Any, rng: random.Random, size: str) -> str:
    most = high if high <= _MOST else low + 40
    times = {"short": low, "long": most}.get(size) if size != "any" else rng.randint(low, min(most, low + 12))
    if len(inner) == 1 and inner[0][0].name == "IN":  # much the same as below, and quicker
        return "".join(rng.choices(_class(inner[0][1]), k=times or 0))
    return "".join(_draw(inner, rng, size) for _ in range(times or 0))


def _class(items: Any) -> str:
    return _characters(tuple((code.name, item) for code, item in items))


@lru_cache(maxsize=1024)
def _characters(items: tuple[tuple[str, Any], ...]) -> str:
    """Return the characters of a class, a wide range by its ends and every so manieth character between."""
    found = ""
    for name, value in items:
        if name == "LITERAL":
            found += chr(value)
        elif name == "RANGE":
            low, high = value
            found += "".join(map(chr, [*range(low, high, max(1, (high - low) // 100)), high]))
        elif name == "CATEGORY":
            inside = _CATEGORIES[str(value).replace("_NOT_", "_")]
            found += "".join(c for c in _PRINTABLE if c not in inside) if "_NOT_" in str(value) else inside
    if items[0][0] == "NEGATE":
        found = "".join(c for c in _PRINTABLE if c not in found)
    return found
