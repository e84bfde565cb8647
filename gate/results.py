"""One tool result judged by its output contract: the gate in front of memory.

Not here: where an accepted result is kept (`memory`), and how a refusal is told to a model (`envelope`).
"""

from __future__ import annotations

from typing import Any

from gate.contract import Side
from gate.decision import Decision, block
from gate.errors import Finding, ResultGateError, finding, quote
from gate.payload import Raw, read
from gate.registry import Contracts, load_contracts

_MCP_RESULT = {"content", "structuredContent", "isError", "_meta"}
_WITHOUT: dict[Side, tuple[str, str]] = {
    "output": ("result.no_contract", "its results may not enter memory"),
    "input": ("call.unknown_tool", "it may not be called"),
}


_WRITE = "write <tool>.output.schema.json, then run gate contract freeze."


def judge_result(contracts: Contracts, tool: object, payload: Raw) -> Decision:
    """Return the decision on one tool result: text, bytes or a mapping. Never raises.

    A tool without an output contract may not write memory. A result that says it failed (`isError`, as MCP has it) is
    not judged by the contract of success: it is `result.tool_error`, an error and never a fact.

    >>> judge_result(load_contracts(), "inventory.lookup", {"sku": "SKU-19", "quantity": "4", "warehouse": "sfo"}).codes
    ('schema.type',)

    Does not catch: a result of the right shape that is untrue or about something else (`harness` checks the echo).
    """
    contract = contracts.output(tool)
    if contract is None:
        return block("result", [_no_contract(contracts, tool, "output")], ("parse", "schema"))
    decision = contract.judge(payload)
    if decision.value is not None:
        return _failed() if _says_failed(decision.value) else decision
    return _renamed(payload, decision, contract.max_bytes)


def judge_side(contracts: Contracts, tool: object, side: Side, payload: Raw) -> Decision:
    """Return the decision on a payload of either side of a tool: arguments or a result. Never raises."""
    if side == "output":
        return judge_result(contracts, tool, payload)
    contract = contracts.input(tool)
    if contract is None:
        return block("call", [_no_contract(contracts, tool, "input")], ("parse", "schema"))
    return contract.judge(payload)


def _no_contract(contracts: Contracts, tool: object, side: Side) -> Finding:
    known = [contract.tool for contract in contracts if contract.side == side]
    if type(tool) is not str or tool not in contracts.tools():
        message = f"there is no tool named {quote(tool)}."
        return finding("call.unknown_tool", "", message, f"tools with an {side} contract: {', '.join(known)}.")
    code, so = _WITHOUT[side]
    return finding(code, "", f"{quote(tool)} has no {side} contract, so {so}.", _WRITE)


def _renamed(payload: Raw, decision: Decision, max_bytes: int) -> Decision:
    """Return the refusal, under the result's own code where the tool is at fault and not what its contract says.

    That is a Python value that no JSON text stands for (a set, a coroutine), and a result that says it failed.
    """
    if decision.codes == ("parse.not_json",) and type(payload) is not str and type(payload) is not bytes:
        return block("result", [decision.findings[0]._replace(code="result.not_json")], ("schema",))
    if decision.stage == "parse":
        return decision
    value = read(payload, max_bytes=max_bytes)
    return _failed() if isinstance(value, dict) and _says_failed(value) else decision


def _says_failed(value: dict[str, Any]) -> bool:
    return value.get("isError") is True and value.keys() <= _MCP_RESULT


def _failed() -> Decision:
    message = "the tool says that it failed; what it sent is an error, not a fact."
    hint = "tell the model; keep it out of memory."
    return block("result", [finding("result.tool_error", "/isError", message, hint)])


def validate_tool_result(tool: object, payload: Raw, contracts: Contracts | None = None) -> dict[str, Any]:
    """Return the canonical copy of a tool result that its contract accepts. `contracts` are the kit's own by default.

    Raises `ResultGateError`, whose `.findings` say why, for everything else; nothing else is raised for a payload.

    >>> validate_tool_result("inventory.lookup", {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"})["quantity"]
    4
    """
    decision = judge_result(load_contracts() if contracts is None else contracts, tool, payload)
    if decision.value is None:
        raise refused(tool, decision)
    return decision.value


def refused(tool: object, decision: Decision) -> ResultGateError:
    """Return the error for a refused result: the tool, and the first three reasons in words."""
    reasons = " ".join(f"[{found.code}] {found.message}" for found in decision.findings[:3])
    return ResultGateError(f"the result of {quote(tool)} was refused: {reasons}", decision.findings)
