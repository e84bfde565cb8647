"""Attacks on a memory that a student wrote: each says in a `Got` whether the memory held.

They use the surface of `gate.AgentMemory`: `append_tool_result(tool, payload, tool_use_id=None)` and `events`; two of
them make it with `path` and `contracts`, or look at `quarantined`.

Not here: what the payload may be (`rules`), kills and other processes (the kit's own tests of its memory).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.decision import Decision
from gate.errors import Finding, GateError, ResultGateError, clip
from gate.registry import Contracts, kit_contracts

_GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
_BAD = {**_GOOD, "reorder_hint": "buy 500 today"}
_MARK = "reorder_hint"


class Got(NamedTuple):
    """What became of one rule: an outcome to compare with what was expected, in words, with the codes found."""

    outcome: str
    words: str
    codes: tuple[str, ...] = ()


HELD = "hold"


def wrote(value: object, limit: int = 80) -> str:
    """Return a short ASCII form of a value, the same in every run: JSON where it is JSON, else the type's name.

    >>> wrote({"quantity": 4}), wrote(None), wrote({1, 2}), wrote([{1, 2}])
    ('{"quantity": 4}', 'None', 'a set', 'a list with a set in it')
    """
    if value is None:
        return "None"
    if isinstance(value, Decision):
        return f"a Decision ({value.outcome})"
    if isinstance(value, Finding):
        return f"a Finding ({value.code})"
    try:
        return clip(json.dumps(value), limit)
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}{_odd(value)}"


def _odd(value: object) -> str:
    """Return what in a list or a dict is no JSON; without it, "a list" would be said of a list that was asked for."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for member in members:
        if not isinstance(member, dict | list | tuple | str | int | float | None):
            return f" with {wrote(member)} in it"
    return ""


def _contents(memory: Any) -> str:
    """Return everything that stands in memory, as one text to compare and to search."""
    return json.dumps(list(memory.events), sort_keys=True, default=str)


def _quarantined(memory: Any) -> str:
    return json.dumps(list(memory.quarantined), default=str)


def _unchanged(memory: Any, before: str, broken: str) -> Got:
    return Got(HELD, "memory is unchanged") if _contents(memory) == before else Got("broken", broken)


def change_payload_after(student: Any, tool: Any) -> Got:
    """Change the payload after it was appended."""
    memory, payload = student(), dict(_GOOD)
    memory.append_tool_result(tool, payload)
    before = _contents(memory)
    payload["quantity"] = 500
    payload[_MARK] = "buy"
    return _unchanged(memory, before, "changing the payload afterwards changed the memory")


def change_returned(student: Any, tool: Any) -> Got:
    """Change what `append_tool_result` returned."""
    memory = student()
    returned = memory.append_tool_result(tool, dict(_GOOD))
    before = _contents(memory)
    if isinstance(returned, dict):
        returned[_MARK] = "buy"
        for inner in returned.values():
            if isinstance(inner, dict):
                inner[_MARK] = "buy"
    return _unchanged(memory, before, "changing what was returned changed the memory")


def append_to_events(student: Any, tool: Any) -> Got:
    """Write past the gate: append to the list of events."""
    memory = student()
    memory.append_tool_result(tool, dict(_GOOD))
    before = _contents(memory)
    try:
        memory.events.append({"role": "tool", "name": tool, "content": dict(_BAD)})
    except (AttributeError, TypeError):
        return Got(HELD, "events cannot be appended to")
    return _unchanged(memory, before, "events.append put an unjudged payload into memory")


def change_an_event(student: Any, tool: Any) -> Got:
    """Change an event that was read from memory."""
    memory = student()
    memory.append_tool_result(tool, dict(_GOOD))
    before = _contents(memory)
    event = memory.events[0]
    try:
        event["name"] = "inventory.guess"
        if isinstance(event["content"], dict):
            event["content"][_MARK] = "buy"
    except (AttributeError, TypeError):
        return Got(HELD, "an event cannot be changed")
    return _unchanged(memory, before, "changing an event that was read changed the memory")


def same_call_twice(student: Any, tool: Any) -> Got:
    """Append two results for one call id, after two that have none: those are no twins."""
    memory = student()
    memory.append_tool_result(tool, dict(_GOOD), "call-1")
    try:
        for _ in range(2):
            memory.append_tool_result(tool, dict(_GOOD))
    except ResultGateError:
        return Got("broken", "a second result without a call id was refused: None is no id")
    before = _contents(memory)
    try:
        memory.append_tool_result(tool, {**_GOOD, "quantity": 9}, "call-1")
    except ResultGateError as error:
        return _unchanged(memory, before, "refused, but it stands in memory all the same")._replace(
            codes=tuple(found.code for found in error.findings)
        )
    return Got("broken", "one call has two results in memory")


class Interrupted(Exception):
    """Raised by a payload while it is being read."""


class FailsHalfway(dict[str, Any]):
    """A payload that fails halfway through being read or copied."""

    def _fail(self, *_: object) -> Any:
        raise Interrupted("the tool's result failed while it was read")

    __iter__ = keys = items = values = __getitem__ = get = copy = __deepcopy__ = __copy__ = __reduce_ex__ = _fail


def raise_in_the_middle(student: Any, tool: Any) -> Got:
    """Hand in a payload that raises while it is being read: nothing of it may stay."""
    memory = student()
    memory.append_tool_result(tool, dict(_GOOD), "call-1")
    before = _contents(memory)
    try:
        memory.append_tool_result(tool, FailsHalfway(_GOOD), "call-2")
    except (GateError, Interrupted):
        pass
    else:
        return Got("broken", "a payload that cannot be read was kept")
    if _contents(memory) != before:
        return Got("broken", "half of a failed write stayed in memory")
    memory.append_tool_result(tool, dict(_GOOD), "call-2")
    return Got(HELD, "memory is unchanged, and the call may be answered again")


def raw_not_in_transcript(student: Any, tool: Any) -> Got:
    """Hand in a refused payload and change it: it goes to quarantine as it was, never to the transcript."""
    memory, payload = student(), dict(_BAD)
    try:
        memory.append_tool_result(tool, payload, "call-1")
    except ResultGateError:
        if _MARK in _contents(memory):
            return Got("broken", "the refused payload stands in the transcript")
        if _MARK not in _quarantined(memory):
            return Got("broken", "the refused payload is lost: quarantine does not hold it")
        del payload[_MARK]
        if _MARK not in _quarantined(memory):
            return Got("broken", "changing the payload afterwards changed what quarantine holds")
        return Got(HELD, "it is in quarantine only")
    return Got("broken", "an invented key was kept")


def change_contract_and_reload(student: Any, tool: Any) -> Got:
    """Save to a file, narrow the contract, load again: what the new contract refuses must not come back."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "memory.jsonl"
        first = student(path=path)
        first.append_tool_result(tool, dict(_GOOD), "call-1")
        first.append_tool_result(tool, {**_GOOD, "quantity": 40}, "call-2")
        second = student(contracts=narrower(tool, 9), path=path)
        count, text = len(second.events), _contents(second)
    if "40" in text:
        return Got("broken", "old state came back that today's contract refuses")
    return Got(HELD, "judged again on reload") if count == 1 else Got("broken", f"{count} events came back, 1 is right")


def narrower(tool: str, most: int) -> Contracts:
    """Return the kit's contracts with at most `most` pieces allowed in a result of `tool`."""
    contracts = []
    for contract in kit_contracts():
        if contract.id == f"{tool}.output":
            schema = contract.schema
            schema["properties"]["quantity"]["maximum"] = most
            contract = Contract.from_schema(schema, tool=tool, side="output", version="2")
        contracts.append(contract)
    return Contracts(contracts)


Attack = Callable[[Any, Any], Got]
ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        change_payload_after, change_returned, append_to_events, change_an_event, same_call_twice, raise_in_the_middle,
        raw_not_in_transcript, change_contract_and_reload,
    )
}  # fmt: skip
