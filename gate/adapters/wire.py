"""What the providers' shapes have in common.

Not here: the shapes (`openai`, `anthropic`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gate.calls.reply import Message
from gate.calls.step import UNIDENTIFIED, identity
from gate.calls.tools import Tools
from gate.errors import GateError, type_name

_WIRE_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
UNKNOWN = "unknown"  # a finish reason that was not given: any doubt is a block


def wire_name(name: str) -> str:
    """Return a tool's name as the providers allow it. No two tools share one: such names are refused as look-alikes.

    >>> wire_name("inventory.lookup")
    'inventory_lookup'
    """
    return name.replace(".", "_")


class Names:
    """The tools' own names by their names on the wire. Exact, or unchanged: nothing is matched to what is closest."""

    def __init__(self, tools: Tools) -> None:
        self._own = {wire_name(name): name for name in tools.names()}

    def own(self, name: Any) -> Any:
        """Return a tool's own name; what is no tool's name on the wire comes back as it is."""
        return self._own.get(name, name) if type(name) is str else name


def definitions(tools: Tools) -> list[tuple[str, str, dict[str, Any]]]:
    """Return name on the wire, description and schema of each tool's arguments: the contracts themselves."""
    contracts = [contract for contract in tools.contracts if contract.side == "input"]
    return [(wire_name(c.tool), str(c.schema.get("description", c.tool)), c.schema) for c in contracts]


def plain(reply: Any, what: str) -> dict[str, Any]:
    """Return what a provider sent as a dict. Raises `GateError` for what is none; `what` names both."""
    try:
        value = reply.model_dump(mode="json") if hasattr(reply, "model_dump") else reply
    except Exception as error:
        raise GateError(f"{what}: it could not be read ({type_name(type(error))}).") from error
    if not isinstance(value, dict):
        raise GateError(f"{what}.")
    return value


def answered(messages: Iterable[Message]) -> list[Message]:
    """Return messages in which every call has its one result, as the providers demand.

    A call whose id cannot be used or was used before, or whose name no provider allows, is left out: what became of it
    is told in text.
    """
    seen: set[str] = set()
    kept = []
    for message in messages:
        if message["role"] == "assistant":
            calls = []
            for call in message["calls"]:
                if _may_be_sent(call) and identity(call) not in seen:
                    seen.add(identity(call))
                    calls.append(call)
            message = {**message, "calls": calls}
        elif isinstance(message["content"], list):
            results = [item for item in message["content"] if item.get("tool_use_id") in seen]
            texts = [_as_text(item) for item in message["content"] if item.get("tool_use_id") not in seen]
            message = {**message, "content": [*results, *texts]}
        kept.append(message)
    return kept


def _may_be_sent(call: Any) -> bool:
    if identity(call) == UNIDENTIFIED or type(call.get("name")) is not str:
        return False
    return _WIRE_NAME.fullmatch(wire_name(call["name"])) is not None


def _as_text(item: dict[str, Any]) -> dict[str, Any]:
    """Return a result that answers no call as text."""
    content = item["text"] if item["type"] == "text" else item["content"]
    if isinstance(content, list):
        content = "\n".join(block["text"] for block in content if block["type"] == "text")
    return {"type": "text", "text": content}
