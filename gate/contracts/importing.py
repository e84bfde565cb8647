"""Bring your own tool: closed contracts from the tool definitions that you have.

Definitions found in the wild are open and hold defaults. They are closed here, and every change is told; what cannot be
closed without a decision of yours is refused with the findings of the vetting, and a bound that it lacks is listed,
never guessed.

Not here: finding the definitions in a document (`definitions`), writing files (`gate contract import`).
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from gate.contract import Contract, Side
from gate.contracts.definitions import Definition, Origin, read_definitions
from gate.contracts.linting import lint
from gate.contracts.sources import Source
from gate.engine.explain import pointer
from gate.engine.refs import resolve
from gate.errors import ConfigError, Finding, quote

Steps = tuple[str | int, ...]
_HOLDING = ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems")
_CONDITIONS = ("not", "if", "then", "else", "contains", "propertyNames")


class Imported(NamedTuple):
    """One side of one tool: the closed schema, what was changed in it, the `findings` that still refuse it, and what
    is still `to_do` (the warnings: bounds that only a person can know)."""

    tool: str
    side: Side
    schema: dict[str, Any]
    changes: tuple[str, ...]
    findings: tuple[Finding, ...]
    to_do: tuple[Finding, ...]

    @property
    def id(self) -> str:
        """The tool and the side: `find.input`."""
        return f"{self.tool}.{self.side}"

    def contract(self) -> Contract:
        """Return the contract. Raises `ContractError` while `findings` refuse it."""
        return Contract.from_schema(self.schema, tool=self.tool, side=self.side)


def import_tools(document: Any, origin: Origin = "auto", *, drop_defaults: bool = True) -> list[Imported]:
    """Return the contracts in a parsed document, one for each side that a tool declares.

    A default stays, and is a finding, unless `drop_defaults`. Raises `ConfigError` for a document that `definitions`
    does not understand.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}
    >>> import_tools({"name": "add", "inputSchema": schema})[0].changes
    ('(root): closed, unknown fields are refused', '/properties/n: default dropped, nothing is filled in')
    """
    return [_closed(definition, drop_defaults) for definition in read_definitions(document, origin)]


def _closed(definition: Definition, drop_defaults: bool) -> Imported:
    tool, side, schema, description = definition
    if not isinstance(schema, dict):
        raise ConfigError(f"the schema of {quote(tool)} is {quote(schema)}. Next: write it as an object.")
    closed = copy.deepcopy(schema)
    closed.pop("$schema", None)
    closer = _Closer(drop_defaults)
    closer.node(closed, ())
    closed = closer.rooted(closed)
    if type(description) is str:
        closed.setdefault("description", description)
    found = lint(Source(tool, side, closed, True))
    errors = tuple(item.finding for item in found if item.level == "error")
    warnings = tuple(item.finding for item in found if item.level == "warning")
    return Imported(tool, side, closed, tuple(closer.changes), errors, warnings)


class _Closer:
    """Changes a schema into one that is closed, and keeps in `changes` what it did, each at its JSON Pointer."""

    def __init__(self, drop_defaults: bool) -> None:
        self.changes: list[str] = []
        self._drop_defaults = drop_defaults

    def rooted(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a schema whose root is an object of its own, where it was a reference to one (a recursive model)."""
        target = resolve(schema, schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
        if "type" in schema or "properties" in schema or not isinstance(target, dict):
            return schema
        self._tell((), f"what {quote(schema['$ref'], 80)} points at is written out")
        return copy.deepcopy(target) | {word: value for word, value in schema.items() if word != "$ref"}

    def node(self, node: Any, at: Steps, *, decides: bool = True) -> None:
        """Change one schema and what is below it. Only one that `decides` what passes is closed, no condition is."""
        if not isinstance(node, dict):
            return
        self._rename(node, at)
        if decides:
            self._close(node, at)
        for word in ("properties", "$defs"):
            parts = node.get(word)
            for name, part in parts.items() if isinstance(parts, dict) else ():
                self.node(part, (*at, word, name), decides=decides or word == "$defs")
        for word in (*_HOLDING, *_CONDITIONS):
            parts = node.get(word)
            for index, part in enumerate(parts) if isinstance(parts, list) else [(None, parts)]:
                self.node(part, (*at, word, *([] if index is None else [index])), decides=decides and word in _HOLDING)

    def _rename(self, node: dict[str, Any], at: Steps) -> None:
        """Drop what decides nothing, and rename what older drafts call otherwise."""
        if self._drop_defaults and "default" in node:
            del node["default"]
            self._tell(at, "default dropped, nothing is filled in")
        if "discriminator" in node and ("oneOf" in node or "anyOf" in node):
            del node["discriminator"]
            self._tell(at, "discriminator dropped, the alternatives decide by themselves")
        if "definitions" in node and "$defs" not in node:
            node["$defs"] = node.pop("definitions")
            self._tell(at, "definitions renamed to $defs")
        if isinstance(node.get("$ref"), str):
            node["$ref"] = node["$ref"].replace("#/definitions/", "#/$defs/")

    def _close(self, node: dict[str, Any], at: Steps) -> None:
        is_object = node.get("type") == "object" or "properties" in node
        if is_object and node.get("additionalProperties", True) in (True, {}):
            node["additionalProperties"] = False
            empty = "" if node.get("properties") else "; it names no field, so only {} passes"
            self._tell(at, f"closed, unknown fields are refused{empty}")
        if is_object and "type" not in node:
            node["type"] = "object"
        if isinstance(node.get("prefixItems"), list) and node.get("items", True) in (True, {}):
            node["items"] = False
            self._tell(at, f"closed, no item after the first {len(node['prefixItems'])}")

    def _tell(self, at: Steps, change: str) -> None:
        self.changes.append(f"{pointer(at) or '(root)'}: {change}")
