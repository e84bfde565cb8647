"""What changed between two schemas, in sentences: what widened (more passes than before) and what narrowed (less).

The schemas are compared by their meaning: another order of keys, or a part moved into `$defs`, is no change.

Not here: proving it with a payload (`gate.evidence.witness`). Inside a pattern, a `not`, a `oneOf` and a condition
nobody can order two schemas by looking: such a change is only said to be one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gate.contracts.edits import Edit, Steps
from gate.contracts.keywords import Change, Direction, Pair, field_name, shown, texts
from gate.contracts.meaning import Node, about, meaning, text
from gate.engine.explain import pointer

_SHAPE = {"type", "enum", "anyOf", "oneOf", "$ref"}
_BRANCHES: tuple[tuple[str, Direction, Direction], ...] = (
    ("anyOf", "widened", "narrowed"), ("oneOf", "changed", "changed"), ("allOf", "narrowed", "widened"),
)  # fmt: skip


def diff(old: Node, new: Node) -> list[Change]:
    """Return every difference that can change a decision, sorted by path. Notes and titles do not count.

    >>> diff({"type": "integer", "maximum": 5}, {"type": "integer", "maximum": 9})[0][:3]
    ('widened', '/maximum', 'maximum of the payload is 9 now, it was 5')
    """
    found = _node(meaning(old), meaning(new), (), (), True)
    return sorted(found, key=lambda change: (change.path, change.direction, change.words))


def _node(old: Any, new: Any, at: Steps, to: Steps, sure: bool) -> Iterator[Change]:
    """Compare two nodes at `at` and `to`. `sure`: what widens here widens the whole."""
    if text(old) == text(new):
        return
    if not isinstance(old, dict) or not isinstance(new, dict) or _shape(old) != _shape(new) or _disjoint(old, new):
        words = f"{field_name(at)} is {shown(new)} now, it was {shown(old)}"
        yield Change("changed", pointer(at), words, Edit(at[:-1], to[:-1], at[-1:]))
        return
    pair = Pair(*_shared(old, new), at, to, sure)
    yield from pair.changes()
    yield from _fields(pair)
    yield from _inside(pair)
    yield from _branches(pair)


def _fields(pair: Pair) -> Iterator[Change]:
    """Compare the properties of an object."""
    before, after = pair.old.get("properties", {}), pair.new.get("properties", {})
    closed = pair.old.get("additionalProperties") is pair.new.get("additionalProperties") is False
    for name in sorted(before.keys() | after.keys()):
        at, to = (*pair.at, "properties", name), (*pair.to, "properties", name)
        if name in before and name in after:
            yield from _node(before[name], after[name], at, to, pair.sure)
            continue
        way: Direction = "widened" if name in after else "narrowed"
        words = f"{field_name(at)} is {'a field now' if name in after else 'no field any more'}"
        edit = Edit(at[:-1], to[:-1], (name,))
        yield Change(way if closed and pair.sure else "changed", pointer(at), words, edit)


def _inside(pair: Pair) -> Iterator[Change]:
    """Compare what the items of an array and the values of a map must be."""
    for word in ("items", "additionalProperties"):
        before, after = pair.old.get(word), pair.new.get(word)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _node(before, after, (*pair.at, word), (*pair.to, word), pair.sure)
        elif text(before) != text(after):
            way: Direction = "widened" if before is False else "narrowed" if after is False else "changed"
            words = f"{word} of {pair.field} is {shown(after)} now, it was {shown(before)}"
            yield pair.change(way, (word,), words)


def _branches(pair: Pair) -> Iterator[Change]:
    """Compare the alternatives of a node; those that are equal are left aside, wherever they stand."""
    for word, more, less in _BRANCHES:
        before, after = pair.old.get(word, []), pair.new.get(word, [])
        same = texts(before) & texts(after)
        gone = [index for index, part in enumerate(before) if text(part) not in same]
        come = [index for index, part in enumerate(after) if text(part) not in same]
        if len(gone) == len(come):
            for i, j in zip(gone, come, strict=True):
                sure = pair.sure and word != "oneOf"
                yield from _node(before[i], after[j], (*pair.at, word, i), (*pair.to, word, j), sure)
            continue
        kind = "rule" if word == "allOf" else "alternative"
        for part in (after[index] for index in come):
            yield pair.change(more, (word,), f"{pair.field} has another {kind}: {shown(part)}", text(part))
        for part in (before[index] for index in gone):
            yield pair.change(less, (word,), f"{pair.field} has lost the {kind} {shown(part)}", text(part))


def _shared(old: Node, new: Node) -> tuple[Node, Node]:
    """Return both nodes without what is about a type that only one of them takes: it comes and goes with its type."""
    if "type" not in old:
        return old, new
    before, after = ({word for kind in _kinds(node) for word in about(kind)} for node in (old, new))
    less, more = ({w: v for w, v in node.items() if w not in before ^ after} for node in (old, new))
    return less, more


def _kinds(node: Node) -> list[str]:
    return node["type"] if isinstance(node["type"], list) else [node["type"]]


def _shape(node: Node) -> set[str]:
    return node.keys() & _SHAPE


def _disjoint(old: Node, new: Node) -> bool:
    return text(old.get("$ref")) != text(new.get("$ref")) or (
        "type" in old and not texts(old["type"]) & texts(new["type"])
    )
