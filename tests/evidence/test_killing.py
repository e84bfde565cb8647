"""Altered contracts and what tells them apart: for every random contract, the killing payload really kills."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import Contract, ContractError
from gate.evidence.altered import Altered, altered
from gate.evidence.killing import Killer
from gate.evidence.opendoor import AJAR
from tests.strategies import contracts, near

Schema = dict[str, Any]


def _closed(**properties: Any) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _names(schema: Schema, below: str) -> list[str]:
    return [one.name.removeprefix(below) for one in altered(schema) if one.name.startswith(below) and " " in one.name]


@pytest.mark.parametrize(
    ("node", "names"),
    [
        ({"type": "integer"}, ["type takes null too", "type takes fractions too"]),
        ({"type": ["string", "null"]}, []),
        ({"type": "string", "minLength": 1, "maxLength": 3}, [
            "maxLength 2 for 3", "maxLength 4 for 3", "minLength 0 for 1", "minLength 2 for 1", "type takes null too",
        ]),
        ({"minimum": 1}, ["minimum refuses 1 itself", "minimum 0.99 for 1"]),
        ({"exclusiveMaximum": 1.5}, ["exclusiveMaximum takes 1.5 itself", "exclusiveMaximum 1.49 for 1.5"]),
        ({"minimum": 2, "multipleOf": 3}, ["minimum refuses 2 itself", "minimum -1 for 2"]),
        ({"maximum": 1e300}, ["maximum refuses 1e+300 itself"]),
        ({"const": "Yes"}, ['const takes "yES" too']),
        ({"enum": [1, True]}, ["enum takes 2 too", "enum without 1", "enum without true"]),
        ({"format": "line"}, ["format takes several lines"]),
        ({"pattern": "^a+$"}, [
            "pattern not tied to the start", "pattern not tied to the end", "pattern takes a last newline",
            "pattern * for +",
        ]),
        ({"pattern": "[+]{2,}"}, ["pattern {1,} for {2,}"]),
        ({"anyOf": [{}, {}]}, ["anyOf without branch 0", "anyOf without branch 1"]),
        ({"oneOf": [{}]}, ["oneOf may hold twice"]),
        ({"dependentRequired": {"a": ["b"]}}, ['dependentRequired "a" without "b"']),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_a_rule_is_altered_in_these_ways_beside_being_dropped(node: Schema, names: list[str]) -> None:
    assert _names(_closed(n=node), "/properties/n/") == names


NESTED: Schema = _closed(
    order={"$ref": "#/$defs/order"},
    who={"anyOf": [{"type": "string", "format": "email", "maxLength": 40}, {"type": "null"}]},
    meta={
        "type": "object", "propertyNames": {"pattern": "^[a-z]{1,8}$"}, "maxProperties": 3,
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 5},
    },
    pair={"type": "array", "prefixItems": [{"enum": ["a", "b"]}], "items": False, "minItems": 1},
    kind={"oneOf": [{"const": "x"}, {"type": "integer", "minimum": 0, "maximum": 3}]},
) | {"required": ["order"], "dependentRequired": {"who": ["kind"]}, "$defs": {"order": {
    "type": "object", "additionalProperties": False, "required": ["lines"],
    "properties": {"lines": {
        "type": "array", "minItems": 1, "maxItems": 20, "uniqueItems": True,
        "items": {"type": "string", "pattern": "^[A-Z]{1,3}$"},
    }},
}}}  # fmt: skip


def test_nested_objects_arrays_references_and_branches_are_altered_and_told_apart() -> None:
    killer = Killer(Contract.from_schema(NESTED, tool="t"))
    not_told = [one.name for one in altered(NESTED) if killer.of_altered(one) is None]
    assert not_told == [
        "/properties/who/anyOf/0/type takes null too",  # the other branch takes it
        "/properties/kind/oneOf may hold twice",  # no value is both
    ]


def test_a_gate_that_takes_what_python_prints_is_told_apart_where_every_payload_holds_a_truth_value() -> None:
    schema = _closed(yes={"type": "boolean"}, none={"type": "null"}) | {"required": ["yes", "none"]}
    killer = Killer(Contract.from_schema(schema, tool="t"))
    assert [gate.name for gate in AJAR if killer.of_gate(gate) is None] == [
        "empty-is-empty-object", "not-finite", "whole-floats",  # two fields must be there, and none is a number
    ]  # fmt: skip


def test_a_text_that_kills_holds_no_field_that_may_be_missing() -> None:
    many = {f"may{number}": {"type": "boolean"} for number in range(6)}
    schema = _closed(yes={"type": "boolean"}, **many) | {"required": ["yes"]}
    killer = Killer(Contract.from_schema(schema, tool="t"))
    texts = [kill.payload for gate in AJAR if (kill := killer.of_gate(gate)) and isinstance(kill.payload, str)]
    assert len(texts) >= 6 and not any("may" in text for text in texts)


@given(st.data())
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_every_killing_payload_tells_the_altered_contract_from_the_contract(data: st.DataObject) -> None:
    contract = _contract(data.draw(contracts()))
    if contract is None:
        return
    killer, second = Killer(contract), contract.with_second_engine()
    for one in _some(data, contract):
        kill = killer.of_altered(one)
        if kill is not None:
            right = bool(contract.judge(kill.payload))
            assert right == bool(second.judge(kill.payload)) == (kill.label == "allow"), one.name
            assert bool(contract.weakened(one.schema).judge(kill.payload)) != right, one.name
            assert kill.codes == contract.judge(kill.payload).codes


@given(st.data())
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
def test_what_is_named_equivalent_is_not_told_apart_by_other_payloads(data: st.DataObject) -> None:
    schema = data.draw(contracts())
    payloads = [data.draw(near(schema, schema)) for _ in range(10)]
    contract = _contract(schema)
    if contract is None:
        return
    killer = Killer(contract)
    for one in _some(data, contract):
        if killer.of_altered(one) is None:
            weak = contract.weakened(one.schema)
            told = [payload for payload in payloads if isinstance(payload, dict)
                    and bool(weak.judge(payload)) != bool(contract.judge(payload))]  # fmt: skip
            assert told == [], one.name


def _some(data: st.DataObject, contract: Contract) -> list[Altered]:
    """Draw a few of a contract's alterations: all of them would take long."""
    every = list(altered(contract.schema))
    return data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique_by=lambda one: one.name))


def _contract(schema: Schema) -> Contract | None:
    try:
        return Contract.from_schema(schema, tool="t")
    except ContractError:  # a drawn reference may close nothing
        return None
