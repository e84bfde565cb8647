"""How often could parts of one value be judged by a contract? References make it grow: twice, four times, eight times.

Not here: references that may not stand at all (`refs`); this is asked when there are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gate.engine.refs import IN_PLACE, resolve
from gate.strictjson import MAX_DEPTH

Node = dict[str, Any]
_ITEMS = ("items", "prefixItems", "contains")


def most_work(root: Node) -> int:
    """Return how many schemas are asked at most on the way from a value to its deepest part.

    `root` is a schema whose references resolve, and do not come back before the value gets deeper.

    >>> twice = {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}
    >>> most_work({"properties": {"x": twice}, "$defs": {"a": {"type": "null"}}})
    6
    """
    return _Work(root).most()


class _Work:
    def __init__(self, root: Node) -> None:
        self._root = root
        self._beside: dict[int, Counter[int]] = {}
        self._deeper: dict[int, list[tuple[str, Node]]] = {}
        self._nodes: dict[int, Node] = {}

    def most(self) -> int:
        """Return the work for the deepest value that can be read."""
        self._reach()
        before: dict[int, int] = {}
        for _ in range(MAX_DEPTH + 1):
            now = {key: self._next(key, before) for key in self._beside}
            if now == before:  # no value that is deeper still has more to be asked
                break
            before = now
        return before[id(self._root)]

    def _reach(self) -> None:
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            for key in self.beside(node).keys() - self._deeper.keys():
                self._deeper[key] = list(_deeper(self._nodes[key]))
                waiting += [inner for _, inner in self._deeper[key]]

    def _next(self, key: int, before: dict[int, int]) -> int:
        """Return the work of a schema for a value that is one level deeper than `before` is about."""
        there = Counter[str]()
        for other, times in self._beside[key].items():
            for place, inner in self._deeper[other] if before else ():
                there[place] += times * before[id(inner)]
        return self._beside[key].total() + max(there.values(), default=0)

    def beside(self, node: Node) -> Counter[int]:
        """Return how often each schema judges the value that `node` judges, by its id."""
        if id(node) not in self._beside:
            found = Counter({id(node): 1})
            for one in _in_place(self._root, node):
                found.update(self.beside(one))
            self._nodes[id(node)], self._beside[id(node)] = node, found
        return self._beside[id(node)]


def _in_place(root: Node, node: Node) -> Iterator[Node]:
    parts = [resolve(root, node["$ref"])] if "$ref" in node else []
    for word in IN_PLACE:
        parts += node[word] if isinstance(node.get(word), list) else [node.get(word)]
    yield from (one for one in parts if isinstance(one, dict))


def _deeper(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield (where inside the value, the schema for what is there)."""
    yield from ((f"/{name}", one) for name, one in node.get("properties", {}).items() if isinstance(one, dict))
    for word in (*_ITEMS, "additionalProperties", "propertyNames"):
        parts = node[word] if isinstance(node.get(word), list) else [node.get(word)]
        yield from (("item" if word in _ITEMS else word, one) for one in parts if isinstance(one, dict))
