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
from gate.errors import ConfigError, Finding, quote


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
    if type(description) is str:
        closed.setdefault("description", description)
    changes: list[str] = []
    _close_node(closed, "", changes, drop_defaults)
    found = lint(Source(tool, side, closed, True))
    errors = tuple(item.finding for item in found if item.level == "error")
    warnings = tuple(item.finding for item in found if item.level == "warning")
    return Imported(tool, side, closed, tuple(changes), errors, warnings)


def _close_node(node: Any, path: str, changes: list[str], drop_defaults: bool) -> None:
    """Close every object below a schema, drop defaults, and rename what older drafts call otherwise."""
    if not isinstance(node, dict):
        return
    where = path or "(root)"
    if drop_defaults and "default" in node:
        del node["default"]
        changes.append(f"{where}: default dropped, nothing is filled in")
    if "definitions" in node and "$defs" not in node:
        node["$defs"] = node.pop("definitions")
        changes.append(f"{where}: definitions renamed to $defs")
    if isinstance(node.get("$ref"), str):
        node["$ref"] = node["$ref"].replace("#/definitions/", "#/$defs/")
    is_object = node.get("type") == "object" or "properties" in node
    if is_object and node.get("additionalProperties", True) in (True, {}):
        node["additionalProperties"] = False
        empty = "" if node.get("properties") else "; it names no field, so only {} passes"
        changes.append(f"{where}: closed, unknown fields are refused{empty}")
    if is_object and "type" not in node:
        node["type"] = "object"
    _close_inside(node, path, changes, drop_defaults)


def _close_inside(node: dict[str, Any], path: str, changes: list[str], drop_defaults: bool) -> None:
    for word in ("properties", "$defs"):
        parts = node.get(word)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            _close_node(part, f"{path}/{word}/{name}", changes, drop_defaults)
    for word in ("items", "additionalProperties"):
        _close_node(node.get(word), f"{path}/{word}", changes, drop_defaults)
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        parts = node.get(word)
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            _close_node(part, f"{path}/{word}/{index}", changes, drop_defaults)
