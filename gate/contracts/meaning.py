"""What a schema means, written in one way only, so that two spellings of the same contract are equal.

References are written out (one that leads back to itself points at where it stands), notes and `$defs` are dropped, a
`const` is an `enum` of one, lists without an order are sorted, keywords that say nothing are dropped.

Not here: every equality there is. Two schemas of one meaning may still differ, such as a pattern said in another way;
then `gate contract diff` looks for a payload that tells them apart, and says so when it finds none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from gate.engine.faults import json_type
from gate.engine.refs import IN_PLACE, resolve
from gate.errors import ConfigError
from gate.vet import NOTES

Node = dict[str, Any]
_MAX_NODES = 20_000
_HERE, _UP = "\0here", "\0up"  # no keyword is spelt like this
_FOR: dict[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"),
    "object": (
        "properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties",
        "dependentRequired",
    ),
}  # fmt: skip
_EMPTY: dict[str, tuple[Any, ...]] = {
    "minLength": (0,), "minItems": (0,), "minProperties": (0,), "uniqueItems": (False,), "required": ([],),
    "properties": ({},), "dependentRequired": ({},), "allOf": ([],), "minContains": (1,),
}  # fmt: skip


def meaning(schema: Node) -> Node:
    """Return the one spelling of what a contract's schema means. Raises `ConfigError` for one that is endless.

    >>> word = {"maxLength": 9, "type": ["string"]}
    >>> meaning({"$defs": {"w": word}, "properties": {"a": {"$ref": "#/$defs/w"}}}) == {"properties": {"a": {
    ...     "type": "string", "maxLength": 9}}}
    True
    """
    writer = _Writer(schema)
    writer.look(schema, ())
    node: Node = _pointed(writer.node(schema, ()), [], ())
    return node


def text(value: Any) -> str:
    """Return JSON text that is equal for equal values, and only for them: 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def parts(node: Node, apply: Callable[[Any, tuple[str | int, ...]], Any]) -> Node:
    """Return a node with every schema in it put through `apply`, which gets the schema and the steps to it."""
    done: Node = {}
    for word, value in node.items():
        if word in ("properties", "$defs") and isinstance(value, dict):
            done[word] = {name: apply(part, (word, name)) for name, part in value.items()}
        elif word in (*IN_PLACE, "prefixItems") and isinstance(value, list):
            done[word] = [apply(part, (word, index)) for index, part in enumerate(value)]
        elif word in (*IN_PLACE, "items", "additionalProperties", "propertyNames", "contains"):
            done[word] = apply(value, (word,))
        else:
            done[word] = value
    return done


class _Writer:
    """Writes references out. `look` finds first which schemas lead back to themselves."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._looping: set[int] = set()
        self._seen = 0

    def look(self, node: Any, above: tuple[int, ...]) -> None:
        if not isinstance(node, dict):
            return
        if id(node) in above:
            self._looping.add(id(node))
            return
        self._seen += 1
        if self._seen > _MAX_NODES:
            raise ConfigError("a contract is too large to be compared. Next: let fewer references repeat the same.")
        inside = (*above, id(node))
        if "$ref" in node:
            self.look(resolve(self._root, node["$ref"]), inside)
        parts({word: value for word, value in node.items() if word != "$defs"}, lambda part, _: self.look(part, inside))

    def node(self, node: Any, above: tuple[int, ...]) -> Any:
        if not isinstance(node, dict):
            return node
        if id(node) in above:
            return {_UP: len(above) - above.index(id(node))}
        inside = (*above, id(node)) if id(node) in self._looping else above
        rules = {word: value for word, value in node.items() if word not in NOTES and word not in ("$defs", "$ref")}
        done = parts(rules, lambda part, _: self.node(part, inside))
        if "$ref" in node:
            done["allOf"] = [*done.get("allOf", []), self.node(resolve(self._root, node["$ref"]), inside)]
        plain = _plain(done)
        if id(node) in self._looping:  # counted: a node that is nothing but a reference is one with its target
            if _UP in plain:
                return {_UP: plain[_UP] - 1}
            plain[_HERE] = plain.get(_HERE, 0) + 1
        return plain


def _pointed(node: Any, above: list[tuple[str | int, ...]], path: tuple[str | int, ...]) -> Any:
    """Turn what leads up into a reference to the place that it leads to."""
    if not isinstance(node, dict):
        return node
    if _UP in node:
        steps = above[-node[_UP]]
        return {"$ref": "#" + "".join(f"/{quote(_escaped(step))}" for step in steps)}
    inside = above + [path] * node.get(_HERE, 0)
    rules = {word: value for word, value in node.items() if word != _HERE}
    return parts(rules, lambda part, steps: _pointed(part, inside, (*path, *steps)))


def _escaped(step: str | int) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")


def _plain(node: Node) -> Node:
    """Return one node in its one spelling; what is inside it has been through here already."""
    if "const" in node:
        node = {word: value for word, value in node.items() if word != "const"} | _both(node, [node["const"]])
    node = _unbranched(_typed(_listed(node)))
    for word in ("minContains", "maxContains"):
        if "contains" not in node:
            node.pop(word, None)
    return {
        word: value for word, value in node.items() if not any(text(value) == text(no) for no in _EMPTY.get(word, ()))
    }


def _both(node: Node, values: list[Any]) -> Node:
    listed = {text(value) for value in node.get("enum", values)}
    return {"enum": [value for value in values if text(value) in listed]}


def _listed(node: Node) -> Node:
    """Sort what has no order, and write whole numbers as integers."""
    done = dict(node)
    for word in ("enum", "required"):
        if word in node:
            done[word] = sorted({text(item): item for item in node[word]}.values(), key=text)
    if "dependentRequired" in node:
        done["dependentRequired"] = {
            name: sorted(set(needs)) for name, needs in node["dependentRequired"].items() if needs
        }
    for word in _FOR["number"]:
        if isinstance(node.get(word), float) and node[word].is_integer():
            done[word] = int(node[word])
    return done


def _typed(node: Node) -> Node:
    """Say the type once, drop what is about other types, and let the values of an enum say theirs."""
    if "type" not in node:
        return node
    kinds = {node["type"]} if isinstance(node["type"], str) else set(node["type"])
    if "enum" in node:
        fitting = [item for item in node["enum"] if _is_of(item, kinds)]
        return {word: value for word, value in node.items() if word != "type"} | {"enum": fitting or node["enum"]}
    kinds -= {"integer"} if "number" in kinds else set()
    strange = {word for words in _FOR.values() for word in words} - {word for kind in kinds for word in about(kind)}
    done = {word: value for word, value in node.items() if word not in strange}
    done["type"] = sorted(kinds) if len(kinds) > 1 else min(kinds)
    return _whole(done) if "integer" in kinds else done


def _is_of(value: Any, kinds: set[str]) -> bool:
    kind = json_type(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _whole(node: Node) -> Node:
    """Write the bounds of an integer as the least and the greatest integer."""
    done = {word: value for word, value in node.items() if not word.startswith("exclusive")}
    lows = [math.floor(node["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in node else []
    lows += [math.ceil(node["minimum"])] if "minimum" in node else []
    highs = [math.ceil(node["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in node else []
    highs += [math.floor(node["maximum"])] if "maximum" in node else []
    return done | ({"minimum": max(lows)} if lows else {}) | ({"maximum": min(highs)} if highs else {})


def _unbranched(node: Node) -> Node:
    """Take brackets away: an `allOf` in an `allOf`, an `anyOf` in an `anyOf`, and a list of one."""
    done = dict(node)
    for word in ("allOf", "anyOf", "oneOf"):
        if word in done:
            flat: list[Any] = []
            for part in done[word]:
                flat += part[word] if word != "oneOf" and isinstance(part, dict) and part.keys() == {word} else [part]
            once = flat if word == "oneOf" else list({text(part): part for part in flat}.values())
            done[word] = sorted(once, key=text)
    for word in ("allOf", "anyOf", "oneOf"):
        if done.keys() == {word} and len(done[word]) == 1 and isinstance(done[word][0], dict):
            return dict(done[word][0])
    if done.keys() == {"anyOf"}:
        return _values(done["anyOf"]) or _side_by_side(done["anyOf"]) or done
    return _side_by_side(done["oneOf"]) or done if done.keys() == {"oneOf"} else done


def _values(branches: list[Any]) -> Node:
    """Return alternatives that only list values as one list; nothing otherwise."""
    if not all(isinstance(part, dict) and (part.keys() == {"enum"} or part == {"type": "null"}) for part in branches):
        return {}
    values = {text(value): value for part in branches for value in part.get("enum", [None])}
    return {"enum": [values[name] for name in sorted(values)]}


def _side_by_side(branches: list[Any]) -> Node:
    """Return alternatives as one node, where each is for other types; nothing otherwise.

    What is said about a string says nothing about null: the rules of both may stand side by side, and hold never twice.
    """
    kinds: list[str] = []
    for part in branches:
        said = part.get("type", []) if isinstance(part, dict) else []
        own = [said] if isinstance(said, str) else said
        if not own or not part.keys() <= {"type", *(word for kind in own for word in about(kind))}:
            return {}
        kinds += own
    if len({"number" if kind == "integer" else kind for kind in kinds}) < len(kinds):
        return {}
    return {word: value for part in branches for word, value in part.items()} | {"type": sorted(kinds)}


def about(kind: str) -> tuple[str, ...]:
    """Return the keywords that say something about values of one type only.

    >>> about("integer")[:2], about("null")
    (('minimum', 'maximum'), ())
    """
    return _FOR.get("number" if kind == "integer" else kind, ())
