"""The keywords of one pair of nodes, compared: which way each change goes, and in words.

Not here: walking from node to node (`diff`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from gate.contracts.edits import Edit, Steps
from gate.contracts.meaning import Node, text
from gate.engine.explain import pointer
from gate.errors import clip

Direction = Literal["widened", "narrowed", "changed"]

_PAIRS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
_UPPER = {"maxLength", "maxItems", "maxProperties"}
_LOWER = {"minLength", "minItems", "minProperties"}
_GROUPS = (("contains", "minContains", "maxContains"), ("if", "then", "else"), ("prefixItems",), ("propertyNames",),
           ("pattern",), ("format",), ("multipleOf",), ("uniqueItems",), ("not",), ("dependentRequired",))  # fmt: skip
_SHOWN = 100
_LISTED: tuple[tuple[str, Direction, Direction], ...] = (
    ("required", "narrowed", "widened"), ("enum", "widened", "narrowed"), ("type", "widened", "narrowed"),
)  # fmt: skip


class Change(NamedTuple):
    """One difference: its direction as far as the schemas show it, a JSON Pointer into the schema with references
    followed, what happened in `words`, and the `edit` that makes it."""

    direction: Direction
    path: str
    words: str
    edit: Edit


class Pair:
    """One pair of nodes of the same shape."""

    def __init__(self, old: Node, new: Node, at: Steps, to: Steps, sure: bool) -> None:
        self.old, self.new, self.at, self.to, self.sure = old, new, at, to, sure
        self.field = field_name(at)

    def change(self, way: Direction, words: tuple[str, ...], told: str, item: str | None = None) -> Change:
        edit = Edit(self.at, self.to, words, item)
        return Change(way if self.sure else "changed", pointer((*self.at, words[0])), told, edit)

    def changes(self) -> Iterator[Change]:
        """Yield what changed in the keywords of this node, what is inside it left aside."""
        for rule in (self._bounds, self._lengths, self._lists, self._groups):
            yield from rule()

    def _bounds(self) -> Iterator[Change]:
        """Compare the least and the greatest number, be they exclusive or not."""
        for words in _PAIRS:
            before, after = _tightest(self.old, words), _tightest(self.new, words)
            if before == after:
                continue
            narrowed = before is None or (after is not None and after > before)
            yield self.change("narrowed" if narrowed else "widened", words, self._told(words))

    def _lengths(self) -> Iterator[Change]:
        for word in sorted(_UPPER | _LOWER):
            before, after = self.old.get(word), self.new.get(word)
            if before != after:
                grown = after is None or (before is not None and (after > before) == (word in _UPPER))
                yield self.change("widened" if grown else "narrowed", (word,), self._told((word,)))

    def _lists(self) -> Iterator[Change]:
        """Compare what is listed: values, types, fields that must be there."""
        for word, more, less in _LISTED:
            before, after = texts(self.old.get(word)), texts(self.new.get(word))
            for items, way in ((after - before, more), (before - after, less)):
                for item in sorted(items):
                    yield self.change(way, (word,), self._listed(word, json.loads(item), item in after), item)

    def _groups(self) -> Iterator[Change]:
        """Compare keywords that only rule out, so that a new one narrows; what changed in one is not ordered."""
        for words in _GROUPS:
            before, after = ({w: node[w] for w in words if w in node} for node in (self.old, self.new))
            if text(before) != text(after):
                yield self.change(
                    "narrowed" if not before else "changed" if after else "widened", words, self._told(words)
                )

    def _told(self, words: tuple[str, ...]) -> str:
        before, after = (
            ", ".join(f"{w} {shown(node[w])}" for w in words if w in node) for node in (self.old, self.new)
        )
        if not before:
            return f"{self.field} has {after} now"
        if not after:
            return f"{self.field} has no {before} any more"
        there = [[word for word in words if word in node] for node in (self.old, self.new)]
        if there[0] == there[1] and len(there[0]) == 1:
            word = there[0][0]
            return f"{word} of {self.field} is {shown(self.new[word])} now, it was {shown(self.old[word])}"
        return f"{self.field} has {after} now, it had {before}"

    def _listed(self, word: str, item: Any, there: bool) -> str:
        if word == "required":
            field = field_name((*self.at, "properties", item))
            return f"{field} must be there now" if there else f"{field} may be missing now"
        value = f"of type {item}" if word == "type" else shown(item)
        return f"{self.field} may {'be' if there else 'no longer be'} {value}{' now' if there else ''}"


def _tightest(node: Node, words: tuple[str, str]) -> tuple[float, bool] | None:
    """Return a bound such that the tighter one is the greater."""
    sign = 1 if words[0] == "minimum" else -1
    return max(((sign * node[word], word == words[1]) for word in words if word in node), default=None)


def texts(value: Any) -> set[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return {text(item) for item in items}


def shown(value: Any) -> str:
    return clip(json.dumps(value), _SHOWN)


def field_name(at: Steps) -> str:
    """Return the place in a payload as a reader would say it."""
    name, steps = "", list(at)
    while steps:
        step = steps.pop(0)
        if step == "properties" and steps:
            name += f".{steps.pop(0)}" if name else str(steps.pop(0))
        elif step == "items":
            name += "[]"
        elif step == "prefixItems" and steps:
            name += f"[{steps.pop(0)}]"
        elif step == "additionalProperties":
            name += ".*" if name else "*"
        elif steps and isinstance(steps[0], int):
            steps.pop(0)  # an alternative is for the same place
    return clip(name, 80) or "the payload"
