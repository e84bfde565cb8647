"""The rules of a contract, one by one: where each stands in the schema, and where in a payload it bites.

A rule is one keyword of one schema node (each name in `required` is a rule of its own). What stands inside `if` and
`not` is a condition, not a rule; `not` and `contains` are rules as a whole. `anyOf` and `oneOf` have none of their own:
their branches have them. `parts` are the keywords that hold whole schemas.

Not here: payloads that break a rule (`nearmiss`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from gate.engine.explain import pointer
from gate.engine.refs import resolve

Step = str | int
EACH = -1  # any item of an array
ANY = "\0any"  # any value of a map

_LEAVES = {
    "type", "enum", "const", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
    "maxContains", "minProperties", "maxProperties", "propertyNames", "dependentRequired", "not",
}  # fmt: skip
_Found = tuple[tuple[Step, ...], str, "str | None", dict[str, Any], tuple[Step, ...]]
_PARTS = {"items", "additionalProperties", "anyOf", "oneOf", "then", "else"}
_MAX_DEPTH = 8  # of a schema inside itself


class Rule(NamedTuple):
    """One rule: its `path` in the schema, the `keyword`, the `item` of a `required` list, the schema `node` it stands
    in, and the places (`at`) in a payload where that node judges."""

    path: tuple[Step, ...]
    keyword: str
    item: str | None
    node: dict[str, Any]
    at: tuple[tuple[Step, ...], ...]

    @property
    def name(self) -> str:
        """The rule as a JSON Pointer into the schema."""
        return pointer((*self.path, self.keyword, *([] if self.item is None else [self.item])))

    def without(self) -> dict[str, Any]:
        """Return the node without this rule."""
        rest = {word: value for word, value in self.node.items() if word != self.keyword}
        if self.item is not None:
            rest[self.keyword] = [name for name in self.node[self.keyword] if name != self.item]
        return rest

    def dropped_from(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of the schema without this rule."""
        return self.put_into(schema, self.without())

    def put_into(self, schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of the schema with another node where this rule stands."""
        whole: dict[str, Any] = replaced(schema, self.path, node)
        return whole


def rules(schema: dict[str, Any]) -> list[Rule]:
    """Return every rule of a schema, sorted by name.

    >>> closed = {"type": "object", "additionalProperties": False, "properties": {"n": {"minimum": 0}}}
    >>> [rule.name for rule in rules(closed)]
    ['/additionalProperties', '/properties/n/minimum']
    """
    return _gathered(found for found in _walk(schema, schema, (), ()) if not _is_part(found))


def parts(schema: dict[str, Any]) -> list[Rule]:
    """Return every keyword that holds whole schemas, as a rule of its own, sorted by name.

    >>> [rule.name for rule in parts({"properties": {"n": {"anyOf": [{"minimum": 0}, {"type": "null"}]}}})]
    ['/properties/n/anyOf']
    """
    return _gathered(found for found in _walk(schema, schema, (), ()) if _is_part(found))


def _is_part(found: _Found) -> bool:
    _, keyword, _, node, _ = found
    return keyword in _PARTS and node[keyword] is not False


def _gathered(listed_at: Iterable[_Found]) -> list[Rule]:
    """Return the rules, each once, with every place where it bites."""
    found: dict[tuple[tuple[Step, ...], str, str | None], tuple[dict[str, Any], list[tuple[Step, ...]]]] = {}
    for path, keyword, item, node, at in listed_at:
        places = found.setdefault((path, keyword, item), (node, []))[1]
        if at not in places:
            places.append(at)
    listed = [Rule(*key, node, tuple(places)) for key, (node, places) in found.items()]
    return sorted(listed, key=lambda rule: rule.name)


def _walk(
    root: dict[str, Any], node: Any, path: tuple[Step, ...], at: tuple[Step, ...], refs: tuple[str, ...] = ()
) -> Iterator[_Found]:
    if not isinstance(node, dict):
        return
    for keyword, value in node.items():
        if keyword in _LEAVES and not (keyword == "type" and not at):  # the front door refuses what is no object
            yield path, keyword, None, node, at
        elif keyword == "required":
            yield from ((path, keyword, item, node, at) for item in value)
        elif keyword in _PARTS:
            yield path, keyword, None, node, at
    for step, part, deeper in _parts(node):
        yield from _walk(root, part, (*path, *step), at if deeper is None else (*at, deeper), refs)
    ref = node.get("$ref")
    if ref is not None and (ref not in refs or len(at) <= _MAX_DEPTH):
        yield from _walk(root, resolve(root, ref), _steps(root, ref), at, (*refs, ref))


def _steps(root: dict[str, Any], ref: str) -> tuple[Step, ...]:
    """Return the path in the schema that a local reference points at."""
    steps: list[Step] = []
    part: Any = root
    for word in unquote(ref).split("/")[1:]:
        step: Step = int(word) if isinstance(part, list) else word.replace("~1", "/").replace("~0", "~")
        part = part[step]
        steps.append(step)
    return tuple(steps)


def _parts(node: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], Any, Step | None]]:
    """Yield (step in the schema, part, step in the payload or None) for every schema that a node applies."""
    for name, part in node.get("properties", {}).items():
        yield ("properties", name), part, name
    for word in ("allOf", "anyOf", "oneOf"):
        for index, part in enumerate(node.get(word, ())):
            yield (word, index), part, None
    for word in ("then", "else"):
        yield (word,), node.get(word), None
    for index, part in enumerate(node.get("prefixItems", ())):
        yield ("prefixItems", index), part, index
    yield ("items",), node.get("items"), EACH
    yield ("additionalProperties",), node.get("additionalProperties"), ANY


def places(value: Any, at: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the concrete paths in a payload that a place stands for; nothing where the payload has none.

    >>> list(places({"items": [{"sku": "a"}, {}]}, ("items", EACH, "sku")))
    [('items', 0, 'sku')]
    """
    if not at:
        yield ()
        return
    step, rest = at[0], at[1:]
    keys: Any = ()
    if isinstance(value, list) and isinstance(step, int):
        keys = range(len(value)) if step == EACH else [step][: step < len(value)]
    elif isinstance(value, dict) and isinstance(step, str):
        keys = list(value) if step == ANY else [step] if step in value else []
    for key in keys:
        yield from ((key, *below) for below in places(value[key], rest))


def at_path(value: Any, path: tuple[Step, ...]) -> Any:
    """Return what stands at a concrete path."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, path: tuple[Step, ...], new: Any) -> Any:
    """Return the payload with another value at a concrete path; the payload itself is left as it is.

    >>> replaced({"a": [1, 2]}, ("a", 1), 3)
    {'a': [1, 3]}
    """
    if not path:
        return new
    copied: Any = list(value) if isinstance(value, list) else dict(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], new)
    return copied
