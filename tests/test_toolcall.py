"""One tool call, judged: its envelope and its arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.contract import Contract
from gate.errors import MAX_MESSAGE
from gate.registry import Contracts
from gate.toolcall import judge_call
from tests.cases_kit import WORD, kit, shape
from tests.hostile import INDEXES, HostileKey, Liar, Raising, samples
from tests.strategies import values

GOOD = {
    "id": "c1",
    "name": "refund_order",
    "arguments": {"order_id": "ord_1842", "amount": 5, "currency": "USD", "reason": "damaged on delivery"},
}


def test_a_good_call_hands_on_a_fresh_copy() -> None:
    call = json.loads(json.dumps(GOOD))
    decision = judge_call(kit(False), call)
    call["arguments"]["amount"] = 500
    assert decision.value == GOOD["arguments"]
    assert (decision.outcome, decision.stage) == ("allow", "schema")


@pytest.mark.parametrize("key", ["arguments", "input", "raw"])
def test_arguments_stand_under_three_names(key: str) -> None:
    call = {"id": "c1", "name": "refund_order", key: GOOD["arguments"]}
    assert judge_call(kit(False), call)
    text = {"id": "c1", "name": "refund_order", key: json.dumps(GOOD["arguments"])}
    assert judge_call(kit(False), text).codes == (() if key == "raw" else ("parse.not_object",))


def change(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (GOOD | changes).items() if value is not ...}


@pytest.mark.parametrize(
    ("call", "codes", "paths"),
    [
        (change(id=...), ["call.malformed"], ["/id"]),
        (change(id=""), ["call.malformed"], ["/id"]),
        (change(id="a b"), ["call.malformed"], ["/id"]),
        (change(id="c\n"), ["call.malformed"], ["/id"]),
        (change(id="\u0430"), ["call.malformed"], ["/id"]),
        (change(id="x" * 129), ["call.malformed"], ["/id"]),
        (change(id=7), ["call.malformed"], ["/id"]),
        (change(name=...), ["call.malformed"], ["/name"]),
        (change(name=None), ["call.unknown_tool"], ["/name"]),
        (change(name="refund"), ["call.unknown_tool"], ["/name"]),
        (change(name="inventory.lookup"), ["call.unknown_tool"], ["/name"]),
        (change(arguments=...), ["call.malformed"], ["/arguments"]),
        (change(input={}), ["call.malformed"], ["/arguments"]),
        (change(arguments="{}"), ["parse.not_object"], ["/arguments"]),
        (change(arguments=b"{}"), ["parse.not_object"], ["/arguments"]),
        (change(arguments=None), ["parse.not_object"], [""]),
        (change(arguments=[]), ["parse.not_object"], [""]),
        (change(finish_reason="length"), ["call.incomplete"], [""]),
        (change(finish_reason="stop"), [], []),
        (change(type="function"), [], []),
        (change(extra=1), ["call.malformed"], [""]),
        (change(**{f"extra{number}": 1 for number in range(500)}), ["call.malformed"], [""]),
        ({}, ["call.malformed"] * 3, ["/arguments", "/id", "/name"]),
        (None, ["call.malformed"], [""]),
        ([], ["call.malformed"], [""]),
        ("refund_order", ["call.malformed"], [""]),
        ({1: 2, **GOOD}, ["call.malformed"], [""]),
        (Liar(GOOD), ["call.malformed"], [""]),
        (Raising(), ["call.malformed"], [""]),
        (
            change(id=..., name="refund_order", arguments={"amount": "5"}),
            ["schema.type", "schema.missing_field", "call.malformed", "schema.missing_field", "schema.missing_field"],
            ["/amount", "/currency", "/id", "/order_id", "/reason"],
        ),
    ],
    ids=range(30),
)
def test_a_call_is_an_envelope_with_nothing_missing_and_nothing_more(
    call: Any, codes: list[str], paths: list[str]
) -> None:
    for contracts in (kit(False), kit(True)):
        decision = judge_call(contracts, call)
        assert [found.code for found in decision.findings] == codes
        assert [found.path for found in decision.findings] == paths
        assert decision.outcome == ("block" if codes else "allow")
        assert decision.stage in ("call", "parse") if codes else decision.stage == "schema"


def test_an_id_is_used_once_in_a_run() -> None:
    assert judge_call(kit(False), GOOD, seen={"c0"})
    (found,) = judge_call(kit(False), GOOD, seen={"c1"}).findings
    assert (found.code, found.path) == ("call.duplicate_id", "/id")


def test_an_unknown_tool_is_told_the_known_ones_and_shown_escaped() -> None:
    (found,) = judge_call(kit(False), change(name="refund_\u043erder")).findings
    assert found.message == 'there is no tool named "refund_\\u043erder".'
    assert found.hint.startswith("use one of: ") and "refund_order, ticket" in found.hint


@pytest.mark.parametrize("index", INDEXES)
def test_no_call_raises(index: int) -> None:
    contracts = Contracts([Contract.from_schema(shape(a=WORD), tool="f", max_bytes=5000)])
    value = samples()[index]
    calls = [
        value,
        *(
            {"id": "c1", "name": "f", "input": {"a": "x"}} | {key: value}
            for key in ("id", "name", "input", "raw", "finish_reason", "type", "x")
        ),
    ]
    for call in calls:
        decision = judge_call(contracts, call)
        for found in decision.findings:
            for text in (found.path, found.message, found.hint):
                assert len(text) <= MAX_MESSAGE and text.replace("…", "").isascii() and text.isprintable()


def test_a_key_that_hides_behind_another_is_not_compared() -> None:
    key = HostileKey()
    call = {key: 1, **GOOD}
    key.armed = True
    assert judge_call(kit(False), call).codes == ("call.malformed",)


@given(
    st.dictionaries(st.sampled_from(["id", "name", "arguments", "input", "raw", "type", "finish_reason", "x"]), values)
)
def test_any_call_is_decided_alike_by_both_engines(call: dict[str, Any]) -> None:
    assert repr(judge_call(kit(False), call)) == repr(judge_call(kit(True), call))
