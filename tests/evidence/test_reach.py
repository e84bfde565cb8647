"""What lies deep, below fields that may be missing, is met: its faults are told apart, its rules have fixtures, a
change in it is proven, and fuzzing exercises it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import Contract, fuzz
from gate.evidence.altered import altered
from gate.evidence.killing import Killer
from gate.evidence.pack import first_pack
from gate.evidence.rules import rules
from gate.evidence.witness import differences

Schema = dict[str, Any]
MOST = 41


def leaf(most: int) -> Schema:
    return {"type": "integer", "minimum": 0, "maximum": most}


def optional(inner: Schema) -> Schema:
    beside = {f"beside{number}": {"type": "boolean"} for number in range(3)}
    return {"type": "object", "additionalProperties": False, "properties": {**beside, "in": inner}}


def listed(inner: Schema) -> Schema:
    return {"type": "array", "maxItems": 3, "items": inner}


def second(inner: Schema) -> Schema:
    return {"type": "array", "maxItems": 2, "prefixItems": [{"type": "null"}, inner], "items": False}


def mapped(inner: Schema) -> Schema:
    names = {"pattern": "^[a-z]{1,4}$"}
    return {"type": "object", "maxProperties": 2, "propertyNames": names, "additionalProperties": inner}


def nullable(inner: Schema) -> Schema:
    return {"anyOf": [{"type": "null"}, inner]}


def tagged(inner: Schema) -> Schema:
    one, other = optional(leaf(3)), optional(inner)
    for number, node in enumerate((one, other)):
        node["properties"]["kind"] = {"const": f"k{number}"}
        node["required"] = ["kind"]
    return {"oneOf": [one, other]}


WRAPPINGS = (optional, listed, second, mapped, nullable, tagged)
Wrappings = list[Callable[[Schema], Schema]]


def contract(wrappings: Wrappings, most: int = MOST) -> Contract:
    node = leaf(most)
    for wrapping in wrappings:
        node = wrapping(node)
    return Contract.from_schema(optional(node), tool="deep")


def assert_met(wrappings: Wrappings) -> None:
    """Assert that the greatest value of the innermost number counts everywhere."""
    deep, wider = contract(wrappings), contract(wrappings, MOST + 1)
    name = next(rule.name for rule in rules(deep.schema) if rule.keyword == "maximum" and rule.node == leaf(MOST))
    killer = Killer(deep)
    for one in altered(deep.schema):
        assert one.name not in (name, f"{name} {MOST + 1} for {MOST}") or killer.of_altered(one), one.name
    (change,) = differences(deep, wider)
    assert change.direction == "widened" and bool(wider.judge(change.payload)) and not deep.judge(change.payload)


@given(st.lists(st.sampled_from(WRAPPINGS), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_bound_is_met_however_deep_it_lies(wrappings: Wrappings) -> None:
    assert_met(wrappings)


def test_ten_fields_that_may_be_missing_hide_nothing() -> None:
    assert_met([optional] * 10)


@pytest.mark.parametrize("wrapping", WRAPPINGS, ids=lambda wrapping: wrapping.__name__)
def test_a_first_pack_keeps_and_breaks_what_lies_deep(wrapping: Callable[[Schema], Schema]) -> None:
    deep = contract([wrapping, listed, optional, optional, optional])
    deepest = next(rule.name for rule in rules(deep.schema) if rule.keyword == "maximum" and rule.node == leaf(MOST))
    told = {one.label for one in first_pack(deep) if deepest in one.note}
    assert told == {"allow", "block"}
    assert fuzz(deep, 600, 0)["unexercised"] == []


def test_a_schema_inside_itself_ends() -> None:
    node = {"type": "object", "additionalProperties": False, "required": ["n"], "properties": {
        "n": leaf(MOST), "more": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/node"}},
        "by": mapped({"$ref": "#/$defs/node"}),
    }}  # fmt: skip
    deep = Contract.from_schema(optional({"$ref": "#/$defs/node"}) | {"$defs": {"node": node}}, tool="deep")
    assert {one.label for one in first_pack(deep)} == {"allow", "block"}
    assert max(len(json.dumps(one.payload)) for one in first_pack(deep)) < 100_000
