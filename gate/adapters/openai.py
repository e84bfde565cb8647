"""OpenAI's chat completions, which many servers speak: a reply to the kit's words, and the kit's messages back.

Not here: streams, and the Responses API. Both end in the same calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gate.adapters.wire import UNKNOWN, Names, answered, definitions, plain, wire_name
from gate.calls.reply import Message, Reply
from gate.calls.tools import Tools
from gate.errors import GateError
from gate.wrapping.redact import MARK


def openai_tools(tools: Tools) -> list[dict[str, Any]]:
    """Return the tool definitions of a request."""
    return [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about, schema in definitions(tools)
    ]


def from_openai(response: Any, tools: Tools) -> Reply:
    """Return the one choice of a chat completion. Arguments stay the text they are.

    >>> from gate.registry import Contracts
    >>> call = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}
    >>> choice = {"finish_reason": "tool_calls", "message": {"content": None, "tool_calls": [call]}}
    >>> from_openai({"choices": [choice]}, Tools({}, Contracts([]))).calls
    ({'id': 'c1', 'name': 'refund', 'raw': '{}'},)
    """
    choices = plain(response, "the model's reply is not a chat completion").get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise GateError("the model's reply is no chat completion with exactly one choice.")
    message = choices[0].get("message")
    calls = message.get("tool_calls") or [] if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(calls, list):
        raise GateError("the choice of the model's reply holds no message.")
    if message.get("function_call"):
        raise GateError("the model's reply calls a function in the old shape, not a tool.")
    names = Names(tools)
    reason = choices[0].get("finish_reason")
    return Reply(
        _words(message.get("content")) or _words(message.get("refusal")),
        tuple(_call(item, names) for item in calls),
        reason if isinstance(reason, str) else UNKNOWN,
    )


def _words(content: Any) -> str:
    """Return what a message says: some servers send it in parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") or part.get("refusal") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _call(item: Any, names: Names) -> Any:
    function = item.get("function") if isinstance(item, dict) else None
    if not isinstance(function, dict):
        return item  # no call at all: judged, and refused, as what it is
    call = {"id": item.get("id"), "name": names.own(function.get("name"))}
    if "arguments" in function:  # some servers send the object itself
        call["raw" if isinstance(function["arguments"], str) else "arguments"] = function["arguments"]
    return call


def to_openai(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the kit's messages for a request. An error begins with the kit's mark, because the shape has no flag.

    >>> to_openai([{"role": "user", "content": "hello"}])
    [{'role': 'user', 'content': 'hello'}]
    """
    return [item for message in answered(messages) for item in _wired(message)]


def _wired(message: Message) -> list[dict[str, Any]]:
    if message["role"] == "assistant":
        calls = [_tool_call(call) for call in message["calls"]]
        return [{"role": "assistant", "content": message["content"]} | ({"tool_calls": calls} if calls else {})]
    if isinstance(message["content"], str):
        return [message]
    return [
        {"role": "tool", "tool_call_id": item["tool_use_id"], "content": _text(item)}
        if item["type"] == "tool_result"
        else {"role": "user", "content": item["text"]}
        for item in message["content"]
    ]


def _tool_call(call: dict[str, Any]) -> dict[str, Any]:
    raw = call.get("raw")
    arguments = raw if isinstance(raw, str) else json.dumps(call.get("arguments", call.get("input", {})), default=str)
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": wire_name(call["name"]), "arguments": arguments},
    }


def _text(result: dict[str, Any]) -> str:
    content = result["content"]
    if isinstance(content, list):
        content = "\n".join(
            block["text"] if block["type"] == "text" else f"{MARK} {block['type']} left out, this model cannot read it]"
            for block in content
        )
    return f"{MARK} error]\n{content}" if result["is_error"] else content
