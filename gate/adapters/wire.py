"""What the providers' shapes have in common.

Not here: the shapes (`openai`, `anthropic`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gate.calls.reply import Message
from gate.calls.tools import Tools
from gate.errors import GateError

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
    """Return a provider's reply as a dict. Raises `GateError` for what is none; `what` names what it should be."""
    value = reply.model_dump(mode="json") if hasattr(reply, "model_dump") else reply
    if not isinstance(value, dict):
        raise GateError(f"the model's reply is not {what}.")
    return value


def answered(messages: Iterable[Message]) -> list[Message]:
    """Return messages in which every call has its one result, as the providers demand.

    A call whose id cannot be used, or was used before, is left out: what became of it is told in text.
    """
    seen: set[str] = set()
    kept = []
    for message in messages:
        if message["role"] == "assistant":
            calls = []
            for call in message["calls"]:
                identity = call.get("id") if type(call) is dict else None
                if type(identity) is str and type(call.get("name")) is str and identity not in seen:
                    seen.add(identity)
                    calls.append(call)
            message = {**message, "calls": calls}
        elif isinstance(message["content"], list):
            results = [item for item in message["content"] if item.get("tool_use_id") in seen]
            texts = [item for item in message["content"] if item["type"] == "text"]
            message = {**message, "content": [*results, *texts]}
        kept.append(message)
    return kept
