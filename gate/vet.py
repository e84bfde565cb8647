"""Vetting: is a schema fit to be a contract? Errors refuse to start; warnings are shown by `gate contract lint`.

A contract is closed at every level, uses only keywords that are enforced, and means the same to both engines. The
rules are those of the README's "What a contract may say".

Not here: whether the contract is the right one for the tool.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gate.engine import patterns
from gate.engine.faults import DIALECT
from gate.engine.formats import BOUNDED, FORMATS
from gate.engine.linear import matcher
from gate.engine.refs import IN_PLACE, Place, faulty_references
from gate.engine.work import most_work
from gate.errors import Finding, escape, finding, quote
from gate.vetting import lines
from gate.vetting.shapes import as_list, as_object, is_bounded_text, is_closed, is_limit, is_map, is_shaped, types

NOTES = {"$schema", "$id", "$comment", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}
KEYWORDS = NOTES | set(IN_PLACE) | {
    "$defs", "$ref", "type", "enum", "const", "properties", "required", "additionalProperties", "propertyNames",
    "minProperties", "maxProperties", "dependentRequired", "items", "prefixItems", "minItems", "maxItems",
    "uniqueItems", "contains", "minContains", "maxContains", "minLength", "maxLength", "pattern", "format", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}  # fmt: skip
MAX_WORK = 10_000  # schemas that are asked on the way from a value to its deepest part
_OWN_SHAPE = {"type", "$ref", "enum", "const"}


class Vetting(NamedTuple):
    """What vetting found: `errors` refuse to start, `warnings` do not."""

    errors: list[Finding]
    warnings: list[Finding]


def vet(schema: dict[str, Any]) -> Vetting:
    """Return every reason why a plain JSON object is no contract, and every bound it lacks.

    >>> [found.code for found in vet({"type": "object", "properties": {}}).errors]
    ['contract.open']
    """
    vetter = _Vetter()
    if schema.get("type") != "object":
        vetter.error("root", "", "a contract must be an object at its root.", lines.root(schema))
    if schema.get("$schema", DIALECT) != DIALECT:
        message = f"$schema is {quote(schema['$schema'], 80)}: contracts are read as 2020-12."
        vetter.error("dialect", "/$schema", message, lines.write({"$schema": DIALECT}, "drop it"))
    vetter.node(schema, "", closed=True, known=frozenset())
    for reason, path, message, hint in faulty_references(schema, vetter.places):
        vetter.error(reason, path, message, hint)
    if not vetter.errors and most_work(schema) > MAX_WORK:
        message = f"its references unfold to more than {MAX_WORK:,} schemas for one value: judging could take for ever."
        vetter.error("ref", "", message, "point at each schema under $defs once for a value.")
    return Vetting(sorted(set(vetter.errors)), sorted(set(vetter.warnings)))


class _Vetter:
    """Walks a schema once, collecting findings. Paths are JSON Pointers into the schema."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.errors: list[Finding] = []
        self.warnings: list[Finding] = []

    def error(self, reason: str, path: str, message: str, hint: str) -> None:
        self.errors.append(finding(f"contract.{reason}", path, message, hint))

    def warn(self, reason: str, path: str, message: str, hint: str) -> None:
        self.warnings.append(finding(f"contract.{reason}", path, message, hint))

    def node(self, node: Any, path: str, *, closed: bool, known: frozenset[str]) -> None:
        """Vet one schema. `closed`: it decides alone what passes, so it must be typed and closed; `known` names the
        properties of the object it only narrows."""
        if not isinstance(node, dict):
            message = f"{path or 'the contract'} is {quote(node)}, not a schema object: it closes nothing."
            self.error("open", path, message, lines.shape(node))
            return
        self.keywords(node, path)
        self.places.append(Place(node, path, closed))
        if closed and not is_shaped(node):
            self.error("open", path, f"{path or 'the contract'} has no type: anything passes.", lines.shape(node))
        alike = [node, *filter(is_shaped, as_list(node.get("allOf")))]
        names = known.union(*(as_object(part.get("properties")) for part in alike))
        self.object_rules(node, path, closed, names)
        self.array_rules(node, path, closed)
        self.string_rules(node, path, closed)
        self.number_rules(node, path, closed)
        self.inside(node, path, closed, names)

    def keywords(self, node: dict[str, Any], path: str) -> None:
        for word, value in node.items():
            if word == "default":
                message = f"{path or 'the contract'} has a default, and nothing is ever filled in."
                self.error("default", f"{path}/default", message, lines.drop(word, value))
            elif word not in KEYWORDS:
                message = f"{quote(word)} is no keyword of a contract."
                self.error("keyword", _below(path, word), message, lines.keyword(node, word, KEYWORDS))
            elif word in ("$id", "$schema") and path:
                self.error("keyword", f"{path}/{word}", f"{word} stands below the root.", lines.drop(word, value))

    def object_rules(self, node: dict[str, Any], path: str, closed: bool, names: frozenset[str]) -> None:
        typed = "object" in types(node)
        if closed and typed and not is_closed(node):
            message = f"{path or 'the contract'} is open: unknown fields would pass."
            self.error("open", path, message, lines.closing(node))
        if closed and not typed and "properties" in node and "type" in node:
            self.error("open", path, f"{path} has properties but is no object.", lines.write({"type": "object"}))
        needed = [
            *as_list(node.get("required")),
            *(n for part in as_object(node.get("dependentRequired")).values() for n in part),
        ]
        for name in needed:
            if name not in names and not is_map(node):
                message = f"required names {quote(name)}, which is no property: nothing could ever pass."
                self.error("required", f"{path}/required", message, lines.required(node, names))

    def array_rules(self, node: dict[str, Any], path: str, closed: bool) -> None:
        if not closed or "array" not in types(node):
            return
        if "items" not in node:
            self.error("open", path, f"{path} is an array of anything.", lines.items(node))
        if "maxItems" not in node and node.get("items") is not False:
            self.warn("unbounded", path, f"{path} may be of any length.", lines.most_items(node))

    def string_rules(self, node: dict[str, Any], path: str, closed: bool) -> None:
        name = node.get("format")
        if name is not None and name not in FORMATS:
            hint = lines.format_name(name, FORMATS)
            self.error("format", f"{path}/format", f"the format {quote(name)} is not checked by the kit.", hint)
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            self.pattern(pattern, f"{path}/pattern")
        bounded = is_bounded_text(node, BOUNDED)
        if closed and "string" in types(node) and not bounded and "enum" not in node and "const" not in node:
            self.warn("unbounded", path, f"{path} may be a string of any length.", lines.longest(node))

    def pattern(self, pattern: str, path: str) -> None:
        try:
            matcher(pattern)
        except ValueError as error:
            hint = lines.drop("pattern", pattern, "say it with what means the same in both engines")
            self.error("pattern", path, f"the pattern {error}.", hint)
            return
        if not patterns.is_anchored(pattern):
            self.warn("unanchored", path, "the pattern is found anywhere in the string.", lines.anchored(pattern))

    def number_rules(self, node: dict[str, Any], path: str, closed: bool) -> None:
        ends = ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"})
        bounded = node.keys() & {"enum", "const"} or all(any(is_limit(node.get(word)) for word in end) for end in ends)
        if closed and types(node) & {"integer", "number"} and not bounded:
            self.warn("unbounded_number", path, f"{path} has no least or no greatest value.", lines.ends(node))

    def inside(self, node: dict[str, Any], path: str, closed: bool, names: frozenset[str]) -> None:
        for word in ("properties", "$defs"):
            for name, part in as_object(node.get(word)).items():
                whole = closed or word == "$defs"
                self.node(part, _below(f"{path}/{word}", name), closed=whole, known=frozenset())
        for word in ("items", "additionalProperties"):
            if isinstance(node.get(word), dict) or (word == "items" and node.get(word) is True):
                self.node(node[word], f"{path}/{word}", closed=closed, known=frozenset())
        for index, part in enumerate(as_list(node.get("prefixItems"))):
            self.node(part, f"{path}/prefixItems/{index}", closed=closed, known=frozenset())
        for word in ("propertyNames", "contains"):
            if word in node:
                self.node(node[word], f"{path}/{word}", closed=False, known=frozenset())
        for word in IN_PLACE:
            parts = node.get(word)
            for index, part in enumerate(parts if isinstance(parts, list) else [parts] if word in node else []):
                where = f"{path}/{word}/{index}" if isinstance(parts, list) else f"{path}/{word}"
                shapes = word in ("anyOf", "oneOf") or (word == "allOf" and is_shaped(part))
                alone = closed and shapes and not node.keys() & _OWN_SHAPE
                self.node(part, where, closed=alone, known=frozenset() if alone else names)


def _below(path: str, name: str) -> str:
    """Return the JSON Pointer of a name below a path; the name is somebody's, so it is escaped and cut short."""
    return f"{path}/{escape(name, 40).replace('~', '~0').replace('/', '~1')}"
