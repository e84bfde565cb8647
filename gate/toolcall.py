"""One tool call judged: its id, its name, that it has arguments once, and these by the contract of the tool.

Not here: which contracts there are (`registry`), what a call of a provider looks like (`adapters`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from gate.decision import Decision, block
from gate.errors import Finding, finding, quote
from gate.registry import Contracts

_CALL_KEYS = {"id", "name", "arguments", "input", "raw", "type", "finish_reason"}
_ARGUMENT_KEYS = ("arguments", "input", "raw")
_ID = re.compile(r"[!-~]{1,128}")


def judge_call(contracts: Contracts, call: object, *, seen: Collection[str] = ()) -> Decision:
    """Return the decision on one tool call: `{"id", "name"}` and its arguments. Never raises.

    The arguments are an object under `arguments` (or `input`), or model text, parsed once, under `raw`. `seen` are
    the ids already used in this run. All problems of a call are reported together, so that one correction is enough.

    >>> from gate.registry import load_contracts
    >>> judge_call(load_contracts(), {"id": "c1", "name": "refund", "input": {}}).codes
    ('call.unknown_tool',)
    """
    fields = _fields(call)
    if isinstance(fields, Finding):
        return block("call", [fields], ("schema",))
    return _judge_fields(contracts, fields, seen)


def _fields(call: object) -> dict[str, Any] | Finding:
    """Return a copy of the call as a plain dict with names for keys, or what keeps it from being one."""
    if type(call) is not dict:
        return finding("call.malformed", "", f"a tool call must be an object, got {quote(call)}.", "send one object.")
    if not all(type(key) is str for key in list(call)):
        return finding("call.malformed", "", "a tool call has a key that is no string.", "send id, name and arguments.")
    return dict(call)


def _judge_fields(contracts: Contracts, call: dict[str, Any], seen: Collection[str]) -> Decision:
    found = _call_findings(contracts, call, seen)
    given = [key for key in _ARGUMENT_KEYS if key in call]
    contract = contracts.input(call.get("name"))
    if contract is None or len(given) != 1 or any(item.code == "parse.not_object" for item in found):
        return block("call", found, ("schema",))
    decision = contract.judge(call[given[0]])
    if found:
        return block("call", [*found, *decision.findings])
    return decision


def _call_findings(contracts: Contracts, call: dict[str, Any], seen: Collection[str]) -> list[Finding]:
    """Return what is wrong with a call's envelope, the inside of its arguments left aside."""
    found = []
    reason = call.get("finish_reason")
    if type(reason) is str and reason == "length":
        message = "the call was cut off: the finish reason is length."
        found.append(finding("call.incomplete", "", message, "send it again, shorter or with more room."))
    odd = sorted(call.keys() - _CALL_KEYS)
    if odd:
        message = f"a tool call has no {', '.join(map(quote, odd[:5]))}{' …' if odd[5:] else ''}."
        found.append(finding("call.malformed", "", message, "send id, name and arguments."))
    return [*found, *_arguments_findings(call), *_id_findings(call, seen), *_name_findings(contracts, call)]


def _arguments_findings(call: dict[str, Any]) -> list[Finding]:
    given = [key for key in _ARGUMENT_KEYS if key in call]
    if len(given) != 1:
        return [finding("call.malformed", "/arguments", "a call needs arguments, once.", "send {} if it has none.")]
    kind = type(call[given[0]])
    if given[0] != "raw" and (kind is str or kind is bytes):
        message = f"{given[0]} is a string: parse it once before you judge it."
        hint = "send the object itself, or hand the text in as raw."
        return [finding("parse.not_object", f"/{given[0]}", message, hint)]
    return []


def _id_findings(call: dict[str, Any], seen: Collection[str]) -> list[Finding]:
    identity = call.get("id")
    if type(identity) is not str or not _ID.fullmatch(identity):
        message = "a call needs an id: 1 to 128 printable ASCII characters."
        return [finding("call.malformed", "/id", message, "send the id that came with the call.")]
    if identity in seen:
        message = f"the call id {quote(identity)} was used before in this run."
        return [finding("call.duplicate_id", "/id", message, "give each call an id of its own.")]
    return []


def _name_findings(contracts: Contracts, call: dict[str, Any]) -> list[Finding]:
    if "name" not in call:
        return [finding("call.malformed", "/name", "a call needs the name of a tool.", "send one.")]
    if contracts.input(call["name"]) is None:
        hint = f"use one of: {', '.join(tool for tool in contracts.tools() if contracts.input(tool))}."
        return [finding("call.unknown_tool", "/name", f"there is no tool named {quote(call['name'])}.", hint)]
    return []
