"""Bring your own tool: contracts from an MCP `tools/list` reply, or from OpenAI or Anthropic tool definitions.

Definitions found in the wild are open and hold defaults. They are closed here, and every change is told; what cannot be
closed without a decision of yours is refused with the findings of the vetting.

Not here: writing files (`gate contract import`), calls and results in those shapes (`adapters`).
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from gate.contract import Contract, Side
from gate.errors import ConfigError, ContractError, Finding, quote

_SCHEMAS: dict[str, Side] = {
    "inputSchema": "input", "input_schema": "input", "parameters": "input", "outputSchema": "output",
}  # fmt: skip


class Imported(NamedTuple):
    """One side of one tool: the closed schema, what was changed in it, and the findings that still refuse it."""

    tool: str
    side: Side
    schema: dict[str, Any]
    changes: tuple[str, ...]
    findings: tuple[Finding, ...]


def import_tools(document: Any) -> list[Imported]:
    """Return the contracts in a parsed document, one for each side that a tool declares.

    Understood: `{"tools": [...]}`, the same under `result` (JSON-RPC), a list of definitions, or one; each with
    `inputSchema`/`outputSchema` (MCP), `input_schema` (Anthropic), or `parameters`, flat or under `function` (OpenAI).
    Raises `ConfigError` for a document without a definition, or one without a name and a schema.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}
    >>> import_tools({"name": "add", "inputSchema": schema})[0].changes
    ('(root): closed, unknown fields are refused', '/properties/n: default dropped, nothing is filled in')
    """
    found = [imported for definition in _definitions(document) for imported in _import_tool(definition)]
    if not found:
        raise ConfigError("the document holds no tool. Next: hand in a tools/list reply or a list of definitions.")
    return found


def _definitions(document: Any) -> list[Any]:
    if isinstance(document, dict):
        inner = document.get("result", document)
        tools = inner.get("tools", inner) if isinstance(inner, dict) else inner
        return tools if isinstance(tools, list) else [tools]
    return document if isinstance(document, list) else [document]


def _import_tool(definition: Any) -> list[Imported]:
    inner = definition.get("function", definition) if isinstance(definition, dict) else None
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or type(name) is not str:
        raise ConfigError(f"a tool definition is {quote(definition)} without a name. Next: give it one.")
    sides = [(side, inner[key]) for key, side in _SCHEMAS.items() if key in inner]
    if not sides:
        raise ConfigError(f"the tool {quote(name)} has no schema. Next: give it inputSchema or parameters.")
    return [_close(name, side, schema, inner.get("description")) for side, schema in sides]


def _close(tool: str, side: Side, schema: Any, description: Any) -> Imported:
    if not isinstance(schema, dict):
        raise ConfigError(f"the schema of {quote(tool)} is {quote(schema)}. Next: write it as an object.")
    closed = copy.deepcopy(schema)
    closed.pop("$schema", None)
    if type(description) is str:
        closed.setdefault("description", description)
    changes: list[str] = []
    _close_node(closed, "", changes)
    try:
        Contract.from_schema(closed, tool=tool, side=side)
        findings: tuple[Finding, ...] = ()
    except ContractError as error:
        findings = error.findings
    return Imported(tool, side, closed, tuple(changes), findings)


def _close_node(node: Any, path: str, changes: list[str]) -> None:
    """Close every object below a schema, drop defaults, and rename what older drafts call otherwise."""
    if not isinstance(node, dict):
        return
    where = path or "(root)"
    if "default" in node:
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
    _close_inside(node, path, changes)


def _close_inside(node: dict[str, Any], path: str, changes: list[str]) -> None:
    for word in ("properties", "$defs"):
        parts = node.get(word)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            _close_node(part, f"{path}/{word}/{name}", changes)
    for word in ("items", "additionalProperties"):
        _close_node(node.get(word), f"{path}/{word}", changes)
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        parts = node.get(word)
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            _close_node(part, f"{path}/{word}/{index}", changes)
