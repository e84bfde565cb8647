"""Anthropic's messages: a reply to the kit's words, and the kit's messages back.

Not here: streams; they end in the same message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gate.adapters.wire import UNKNOWN, Names, answered, definitions, plain, wire_name
from gate.calls.reply import Message, Reply
from gate.calls.tools import Tools
from gate.errors import Finding, GateError
from gate.payload import read


def anthropic_tools(tools: Tools) -> list[dict[str, Any]]:
    """Return the tool definitions of a request."""
    return [{"name": name, "description": about, "input_schema": schema} for name, about, schema in definitions(tools)]


def from_anthropic(message: Any, tools: Tools) -> Reply:
    """Return an assistant message: its text, and its `tool_use` blocks as calls.

    >>> from gate.registry import Contracts
    >>> block = {"type": "tool_use", "id": "t1", "name": "refund", "input": {}}
    >>> from_anthropic({"content": [block], "stop_reason": "max_tokens"}, Tools({}, Contracts([]))).incomplete
    True
    """
    value = plain(message, "the model's reply is not a message")
    content, reason = value.get("content"), value.get("stop_reason")
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise GateError("the model's reply is no message with content blocks.")
    names = Names(tools)
    calls = tuple(
        {key: block[key] for key in ("id", "input") if key in block} | {"name": names.own(block.get("name"))}
        for block in content
        if block.get("type") == "tool_use"
    )
    texts = [block["text"] for block in content if block.get("type") == "text" and isinstance(block.get("text"), str)]
    return Reply("\n".join(texts), calls, reason if isinstance(reason, str) else UNKNOWN)


def to_anthropic(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the kit's messages for a request; a tool result is already in the provider's shape.

    >>> to_anthropic([{"role": "assistant", "content": "one moment", "calls": []}])
    [{'role': 'assistant', 'content': [{'type': 'text', 'text': 'one moment'}]}]
    """
    return [_wired(message) for message in answered(messages)]


def _wired(message: Message) -> dict[str, Any]:
    if message["role"] != "assistant":
        return message
    uses = [
        {"type": "tool_use", "id": call["id"], "name": wire_name(call["name"]), "input": _input(call)}
        for call in message["calls"]
    ]
    text = message["content"] or ("" if uses else "(no text)")  # an empty message or text is refused by the server
    return {"role": "assistant", "content": [*([{"type": "text", "text": text}] if text else []), *uses]}


def _input(call: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments as the object the shape demands; text that was refused as no object goes back empty."""
    given: Any = next((call[key] for key in ("input", "arguments", "raw") if key in call), {})
    value = read(given)
    return {} if isinstance(value, Finding) else value
