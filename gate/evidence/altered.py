"""Altered contracts: one contract, changed in one constraint at a time, as a slip of the pen would change it.

Each rule is dropped, and loosened where that can be done by one step; a bound is also moved inwards, an enum also loses
each of its values, and a schema that chooses between others loses each of them. Nothing vets them: they are faults.

Not here: which of them a fixture pack notices (`mutants`), and payloads that tell them apart (`killing`). Not altered:
what stands inside `if`, `not`, `contains` and `propertyNames`; these are dropped as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gate.errors import clip, escape
from gate.evidence.loosepatterns import loose_patterns
from gate.evidence.rules import Rule, parts, rules

Node = dict[str, Any]
Change = tuple[str, Node]  # what changed in words, and the node as it is then

_WORDS = 60
_OTHER_END = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum",
              "exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}  # fmt: skip
_FRACTION = 0.01  # one step of a number that need not be whole


class Altered(NamedTuple):
    """One alteration: the `rule` that it is about, a `name`, what changed in `words`, and what became of the rule's
    `node` and the whole `schema`."""

    rule: Rule
    name: str
    words: str
    node: Node
    schema: Node


def altered(schema: Node) -> Iterator[Altered]:
    """Yield every alteration of a schema. One that drops a rule has the name of the rule.

    >>> for one in altered({"type": "object", "properties": {"n": {"enum": ["a", "b"]}}}):
    ...     print(one.name, "|", one.words)
    /properties/n/enum | enum dropped
    /properties/n/enum takes "A" too | enum takes "A" too
    /properties/n/enum without "a" | enum without "a"
    /properties/n/enum without "b" | enum without "b"
    """
    for rule in [*rules(schema), *parts(schema)]:
        words = f"{rule.keyword} dropped" if rule.item is None else f"{escape(rule.item, _WORDS)} no longer required"
        weak = rule.without()
        yield Altered(rule, rule.name, words, weak, rule.put_into(schema, weak))
        for told, node in _CHANGES.get(rule.keyword, _none)(rule.node, rule.keyword):
            told = clip(told, _WORDS)
            weak = rule.put_into(schema, node)
            yield Altered(rule, f"{rule.name} {told}", f"{rule.keyword} {told}", node, weak)


def _none(node: Node, keyword: str) -> Iterator[Change]:
    yield from ()


def _types(node: Node, keyword: str) -> Iterator[Change]:
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    if "null" not in kinds:
        yield "takes null too", node | {"type": [*kinds, "null"]}
    if "integer" in kinds and "number" not in kinds:
        yield "takes fractions too", node | {"type": [*kinds, "number"]}


def _values(node: Node, keyword: str) -> Iterator[Change]:
    """A value more, spelt like one that is there; and each value less."""
    values = node["enum"] if keyword == "enum" else [node["const"]]
    others = {word: value for word, value in node.items() if word != keyword}
    more = _stranger(values)
    yield f"takes {_shown(more)} too", others | {"enum": [*values, more]}
    for index, value in enumerate(values if len(values) > 1 else ()):
        yield f"without {_shown(value)}", node | {"enum": values[:index] + values[index + 1 :]}


def _stranger(values: list[Any]) -> Any:
    texts = [value.swapcase() for value in values if isinstance(value, str)]
    numbers = [value + 1 for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return next((one for one in [*texts, *numbers, "other", "another"] if one not in values), None)


def _bound(node: Node, keyword: str) -> Iterator[Change]:
    """A number's bound one step out and one step in: 0 itself, or the next number that may be written."""
    limit, out = node[keyword], -1 if keyword in ("minimum", "exclusiveMinimum") else 1
    inclusive = keyword in ("minimum", "maximum")
    moved = _moved(limit, (out if inclusive else -out) * _step(node))
    other = _OTHER_END[keyword]
    others = {word: value for word, value in node.items() if word != keyword}
    if other not in node:
        yield f"{'refuses' if inclusive else 'takes'} {_shown(limit)} itself", others | {other: limit}
    if moved != limit:  # among very large numbers a step is too small to count
        yield f"{_shown(moved)} for {_shown(limit)}", node | {keyword: moved}


def _step(node: Node) -> float:
    kinds = node.get("type", ())
    whole = "integer" in kinds and "number" not in kinds
    step: float = node.get("multipleOf", 1 if whole else _FRACTION)
    return step


def _moved(limit: float, by: float) -> float:
    return limit + by if isinstance(limit, int) and isinstance(by, int) else round(limit + by, 12)


def _count(node: Node, keyword: str) -> Iterator[Change]:
    limit = node[keyword]
    for size in (limit - 1, limit + 1):
        if size >= 0:
            yield f"{size} for {limit}", node | {keyword: size}


def _pattern(node: Node, keyword: str) -> Iterator[Change]:
    for told, pattern in loose_patterns(node[keyword]):
        yield told, node | {keyword: pattern}


def _format(node: Node, keyword: str) -> Iterator[Change]:
    if node[keyword] == "line":
        yield "takes several lines", node | {keyword: "text"}


def _needs(node: Node, keyword: str) -> Iterator[Change]:
    for name, needed in node[keyword].items():
        for one in needed:
            fewer = node[keyword] | {name: [other for other in needed if other != one]}
            yield f"{_shown(name)} without {_shown(one)}", node | {keyword: fewer}


def _branches(node: Node, keyword: str) -> Iterator[Change]:
    for index, _ in enumerate(node[keyword] if len(node[keyword]) > 1 else ()):
        yield f"without branch {index}", node | {keyword: node[keyword][:index] + node[keyword][index + 1 :]}
    if keyword == "oneOf" and "anyOf" not in node:
        others = {word: value for word, value in node.items() if word != keyword}
        yield "may hold twice", others | {"anyOf": node[keyword]}


def _shown(value: Any) -> str:
    return escape(value, 40).join('""') if isinstance(value, str) else clip(json.dumps(value), 40)


_Changes = Callable[[Node, str], Iterator[Change]]
_CHANGES: dict[str, _Changes] = {
    "type": _types, "enum": _values, "const": _values, "pattern": _pattern, "format": _format,
    "dependentRequired": _needs, "anyOf": _branches, "oneOf": _branches,
    **dict.fromkeys(_OTHER_END, _bound),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties",
                     "maxProperties"), _count),
}  # fmt: skip
