"""Tool definitions as they are found: an MCP `tools/list` reply, or what OpenAI or Anthropic is sent.

Not here: closing their schemas (`importing`), calls and results in those shapes (`gate.adapters`).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from gate.contract import Side
from gate.errors import ConfigError, quote

Origin = Literal["mcp", "openai", "anthropic", "auto"]
ORIGINS: tuple[Origin, ...] = ("auto", "mcp", "openai", "anthropic")

_KEYS: dict[str, tuple[str, Side]] = {
    "inputSchema": ("mcp", "input"), "outputSchema": ("mcp", "output"), "input_schema": ("anthropic", "input"),
    "parameters": ("openai", "input"),
}  # fmt: skip
_OWN = ("function", "custom")  # the types of tools that a caller brings along; others a provider brings


class Definition(NamedTuple):
    """One side of one tool as it was declared. `schema` is not looked at yet."""

    tool: str
    side: Side
    schema: Any
    description: Any


def read_definitions(document: Any, origin: Origin = "auto") -> list[Definition]:
    """Return what a parsed document declares, one for each side of each tool.

    Understood: `{"tools": [...]}`, the same under `result` (JSON-RPC), a list of definitions, or one; each with
    `inputSchema`/`outputSchema` (MCP), `input_schema` (Anthropic), or `parameters`, flat or under `function` (OpenAI).
    `origin` takes one of the shapes only. Raises `ConfigError` for a document without a definition, and for one
    without a name or a schema of that shape.

    >>> read_definitions([{"name": "add", "input_schema": {"type": "object"}}])[0].side
    'input'
    """
    if isinstance(document, dict) and isinstance(document.get("error"), dict) and "result" not in document:
        said = quote(document["error"].get("message"), 120)
        raise ConfigError(f"the document is an error reply: {said}. Next: ask the server for tools/list again.")
    listed = _listed(document)
    found = [part for number, item in enumerate(listed, 1) for part in _sides(item, f"tool {number}", origin)]
    if not found:
        raise ConfigError("the document holds no tool. Next: hand in a tools/list reply or a list of definitions.")
    return found


def holds_definitions(document: Any) -> bool:
    """Say whether a parsed document declares tools; if not, it may be a schema itself.

    >>> holds_definitions({"tools": []}), holds_definitions({"type": "object", "properties": {"tools": {}}})
    (True, False)
    """
    if not isinstance(document, dict):
        return isinstance(document, list)
    named = "name" in document and document.keys() & _KEYS.keys()
    return bool(named) or bool(document.keys() & {"tools", "result", "function"})


def _listed(document: Any) -> list[Any]:
    if isinstance(document, dict):
        inner = document.get("result", document)
        tools = inner.get("tools", inner) if isinstance(inner, dict) else inner
        return tools if isinstance(tools, list) else [tools]
    return document if isinstance(document, list) else [document]


def _sides(definition: Any, which: str, origin: Origin) -> list[Definition]:
    inner = definition.get("function", definition) if isinstance(definition, dict) else None
    if not isinstance(inner, dict):
        raise ConfigError(f"{which} is {quote(definition)}, no definition. Next: give it a name and a schema.")
    name = inner.get("name")
    there = {key: _KEYS[key] for key in _KEYS if key in inner}
    kind = inner.get("type", "function")
    if not there and kind not in _OWN:
        message = f"{which} is of type {quote(kind)} and has no schema: its provider knows it."
        raise ConfigError(f"{message} Next: take it out, or write down its name and schema.")
    if type(name) is not str:
        raise ConfigError(f"{which} has no name. Next: give it one.")
    keys = [key for key, (shape, _) in there.items() if origin in ("auto", shape)]
    if there and not keys:
        shape = min(there.values())[0]
        raise ConfigError(f"the tool {quote(name)} is no {origin} definition. Next: say --from {shape}, or auto.")
    if not keys:
        raise ConfigError(f"the tool {quote(name)} has no schema. Next: give it inputSchema or parameters.")
    if len({there[key][1] for key in keys}) < len(keys):
        raise ConfigError(f"the tool {quote(name)} has {' and '.join(keys)}. Next: say with --from which one counts.")
    return [Definition(name, there[key][1], inner[key], inner.get("description")) for key in keys]
