"""What changed between two schemas, in words: what widened (more passes than before) and what narrowed (less).

Not here: which fixtures change their decision (`gate contract diff` judges them), and changes inside a pattern, which
nobody can order: they are reported as `changed`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from gate.errors import clip

Direction = Literal["widened", "narrowed", "changed"]

_UPPER = {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
_LOWER = {"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
_INSIDE = ("properties", "$defs")
_NOTES = {"$schema", "$id", "$comment", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}


class Change(NamedTuple):
    """One difference: its direction, a JSON Pointer into the schema, and what happened in words."""

    direction: Direction
    path: str
    words: str


def diff(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """Return every difference that can change a decision, sorted by path. Notes and titles do not count.

    >>> diff({"type": "integer", "maximum": 5}, {"type": "integer", "maximum": 9})
    [Change(direction='widened', path='/maximum', words='maximum was 5, is 9')]
    """
    return sorted(set(_node(old, new, "")), key=lambda change: (change.path, change.direction, change.words))


def _node(old: Any, new: Any, path: str) -> Iterator[Change]:
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield Change("changed", path, f"was {_shown(old)}, is {_shown(new)}")
        return
    for word in sorted((old.keys() | new.keys()) - _NOTES):
        before, after, where = old.get(word), new.get(word), f"{path}/{word}"
        if before == after and (word in old) == (word in new):
            continue
        if word in _INSIDE:
            yield from _named(before or {}, after or {}, where)
        elif word == "items" and word in old and word in new:
            yield from _node(before, after, where)
        else:
            yield from _keyword(word, before, after, where)


def _named(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        where = f"{path}/{name}"
        if name not in new:
            yield Change("narrowed", where, "is gone: the field is refused")
        elif name not in old:
            yield Change("widened", where, "is new: the field passes")
        else:
            yield from _node(old[name], new[name], where)


def _keyword(word: str, old: Any, new: Any, path: str) -> Iterator[Change]:
    if word in ("required", "enum", "type"):
        yield from _listed(word, old, new, path)
    elif old is None:
        yield Change("narrowed", path, f"{word} is new: {_shown(new)}")
    elif new is None:
        yield Change("widened", path, f"{word} is gone; it was {_shown(old)}")
    elif word in _UPPER or word in _LOWER:
        grows = (new > old) == (word in _UPPER)
        yield Change("widened" if grows else "narrowed", path, f"{word} was {_shown(old)}, is {_shown(new)}")
    else:
        yield Change("changed", path, f"{word} was {_shown(old)}, is {_shown(new)}")


def _listed(word: str, old: Any, new: Any, path: str) -> Iterator[Change]:
    before, after = _texts(old), _texts(new)
    if not before or not after:  # the keyword came or went: required then names nothing, enum and type allow all
        came = bool(after)
        yield Change(
            "narrowed" if came else "widened", path, f"{word} {'is new' if came else 'is gone'}: {_shown(new or old)}"
        )
        return
    more: Direction = "narrowed" if word == "required" else "widened"
    less: Direction = "widened" if word == "required" else "narrowed"
    for text in sorted(after - before):
        yield Change(more, path, f"{word} has {clip(text, 80)} now")
    for text in sorted(before - after):
        yield Change(less, path, f"{word} no longer has {clip(text, 80)}")


def _texts(value: Any) -> set[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return {json.dumps(item, sort_keys=True) for item in items}


def _shown(value: Any) -> str:
    return clip(json.dumps(value, sort_keys=True), 80)
