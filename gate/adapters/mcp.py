"""MCP's `tools/call`: a request to a call, a server's result to what a tool may return, and a tool result back.

Not here: the connection; hand in what your client or server library gives you, as a dict or its own object.
"""

from __future__ import annotations

from typing import Any

from gate.adapters.wire import plain
from gate.brakes.outcomes import OutcomeUnknown
from gate.calls.running import Returned
from gate.envelope import ToolResult
from gate.errors import GateError, quote

_MOST = 10**100  # a larger id is nobody's, and its digits take long


class NoResult(GateError, OutcomeUnknown):
    """A server's answer that is no result. The request was sent, so nobody knows whether its tool took effect."""


def from_mcp_call(request: Any) -> dict[str, Any]:
    """Return a `tools/call` request as a call.

    >>> from_mcp_call({"id": 7, "method": "tools/call", "params": {"name": "f", "arguments": {"n": 1}}})
    {'id': '7', 'name': 'f', 'arguments': {'n': 1}}

    Raises `GateError` for what is another request, or none.
    """
    value = plain(request, "the request is no tools/call request")
    if value.get("method", "tools/call") != "tools/call":
        raise GateError(f"the request is no tools/call request, it asks for {quote(value['method'])}.")
    params, identity = value.get("params"), value.get("id")
    call = {"id": str(identity) if type(identity) is int and abs(identity) < _MOST else identity}
    if isinstance(params, dict):
        call |= {key: params[key] for key in ("name", "arguments") if key in params}
        call.setdefault("arguments", {})  # the protocol lets a call without arguments leave them out
    return call


def from_mcp(result: Any) -> Returned:
    """Return a server's result for the harness: `structuredContent` is judged, `isError` stays a failure.

    Return it from your tool: `Tool(lambda **arguments: from_mcp(call_my_server("lookup", arguments)))`.

    >>> from_mcp({"content": [{"type": "text", "text": "upstream 503"}], "isError": True}).failed
    True

    Raises `NoResult`, which a fence takes for an unknown outcome, for a JSON-RPC error and for what is no result.
    """
    value = _result(result)
    flag = value.get("isError", False)
    blocks = [_block(item) for item in value.get("content") or []]
    return Returned(value.get("structuredContent"), blocks or None, flag is not False and flag is not None)


def _result(result: Any) -> dict[str, Any]:
    """Return a server's result as a dict that has content of some kind, or at least says that it failed."""
    try:
        value = plain(result, "the server's answer is no object")
    except GateError as error:
        raise NoResult(str(error)) from error
    failure = value.get("error")
    if isinstance(failure, dict) and "content" not in value:
        raise NoResult(f"the server answered with an error: {quote(failure.get('message'), 200)}.")
    content = value.get("content")
    if isinstance(content, list) or (content is None and not {"structuredContent", "isError"}.isdisjoint(value)):
        return value
    raise NoResult("the server's answer is no tools/call result. Next: hand in the result alone, with its content.")


def _block(item: Any) -> Any:
    """Return a block as the kit writes it. One of a kind the kit does not have stays as it is, and is refused."""
    kind = item.get("type") if isinstance(item, dict) else None
    if kind == "text":
        return {key: item[key] for key in ("type", "text") if key in item}
    if kind == "image":
        return {"type": "image", "source": _encoded(item.get("mimeType"), item.get("data"))}
    resource = item.get("resource") if kind == "resource" else None
    if isinstance(resource, dict) and "text" in resource:
        return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": resource["text"]}}
    if isinstance(resource, dict):
        return {"type": "document", "source": _encoded(resource.get("mimeType"), resource.get("blob"))}
    return item


def _encoded(media_type: Any, data: Any) -> dict[str, Any]:
    return {"type": "base64", "media_type": media_type, "data": data}


def to_mcp(result: ToolResult) -> dict[str, Any]:
    """Return a tool result as a server answers it.

    >>> to_mcp(ToolResult(type="tool_result", tool_use_id="7", content="4 left", is_error=False))
    {'content': [{'type': 'text', 'text': '4 left'}], 'isError': False}
    """
    content = result["content"]
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return {"content": [_mcp_block(block) for block in blocks], "isError": result["is_error"]}


def _mcp_block(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "image":
        return {"type": "image", "data": block["source"]["data"], "mimeType": block["source"]["media_type"]}
    if block["type"] == "document":
        return _resource(block["source"])
    return block


def _resource(source: dict[str, Any]) -> dict[str, Any]:
    """Return a document as an embedded resource, which is where MCP has documents."""
    field = "text" if source["type"] == "text" else "blob"
    resource = {"uri": "gate:document", "mimeType": source["media_type"], field: source["data"]}
    return {"type": "resource", "resource": resource}
