"""One difference between two schemas, as an edit that can be made on its own, or undone on its own.

Not here: finding the differences (`diff`).
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from gate.contracts.meaning import Node, text

Steps = tuple[str | int, ...]
_GONE = object()
_NOTHING: dict[str | int, Any] = {"enum": [], "anyOf": [False], "oneOf": [False]}  # what lets nothing pass


class Edit(NamedTuple):
    """Where two schemas differ: in some `keywords` of a node (none: as a whole), or in one `item` of a list there.

    `old_at` and `new_at` are the steps to the node in either schema; they differ where a list is sorted otherwise.
    `item` is the item's text.
    """

    old_at: Steps
    new_at: Steps
    keywords: tuple[str | int, ...]
    item: str | None = None

    def made(self, old: Node, new: Node) -> Node:
        """Return the old schema with this edit alone.

        >>> Edit((), (), ("maximum",)).made({"minimum": 1, "maximum": 5}, {"minimum": 0, "maximum": 9})
        {'minimum': 1, 'maximum': 9}
        """
        return self._moved(old, self.old_at, new, self.new_at)

    def undone(self, old: Node, new: Node) -> Node:
        """Return the new schema with everything but this edit."""
        return self._moved(new, self.new_at, old, self.old_at)

    def _moved(self, into: Node, into_at: Steps, source: Node, source_at: Steps) -> Node:
        if not self.keywords:  # the whole schema
            return copy.deepcopy(source)
        done = copy.deepcopy(into)
        here: Any = _node(done, into_at)
        there: Any = _node(copy.deepcopy(source), source_at)
        for word in self.keywords:
            value = _get(there, word)
            if self.item is not None:
                value = self._with_item(_get(here, word), value) or _NOTHING.get(word, _GONE)
            if value is _GONE:
                here.pop(word, None)
            else:
                here[word] = value
        return done

    def _with_item(self, here: Any, there: Any) -> list[Any]:
        """Return one list with the item in it or not, as the other list has it."""
        mine, other = _as_list(here), _as_list(there)
        kept = [item for item in mine if text(item) != self.item]
        return [*kept, *(item for item in other if text(item) == self.item)]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is _GONE else [value]


def _node(schema: Any, at: Steps) -> Any:
    for step in at:
        schema = schema[int(step)] if isinstance(schema, list) else schema.setdefault(step, {})
    return schema


def _get(node: Any, word: str | int) -> Any:
    if isinstance(node, list):
        return node[int(word)]
    return node.get(word, _GONE)
