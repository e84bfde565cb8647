"""Faulty gates, planted on purpose: each lets something through that a frozen contract refuses.

Each is a mistake that real loops make. A fixture pack is good when it notices them.

Not here: which of them a pack notices (`mutants`). Nothing here is to be copied.
"""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from gate.contract import Contract

Payload = dict[str, Any] | str
Gate = Callable[[Contract, str, Payload], bool]


class Faulty(NamedTuple):
    """A faulty gate: its name, the mistake in words, and `gate`, which lets a payload for a tool through or not."""

    name: str
    words: str
    gate: Gate

    def lets(self, contract: Contract, tool: str, payload: Payload) -> bool:
        """Say whether the payload gets through. Where this gate crashes, nothing does."""
        try:
            return self.gate(contract, tool, copy.deepcopy(payload))
        except (ValueError, TypeError, KeyError, RecursionError):
            return False


def _loads(payload: Payload) -> Any:
    return json.loads(payload) if isinstance(payload, str) else payload


def _accepts(contract: Contract, tool: str, value: Any) -> bool:
    return tool == contract.tool and bool(contract.judge(value))


def _append_first(contract: Contract, tool: str, payload: Payload) -> bool:
    return isinstance(_loads(payload), dict)  # it is in memory by now, whatever is found out later


def _fill_defaults(contract: Contract, tool: str, payload: Payload) -> bool:
    value = _parsed(payload)
    for name in contract.schema.get("required", ()):
        value.setdefault(name, _first_allowed(contract.schema["properties"][name]))
    return _accepts(contract, tool, value)


def _first_allowed(rule: dict[str, Any]) -> Any:
    if rule.get("enum"):
        return rule["enum"][0]
    return {"integer": 1, "number": 1, "boolean": False}.get(rule.get("type", ""), "unknown")


def _coerce(contract: Contract, tool: str, payload: Payload) -> bool:
    return _accepts(contract, tool, {name: _coerced(item) for name, item in _parsed(payload).items()})


def _coerced(item: Any) -> Any:
    if isinstance(item, bool) or (isinstance(item, float) and item.is_integer()):
        return int(item)
    try:
        return json.loads(item) if isinstance(item, str) and not item.isalpha() else item
    except ValueError:
        return item


def _drop_unknown(contract: Contract, tool: str, payload: Payload) -> bool:
    known = contract.schema.get("properties", {})
    return _accepts(contract, tool, {name: item for name, item in _parsed(payload).items() if name in known})


def _tidy_strings(contract: Contract, tool: str, payload: Payload) -> bool:
    value = {name: item.strip() if isinstance(item, str) else item for name, item in _parsed(payload).items()}
    return _accepts(contract, tool, value)


def _last_key_wins(contract: Contract, tool: str, payload: Payload) -> bool:
    return _accepts(contract, tool, _parsed(payload))


def _search_braces(contract: Contract, tool: str, payload: Payload) -> bool:
    if isinstance(payload, str):
        payload = payload[payload.find("{") : payload.rfind("}") + 1]
    return _accepts(contract, tool, payload)


def _plain_validator(contract: Contract, tool: str, payload: Payload) -> bool:
    from jsonschema import Draft202012Validator  # slow to import; a faulty gate is rarely wanted

    return tool == contract.tool and bool(Draft202012Validator(contract.schema).is_valid(_loads(payload)))


def _swallow(contract: Contract, tool: str, payload: Payload) -> bool:
    try:
        return _accepts(contract, tool, _loads(payload))
    except ValueError:
        return True  # "cannot be parsed, so there is nothing to refuse"


def _nearest_tool(contract: Contract, tool: str, payload: Payload) -> bool:
    near = difflib.get_close_matches(tool, [contract.tool], n=1)
    return bool(near) and _accepts(contract, near[0], payload)


def _any_tool(contract: Contract, tool: str, payload: Payload) -> bool:
    return tool != contract.tool or _accepts(contract, tool, payload)


def _block_all(contract: Contract, tool: str, payload: Payload) -> bool:
    return False


def _parsed(payload: Payload) -> dict[str, Any]:
    value = _loads(payload)
    if not isinstance(value, dict):
        raise TypeError
    return dict(value)


FAULTY: tuple[Faulty, ...] = (
    Faulty("append-first", "appends the result, then validates it", _append_first),
    Faulty("fill-defaults", "fills in what is missing", _fill_defaults),
    Faulty("coerce", "converts text and fractions to the type that is wanted", _coerce),
    Faulty("drop-unknown", "drops unknown fields instead of refusing them", _drop_unknown),
    Faulty("tidy-strings", "strips blanks and line ends before it looks", _tidy_strings),
    Faulty("last-key-wins", "parses with json.loads, so of two equal keys the last one wins", _last_key_wins),
    Faulty("search-braces", "takes whatever stands between the first brace and the last", _search_braces),
    Faulty("plain-validator", "json.loads and plain jsonschema: NaN, 4.0 and a last newline pass", _plain_validator),
    Faulty("swallow-errors", "takes an exception for nothing to refuse", _swallow),
    Faulty("nearest-tool", "takes an unknown tool for the one with the nearest name", _nearest_tool),
    Faulty("any-tool", "has no contract for a tool, so it checks nothing", _any_tool),
    Faulty("block-all", "refuses everything, so it refuses nothing wrongly", _block_all),
)
