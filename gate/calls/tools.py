"""The tools an agent has: each function beside its contracts, checked against them before anything runs.

Not here: running one (`running`) and judging what it was sent or gave back (`harness`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from gate.contract import Contract
from gate.errors import ContractError, Finding, finding, quote
from gate.registry import Contracts


class Fence(Protocol):
    """What a tool with side effects runs behind; `gate.fence.ToolFence` is one."""

    def run(self, payload: Any, mutate: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Run `mutate` at most once for the key in `payload`, and say what it came to."""


class Tool(NamedTuple):
    """A function that takes the arguments of its contract by name, and what else holds for it.

    `echo` are the fields that must come back as they were sent: a result for another sku answers another question.
    `fence` makes it a mutation: the function runs at most once for a key, within the budget of its run.
    """

    function: Callable[..., Any]
    echo: tuple[str, ...] = ()
    fence: Fence | None = None


class Tools:
    """All tools of an agent, by name, with `contracts` narrowed to them. Read-only.

    Takes a mapping of names to functions or `Tool`s. Raises `ContractError`, every finding in it, when a name is no
    string, a tool has no input contract, a function's parameters and its contract disagree (`contract.signature`), or
    an `echo` field is not in both contracts (`contract.echo`). So no such fault is ever blamed on the model.

    >>> from gate.registry import load_contracts
    >>> Tools({"refund_order": lambda order_id, amount, currency, reason: {}}, load_contracts()).names()
    ('refund_order',)

    Does not catch: a parameter that means something else than its name says.
    """

    def __init__(self, tools: Mapping[str, Callable[..., Any] | Tool], contracts: Contracts) -> None:
        entries = {name: item if isinstance(item, Tool) else Tool(item) for name, item in tools.items()}
        found = [item for name, tool in entries.items() for item in _faults(name, tool, contracts)]
        if found:
            more = f" … and {len(found) - 1} more" if len(found) > 1 else ""
            raise ContractError(f"{found[0].message} Next: {found[0].hint}{more}", tuple(found))
        self._tools = entries
        self.contracts = Contracts(contract for contract in contracts if contract.tool in entries)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def names(self) -> tuple[str, ...]:
        """Return the names of all tools, sorted."""
        return tuple(sorted(self._tools))


def _faults(name: object, tool: Tool, contracts: Contracts) -> list[Finding]:
    if type(name) is not str:
        return [_fault("name", f"{quote(name)} names a tool.", "name tools with strings.")]
    contract = contracts.input(name)
    if contract is None:
        return [_fault("missing", f"the tool {quote(name)} has no input contract.", "write and freeze one.")]
    return [*_signature_faults(tool.function, contract), *_echo_faults(tool, contract, contracts.output(name))]


def _signature_faults(function: Callable[..., Any], contract: Contract) -> list[Finding]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        message = f"the tool {contract.tool} is no function whose parameters can be read."
        return [_fault("signature", message, "wrap it in a function with named parameters.")]
    schema = contract.schema
    fields, required = schema.get("properties", {}), schema.get("required", [])
    by_name = {item.name: item for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)}
    problems = [
        _demand(item, fields)
        for item in parameters
        if item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)
        and (item.kind is item.POSITIONAL_ONLY or item.name not in required)
    ]  # fmt: skip
    if not any(item.kind is item.VAR_KEYWORD for item in parameters):
        unknown = [quote(name)[1:-1] for name in fields if name not in by_name]
        unknown += ["further fields"] if schema.get("additionalProperties") is not False else []
        problems += [f"takes no {name}, which its contract allows" for name in unknown]
    return [_fault("signature", f"the tool {contract.tool} {what}.", "mend one of the two.") for what in problems]


def _demand(parameter: inspect.Parameter, fields: dict[str, Any]) -> str:
    if parameter.kind is parameter.POSITIONAL_ONLY:
        return f"takes {parameter.name} by position only, and arguments come by name"
    lack = "leaves out at will" if parameter.name in fields else "lacks"
    return f"requires {parameter.name}, which its contract {lack}"


def _echo_faults(tool: Tool, asked: Contract, answered: Contract | None) -> list[Finding]:
    both = asked.schema.get("properties", {}).keys() & (answered.schema.get("required", []) if answered else [])
    message = "the tool {} must echo {}, which is not in its arguments and required of its result."
    return [
        _fault("echo", message.format(asked.tool, quote(field)), "write the field into both contracts.")
        for field in tool.echo
        if field not in both
    ]


def _fault(reason: str, message: str, hint: str) -> Finding:
    return finding(f"contract.{reason}", "", message, hint)
