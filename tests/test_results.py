"""A tool result is a fact only if its output contract accepts it, and an error is never one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.contract import Contract, Side
from gate.errors import CODES, MAX_MESSAGE, ConfigError, ResultGateError
from gate.registry import Contracts
from gate.results import judge_result, judge_side, validate_tool_result
from tests.cases_kit import WHOLE, kit, shape
from tests.hostile import INDEXES, samples

TOOL = "inventory.lookup"
GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
KIT = kit(False)
MCP = {
    "type": "object", "additionalProperties": False,
    "properties": {"content": {"type": "string", "maxLength": 40}, "isError": {"type": "boolean"}},
}  # fmt: skip


def output(schema: dict[str, Any]) -> Contracts:
    return Contracts([Contract.from_schema(schema, tool="t", side="output")])


@pytest.mark.parametrize(
    "payload", [dict(GOOD), json.dumps(GOOD), json.dumps(GOOD).encode(), f"```json\n{json.dumps(GOOD)}\n```"],
    ids=["object", "text", "bytes", "fence"],
)  # fmt: skip
def test_an_accepted_result_is_handed_on_as_a_fresh_copy(payload: Any) -> None:
    first, second = (validate_tool_result(TOOL, payload) for _ in range(2))
    assert first == second == GOOD
    assert first is not second and first is not payload
    assert [type(value) for value in first.values()] == [str, int, str]


def test_a_refusal_is_raised_with_every_reason_and_names_the_first_three() -> None:
    payload = {"sku": "", "quantity": "4", "warehouse": "SFO", "hint": "buy"}
    decision = judge_result(KIT, TOOL, payload)
    assert decision.codes == ("schema.unknown_field", "schema.type", "schema.pattern", "schema.enum")
    with pytest.raises(ResultGateError) as caught:
        validate_tool_result(TOOL, payload)
    assert caught.value.findings == decision.findings
    assert str(caught.value) == (
        'the result of "inventory.lookup" was refused: [schema.unknown_field] unknown field hint. '
        "[schema.type] quantity must be an integer, got a string. [schema.pattern] sku must match ^[A-Z0-9-]+$."
    )


def test_other_contracts_than_the_kit_s_may_judge() -> None:
    contracts = output(shape(n=WHOLE))
    assert validate_tool_result("t", '{"n": 9}', contracts) == {"n": 9}
    for tool in (TOOL, "T", "t "):
        with pytest.raises(ResultGateError, match=r"\[call\.unknown_tool\]"):
            validate_tool_result(tool, '{"n": 9}', contracts)


def test_a_misconfigured_kit_is_no_refusal(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "schemas").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError):
        validate_tool_result(TOOL, GOOD)


@pytest.mark.parametrize(
    "tool", ["", "inventory", "inventory.lookup ", "Inventory.Lookup", "inventory.lookup.output", None, 7]
)
def test_a_tool_that_is_not_there_is_told_which_are(tool: Any) -> None:
    decision = judge_result(KIT, tool, GOOD)
    assert (decision.outcome, decision.codes, decision.skipped) == (
        "block",
        ("call.unknown_tool",),
        ("parse", "schema"),
    )
    assert decision.findings[0].hint == "tools with an output contract: inventory.lookup."


def test_a_tool_without_an_output_contract_writes_no_memory() -> None:
    decision = judge_result(KIT, "refund_order", {"ok": True})
    assert (decision.codes, decision.value) == (("result.no_contract",), None)
    assert decision.findings[0].message == '"refund_order" has no output contract, so its results may not enter memory.'


@pytest.mark.parametrize(
    ("tool", "side", "codes"),
    [
        (TOOL, "output", ()),
        (TOOL, "input", ("call.unknown_tool",)),
        ("refund_order", "input", ("schema.unknown_field",) * 3 + ("schema.missing_field",) * 4),
        ("refund_order", "output", ("result.no_contract",)),
        ("none", "input", ("call.unknown_tool",)),
        ("none", "output", ("call.unknown_tool",)),
    ],
)
def test_each_side_is_judged_by_its_own_contract(tool: str, side: Side, codes: tuple[str, ...]) -> None:
    decision = judge_side(KIT, tool, side, GOOD)
    assert sorted(decision.codes) == sorted(codes)
    assert bool(decision) == (not codes)


def test_arguments_for_a_tool_that_takes_none_are_no_matter_of_memory() -> None:
    known, unknown = judge_side(KIT, TOOL, "input", {}), judge_side(KIT, "none", "input", {})
    assert known.findings[0].message == '"inventory.lookup" has no input contract, so it may not be called.'
    assert unknown.findings[0].hint == "tools with an input contract: refund_order, ticket."


TEXT = [{"type": "text", "text": "503"}]
FAILED = [
    {"isError": True},
    {"isError": True, "content": TEXT},
    {"isError": True, "content": TEXT, "structuredContent": GOOD, "_meta": {}},
]


@pytest.mark.parametrize("payload", FAILED, ids=["alone", "content", "all of it"])
@pytest.mark.parametrize(
    "form", [dict, json.dumps, lambda value: json.dumps(value).encode()], ids=["object", "text", "bytes"]
)
def test_a_result_that_says_it_failed_is_an_error_and_not_a_fact(payload: dict[str, Any], form: Any) -> None:
    decision = judge_result(KIT, TOOL, form(payload))
    assert (decision.stage, decision.codes, decision.value) == ("result", ("result.tool_error",), None)
    assert decision.findings[0].path == "/isError"


@pytest.mark.parametrize("payload", [{"isError": True}, {"isError": True, "content": "503"}])
def test_not_even_a_contract_that_knows_the_word_makes_an_error_a_fact(payload: dict[str, Any]) -> None:
    contracts = output(MCP)
    for form in (payload, json.dumps(payload)):
        assert judge_result(contracts, "t", form).codes == ("result.tool_error",)
    assert judge_result(contracts, "t", payload | {"isError": False}).value == payload | {"isError": False}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"isError": False, "content": TEXT}, "schema.unknown_field"),
        ({"isError": 1}, "schema.unknown_field"),
        ({"isError": "true"}, "schema.unknown_field"),
        (GOOD | {"isError": True}, "schema.unknown_field"),
        ('{"isError": true, "isError": true}', "parse.duplicate_key"),
        ('{"isError": true', "parse.not_json"),
        ('{"isError": true} sorry', "parse.trailing"),
        ([{"isError": True}], "parse.not_object"),
    ],
)
def test_what_only_looks_like_a_failure_is_judged_as_a_result(payload: Any, code: str) -> None:
    assert code in judge_result(KIT, TOOL, payload).codes


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({1: "a"}, "result.not_json"),
        ({"sku": (1,)}, "result.not_json"),
        (object(), "result.not_json"),
        ("object()", "parse.not_json"),
        (b"<object>", "parse.not_json"),
        ({"sku": "\ud800"}, "parse.encoding"),
        ({"quantity": float("nan")}, "parse.non_finite"),
        (None, "parse.not_object"),
        (4, "parse.not_object"),
    ],
)  # fmt: skip
def test_what_no_json_stands_for_is_told_apart_from_bad_text(payload: Any, code: str) -> None:
    decision = judge_result(KIT, TOOL, payload)
    assert (decision.outcome, decision.codes) == ("block", (code,))


SECRET = "sk-live-4111111111111111"


@pytest.mark.parametrize(
    "payload",
    [
        *({**GOOD, name: SECRET} for name in GOOD),
        {**GOOD, "quantity": [SECRET]},
        {**GOOD, "note": SECRET},
        json.dumps(GOOD | {"quantity": SECRET})[:-2],
        SECRET,
        {**GOOD, "quantity": {SECRET}},
    ],
    ids=["sku", "quantity", "warehouse", "list", "unknown field", "cut off", "bare text", "set"],
)
def test_no_message_repeats_a_value(payload: Any) -> None:
    with pytest.raises(ResultGateError) as caught:
        validate_tool_result(TOOL, payload)
    assert SECRET not in str(caught.value)
    assert not any(SECRET in text for found in caught.value.findings for text in found)


def is_in_order(error: ResultGateError) -> bool:
    """Say whether every text keeps its cap and prints, and every code is one of the kit's."""
    texts = [text for found in error.findings for text in found]
    codes = [found.code.split(".") for found in error.findings]
    return (
        0 < len(str(error)) <= 4 * MAX_MESSAGE
        and all(len(text) <= MAX_MESSAGE for text in texts)
        and all(text.isprintable() and text.replace("…", "").isascii() for text in [str(error), *texts])
        and all(reason in CODES[stage] for stage, reason in codes)
    )


@pytest.mark.parametrize("number", INDEXES)
def test_nothing_else_is_raised_whatever_comes(number: int) -> None:
    for tool, payload in ((TOOL, samples()[number]), (samples()[number], GOOD)):
        with pytest.raises(ResultGateError) as caught:
            validate_tool_result(tool, payload, KIT)
        assert is_in_order(caught.value)


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=4) | st.just("x" * 5000),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text() | st.sampled_from([*GOOD, "isError", "x" * 5000]) | st.integers(), inner, max_size=5
        )
    ),
)


@given(payload=_ANY, tool=st.sampled_from([TOOL, "refund_order"]) | st.text())
@settings(max_examples=100)
def test_every_refusal_keeps_its_caps_and_prints(payload: Any, tool: str) -> None:
    with pytest.raises(ResultGateError) as caught:
        validate_tool_result(tool, payload, KIT)
    assert is_in_order(caught.value)
