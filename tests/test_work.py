"""A contract that could take for ever to judge is refused when it is made; one that repeats itself honestly is not."""

from __future__ import annotations

from typing import Any

import pytest

from gate.contract import Contract
from gate.engine.work import most_work
from gate.errors import ContractError
from gate.vet import MAX_WORK

BIT = {"type": "integer", "minimum": 0, "maximum": 1}


def closed(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": [], "properties": properties, **more}


def doubled(levels: int) -> dict[str, Any]:
    """Return a schema in which each definition points at the next one twice."""
    parts: dict[str, Any] = {"d0": closed({"x": BIT})}
    for level in range(1, levels):
        parts[f"d{level}"] = {"allOf": [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    return closed({"x": BIT}, allOf=[{"$ref": f"#/$defs/d{levels - 1}"}], **{"$defs": parts})


TOO_MUCH = {
    "twice, twice, twice": doubled(40),
    "twice for each level of the value": closed({"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}),
    "twice for each item": closed({"a": {"type": "array", "maxItems": 9, "items": {"allOf": [{"$ref": "#"}] * 2}}}),
}
FINE = {
    "a list": closed({"n": BIT, "next": {"$ref": "#"}}),
    "a tree": closed({"left": {"$ref": "#"}, "right": {"$ref": "#"}}),
    "a part in many places": closed({name: {"$ref": "#/$defs/bit"} for name in "abcdefgh"}, **{"$defs": {"bit": BIT}}),
    "a part or nothing": closed({"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}),
    "twice, twice": doubled(3),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_refuses_a_contract_that_could_take_for_ever(name: str) -> None:
    with pytest.raises(ContractError, match="judging could take for ever"):
        Contract.from_schema(TOO_MUCH[name], tool="tool")


@pytest.mark.parametrize("name", FINE)
def test_takes_a_contract_that_repeats_itself_within_bounds(name: str) -> None:
    contract = Contract.from_schema(FINE[name], tool="tool")
    assert contract.judge({}) and most_work(contract.schema) < MAX_WORK


def test_counts_what_is_asked_on_the_way_to_the_deepest_part() -> None:
    assert most_work(closed({"a": BIT, "b": BIT})) == 2
    assert most_work(FINE["a tree"]) == 2 * 32 + 1
