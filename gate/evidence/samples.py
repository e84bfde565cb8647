"""Payloads that a contract should allow, many of them at the border of what it allows. Seeded.

A schema is drawn from as if it were one flat node: what `$ref`, `allOf`, one branch of `anyOf` and `oneOf`, and one
side of `if` say is laid over it. That is a guess, so the caller keeps only what the second engine accepts.

Not here: payloads that break a rule (`nearmiss`), and which places are drawn through (`reach`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from gate.engine.refs import resolve
from gate.evidence.rules import ANY, EACH, Step
from gate.evidence.strings import fitting

Place = tuple[Step, ...]
Node = dict[str, Any]
_MANY = 12
_SOME = 6
_MAX_DEPTH = 6


class Sampler:
    """Draws values that fit the nodes of one schema.

    >>> Sampler({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 3,
    ...     "maximum": 3}}}, random.Random(0)).draw()
    {'n': 3}
    """

    def __init__(self, schema: Node, rng: random.Random) -> None:
        self._root = schema
        self._rng = rng
        self._strings: dict[str, list[str]] = {}

    def draw(self, through: Place = ()) -> Any:
        """Return one value for the whole schema, which has something at the place `through` where that can be."""
        return self.value(self._root, 0, through)

    def value(self, node: Any, depth: int = 0, through: Place = ()) -> Any:
        """Return one value for a node of the schema; `through` is a place below it."""
        flat = self.flat(node)
        if "const" in flat:
            return flat["const"]
        if "enum" in flat:
            return self._rng.choice(flat["enum"])
        kinds = flat.get("type", "object" if "properties" in flat else "string")
        holder = "object" if through and isinstance(through[0], str) else "array" if through else ""
        kind = kinds if isinstance(kinds, str) else holder if holder in kinds else self._rng.choice(kinds)
        make: dict[str, Callable[[Node, int, Place], Any]] = {
            "object": self._object, "array": self._array, "string": self._string, "number": self._number,
            "integer": self._number, "boolean": lambda *_: self._rng.random() < 0.5, "null": lambda *_: None,
        }  # fmt: skip
        return make[kind](flat | {"type": kind}, depth + 1, through)

    def ends(self, node: Any) -> list[Any]:
        """Return values for a node, those first that stand at an end of what it allows, or are listed in it."""
        flat = self.flat(node)
        if "const" in flat or "enum" in flat:
            return list(flat.get("enum", [flat.get("const")]))
        kinds = flat.get("type", ())
        found: list[Any] = [self.value(node) for _ in range(_SOME)]
        if "integer" in kinds or "number" in kinds:
            found += numbers(flat | {"type": "number" if "number" in kinds else "integer"})
        if "string" in kinds:
            found += fitting(flat, self._rng)[:_SOME]
        return found

    def flat(self, node: Any) -> Node:
        """Return a node with everything it applies to the same value laid over it, branches drawn at random."""
        if not isinstance(node, dict):
            return {"type": "string"}
        flat = {key: value for key, value in node.items() if key not in _APPLIED}
        parts = [resolve(self._root, node["$ref"])] if "$ref" in node else []
        parts += node.get("allOf", [])
        parts += [self._rng.choice(node[word]) for word in ("anyOf", "oneOf") if word in node]
        if "if" in node:
            holds = self._rng.random() < 0.5
            parts += [node["if"], node.get("then")] if holds else [node.get("else")]
        for part in parts:
            if part is not None:
                _lay(flat, self.flat(part))
        return flat

    def _object(self, node: Node, depth: int, through: Place) -> Node:
        parts, needed = node.get("properties", {}), list(node.get("required", ()))
        step, below = (through[0], through[1:]) if through else (None, ())
        chance = 0.6 if depth < _MAX_DEPTH else 0.0
        names = [name for name in parts if name in needed or name == step or self._rng.random() < chance]
        for name, others in node.get("dependentRequired", {}).items():
            names += others if name in names else []
        value = {name: self.value(parts[name], depth, below if name == step else ())
                 for name in dict.fromkeys(names) if name in parts}  # fmt: skip
        rest = node.get("additionalProperties")
        if isinstance(rest, dict):
            low, high = node.get("minProperties", 0), node.get("maxProperties", _MANY)
            low = max(low, int(step == ANY))
            for _ in range(self._size(low, high, depth) - len(value)):
                name = self.value({"type": "string"} | self.flat(node.get("propertyNames", {"type": "string"})), depth)
                if name not in value:  # a value may be large, and names few
                    value[name] = self.value(rest, depth, below if step == ANY else ())
        return value

    def _array(self, node: Node, depth: int, through: Place) -> list[Any]:
        first = node.get("prefixItems", [])
        low, high = node.get("minItems", 0), node.get("maxItems", len(first) + 4)
        rest = node.get("items")
        high = high if isinstance(rest, dict) else min(high, len(first))
        step, below = (through[0], through[1:]) if through else (None, ())
        step = len(first) if step == EACH else step
        size = max(self._size(low, high, depth), min(len(first), high))
        size = max(size, min(high, step + 1)) if isinstance(step, int) else size
        value = [
            self.value(first[index] if index < len(first) else rest, depth, below if index == step else ())
            for index in range(size)
        ]
        if "contains" in node:
            value = value[: max(0, high - node.get("minContains", 1))]
            value += [self.value(node["contains"], depth) for _ in range(node.get("minContains", 1))]
        return _distinct(value) if node.get("uniqueItems") else value

    def _size(self, low: int, high: int, depth: int) -> int:
        """Return how many there are to be: few, some or many, and as few as can be where it is deep."""
        return low if depth >= _MAX_DEPTH else self._rng.choice((low, min(high, low + 2), min(high, low + _MANY)))

    def _string(self, node: Node, *_: Any) -> str:
        wanted: Node = {key: node[key] for key in ("pattern", "format", "minLength", "maxLength") if key in node}
        pool = self._strings.setdefault(repr(wanted), [])
        if not pool:
            pool += fitting(wanted, self._rng)
        return self._rng.choice(pool) if pool else ""

    def _number(self, node: Node, *_: Any) -> float:
        return self._rng.choice(numbers(node))


def numbers(node: Node) -> list[float]:
    """Return numbers that fit a node's bounds and steps: both borders, their neighbours inside, and the middle.

    >>> numbers({"type": "integer", "minimum": 0, "exclusiveMaximum": 10})
    [0, 1, 4, 8, 9]
    """
    whole = node.get("type") == "integer"
    step: float = node.get("multipleOf", 1 if whole else 0.01)
    low: Any = node.get("minimum", node.get("exclusiveMinimum", -1000))
    high: Any = node.get("maximum", node.get("exclusiveMaximum", max(low, 0) + 1000))
    first, last = math.ceil(low / step), math.floor(high / step)
    first += "exclusiveMinimum" in node and first * step <= low
    last -= "exclusiveMaximum" in node and last * step >= high
    counts = {count for count in (first, first + 1, (first + last) // 2, last - 1, last) if first <= count <= last}
    found = [count * step for count in sorted(counts)]
    return [int(number) if whole else round(number, 12) for number in found] or [0]


_APPLIED = ("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "$defs")


def _lay(flat: Node, over: Node) -> None:
    for key, value in over.items():
        if key == "properties" and key in flat:
            both = flat[key].keys() & value.keys()
            flat[key] = flat[key] | value | {name: {"allOf": [flat[key][name], value[name]]} for name in both}
        elif key == "required" and key in flat:
            flat[key] = [*flat[key], *value]
        elif key == "enum" and key in flat:
            flat[key] = [item for item in flat[key] if item in value] or value
        elif key.startswith(("max", "exclusiveMax")) and key in flat:
            flat[key] = min(flat[key], value)
        elif key.startswith(("min", "exclusiveMin")) and key in flat:
            flat[key] = max(flat[key], value)
        elif key not in ("additionalProperties", "type") or key not in flat:
            flat[key] = value


def _distinct(items: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept
