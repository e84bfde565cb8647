"""A contract judges: both engines alike, by either way in, a fresh copy out, and nothing raised whatever comes."""

from __future__ import annotations

import copy
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.contract import Contract, fingerprint
from gate.decision import Decision
from gate.errors import CODES, MAX_MESSAGE, ContractError
from gate.payload import MAX_BYTES, read
from gate.registry import load_contracts
from tests.cases_kit import WHOLE, WORD, contract, kit, shape
from tests.cases_table import CASES
from tests.hostile import INDEXES, samples
from tests.strategies import Schema, judged, near, values

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
KNOWN = {f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons}


def check_words(decision: Decision) -> None:
    for found in decision.findings:
        assert found.code in KNOWN
        for text in (found.path, found.message, found.hint):
            assert len(text) <= MAX_MESSAGE
            assert text.replace("…", "").isascii() and text.isprintable()


def has_multiple(schema: Any) -> bool:
    return '"multipleOf"' in json.dumps(schema)


@settings(max_examples=200, suppress_health_check=SLOW)
@given(judged())
def test_both_engines_give_the_same_decision(case: tuple[Schema, dict[str, Any]]) -> None:
    schema, payload = case
    first, second = contract(schema), contract(schema, True)
    decision = first.judge(payload)
    check_words(decision)
    text = json.dumps(payload)
    for raw in (payload, MappingProxyType(payload), text, text.encode(), f"```json\n{text}\n```"):
        assert repr(first.judge(raw)) == repr(second.judge(raw)) == repr(decision)
    if decision:
        assert repr(decision.value) == repr(payload)
        assert has_multiple(schema) or Draft202012Validator(schema).is_valid(payload)


@settings(max_examples=60, suppress_health_check=SLOW)
@given(st.data())
def test_the_kit_s_contracts_are_judged_alike_near_their_borders(data: st.DataObject) -> None:
    for made in kit(False):
        other = kit(True).input(made.tool) if made.side == "input" else kit(True).output(made.tool)
        assert other is not None
        payload = data.draw(near(made.schema, made.schema))
        for raw in (payload, json.dumps(payload)):
            assert repr(made.judge(raw)) == repr(other.judge(raw))


@settings(max_examples=100)
@given(st.sampled_from(["1", "1.0", "1e0", "10e-1", "0.1e1", "-0", "-0.0", "4.000000000000000000001", "1E400",
"-1e400", "true", "null", '"1"', "9007199254740993", "9007199254740993.0", "1" + "0" * 307, "1" + "0" * 308, "5e-324",
"1e-400", "01", "1.", "[1]"]),
       st.sampled_from([WHOLE, {"type": "number", "minimum": 0, "maximum": 9}, {"type": "number"},
       {"type": "integer"}, {"enum": [1, 2]},
                        {"enum": [1.0]}, {"const": 1}, {"enum": [[1], 1]}, {"type": ["integer", "null"]},
                        {"type": ["number", "null"]},
                        {"anyOf": [WHOLE, {"type": "null"}]}, {"type": "array", "items": WHOLE,
                        "maxItems": 3}]))  # fmt: skip
def test_a_number_is_the_token_that_was_written(token: str, node: Schema) -> None:
    first, second = contract(shape(a=node, b={"type": "number"})), contract(shape(a=node, b={"type": "number"}), True)
    raw = f'{{"a": {token}, "b": 0.5}}'
    decision = first.judge(raw)
    assert repr(decision) == repr(second.judge(raw)) == repr(first.judge(raw.encode()))
    parsed = read(raw)
    assert repr(decision) == repr(first.judge(parsed)) if isinstance(parsed, dict) else not decision


@settings(max_examples=60, suppress_health_check=SLOW)
@given(judged())
def test_what_is_handed_on_is_a_fresh_copy(case: tuple[Schema, dict[str, Any]]) -> None:
    schema, payload = case
    made = contract(schema)
    before = copy.deepcopy(payload)
    one, two = made.judge(payload), made.judge(payload)
    if one.value is not None and two.value is not None:
        one.value.clear()
        payload.clear()
        assert repr(two.value) == repr(before)


@pytest.mark.parametrize("index", INDEXES)
def test_no_value_makes_judging_raise(index: int) -> None:
    made = Contract.from_schema(shape(a=WORD, id=WHOLE) | {"required": []}, tool="t", max_bytes=5000)
    for value in (samples()[index], {"a": samples()[index]}):
        decision = made.judge(value)
        check_words(decision)
        assert repr(decision) == repr(made.with_second_engine().judge(value))


@settings(max_examples=80)
@given(st.dictionaries(st.text(max_size=6), values, max_size=4))
def test_no_field_that_was_sent_can_write_to_a_terminal(payload: dict[str, Any]) -> None:
    for made in kit(False):
        check_words(made.judge(payload))


@pytest.mark.parametrize("size", [1_000, 100_000, MAX_BYTES - 100, 10_000_000])
def test_size_costs_no_more_than_reading_it(size: int) -> None:
    made = contract(shape(a=WORD) | {"required": []})
    hostile = ['{"a": "' + "x" * size + '"}', json.dumps({"k" * size: 1}), "[" * size, '"' * size, "\\" * size,
    " " * size, "{" * size, '{"a":[' + "1," * (size // 2) + "1]}", "```json\n" * (size // 8), "\n" * size + "```",
    b"\xff" * size]  # fmt: skip
    for raw in hostile:
        started = time.perf_counter()
        check_words(made.judge(raw))
        assert time.perf_counter() - started < 3


def test_many_faults_are_told_in_one_sentence_and_soon() -> None:
    made = contract(
        {"type": "object", "additionalProperties": False, "properties": {f"field{n}": WORD for n in range(30)}}
    )
    raw = json.dumps({f"feild{number}": number for number in range(12_000)})
    started = time.perf_counter()
    decision = made.judge(raw)
    assert decision.codes == ("schema.other",)  # one sentence for more than a hundred faults
    assert time.perf_counter() - started < 5


def test_one_contract_may_be_asked_from_many_threads() -> None:
    made = contract(shape(a=WORD | {"pattern": "^[a-z]+$", "format": "line"}, n=WHOLE))
    raws = [
        ('{"a": "x", "n": 1}', ()),
        ('{"a": "X", "n": 1}', ("schema.pattern",)),
        ('{"a": "x", "n": 1.0}', ("schema.type",)),
    ] * 200
    for engine in (made, made.with_second_engine()):
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(engine.judge, [raw for raw, _ in raws])
            assert [decision.codes for decision in found] == [codes for _, codes in raws]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_cases_are_the_same_by_the_short_way_and_the_long_one(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = case.judge(False)
    monkeypatch.setattr("gate.contract.quick_way", lambda *_: None)
    kit.cache_clear()
    try:
        assert repr(case.judge(False)) == repr(expected)
    finally:
        kit.cache_clear()


def test_the_cap_is_the_contract_s_own() -> None:
    made = Contract.from_schema(shape(a=WORD), tool="t", max_bytes=20)
    assert made.judge('{"a": "' + "x" * 11 + '"}')
    assert made.judge('{"a": "' + "x" * 12 + '"}').codes == ("parse.size",)
    assert made.judge('{"a": "' + "\u00e9" * 6 + '"}').codes == ("parse.size",)
    assert made.judge({"a": "x" * 100}).codes == ("parse.size",)
    assert made.with_second_engine().judge('{"a": "' + "x" * 12 + '"}').codes == ("parse.size",)


def test_a_decision_names_the_stage_and_what_was_never_reached() -> None:
    made = contract(shape(a=WHOLE))
    assert made.judge("{")[:2] == ("block", "parse") and made.judge("{").skipped == ("schema",)
    assert made.judge("{}")[:2] == ("block", "schema") and made.judge("{}").skipped == ()
    assert made.judge('{"a": 1}') == Decision("allow", "schema", (), {"a": 1}, ())


def test_findings_are_sorted_by_path_and_code() -> None:
    decision = contract(shape(b=WHOLE, a=WORD, c=WHOLE)).judge({"b": 10, "a": 1, "z": 1})
    assert [(found.path, found.code) for found in decision.findings] == [
        ("/a", "schema.type"), ("/b", "schema.range"), ("/c", "schema.missing_field"), ("/z", "schema.unknown_field"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("node", "value", "message", "hint"),
    [
        (WHOLE, "4", "a must be an integer, got a string.", 'send a bare number: 4, not "4"; nothing is converted.'),
        (WHOLE, 4.0, "a must be an integer, got a number.",
        "write it without a fraction or exponent: 4, not 4.0; nothing is rounded."),
        (WHOLE, None, "a must be an integer, got null.", "send an integer; nothing is converted."),
        (WHOLE, 10, "a must be at most 9.", "send a within that limit."),
        (WORD, "x" * 41, "a must have at most 40 characters.", "send a within that limit."),
        ({"enum": ["sfo", "ams"]}, "SFO", "a is not one of the allowed values.",
         'send one of "sfo", "ams", spelt exactly so.'),
        (WORD | {"pattern": "^\\d\u00e9$"}, "x", "a must match ^\\d\\u00e9$.", "send a in that form."),
        (shape(b=WHOLE), '{"b": 1}', "a must be an object, got a string.",
        "this is a string that holds JSON: send the object itself."),
        (WORD | {"format": "line"}, "a\n",
        "a must be one printable line: no line end, no blank at an end, nothing invisible.", "send a in that form."),
        ({"oneOf": [WHOLE, WHOLE]}, 1, "a fits more than one of the forms.", "send what fits exactly one."),
        ({"type": ["integer", "null"]}, 4.5, "a must be an integer or null, got a number.",
         "write it without a fraction or exponent: 4, not 4.0; nothing is rounded."),
    ],
)  # fmt: skip
def test_a_message_names_the_field_what_was_wrong_and_what_to_do(
    node: Schema, value: Any, message: str, hint: str
) -> None:
    for second in (False, True):
        (found,) = contract(shape(a=node), second).judge({"a": value}).findings
        assert (found.path, found.message, found.hint) == ("/a", message, hint)


def test_a_misspelt_field_is_told_the_near_one() -> None:
    unknown, missing = contract(shape(projectId=WORD)).judge('{"projId": "p1"}').findings
    assert unknown.message == "unknown field projId."
    assert unknown.hint == "remove it, or send projectId if that is what you mean."
    assert missing.message == "missing field projectId."
    assert missing.hint == "send projectId; nothing is filled in for you."


def test_a_look_alike_shows_itself() -> None:
    (found,) = contract(shape(order_id=WORD) | {"required": []}).judge({"ord\u0435r_id": "x"}).findings
    assert found.path == "/ord\\u0435r_id" and '"ord\\u0435r_id"' in found.message


def test_a_path_is_a_pointer_whatever_the_names_are() -> None:
    inner = {"type": "object", "additionalProperties": WHOLE, "propertyNames": {"maxLength": 9}, "maxProperties": 9}
    names = ["", "42", "0042", "a/b", "a~b", "x y", "\u00e9", "+5"]
    for second in (False, True):
        decision = contract(shape(a={"type": "array", "items": inner, "maxItems": 3}), second).judge(
            {"a": [{}, dict.fromkeys(names, 10)]}
        )
        assert {found.path for found in decision.findings} == {
            "/a/1/", "/a/1/42", "/a/1/0042", "/a/1/a~1b", "/a/1/a~0b", "/a/1/x y", "/a/1/\\u00e9", "/a/1/+5",
        }  # fmt: skip


def test_the_hash_is_of_what_the_schema_means() -> None:
    schema = shape(a={"enum": ["x", "y"]}, b=WHOLE)
    turned = {key: schema[key] for key in reversed(schema)} | {"required": ["b", "a"]}
    turned["properties"] = {"b": dict(reversed(WHOLE.items())), "a": {"enum": ["y", "x"]}}
    assert fingerprint(schema) == fingerprint(turned) == contract(schema).sha256
    for other in (
        shape(a={"enum": ["x"]}, b=WHOLE),
        shape(a={"enum": ["x", "y"]}, b=WHOLE | {"minimum": 1}),
        schema | {"title": "t"},
    ):
        assert fingerprint(other) != fingerprint(schema)
    assert fingerprint(shape(a={"const": [1, 2]})) != fingerprint(shape(a={"const": [2, 1]}))
    assert fingerprint(shape(a={"const": 1})) != fingerprint(shape(a={"const": True}))


def test_a_contract_knows_what_it_is() -> None:
    made = Contract.from_schema(shape(a=WHOLE), tool="refund_order", side="output", version="3")
    assert (made.id, made.version, made.tool, made.side) == ("refund_order.output", "3", "refund_order", "output")
    assert repr(made) == "<Contract refund_order.output version 3>"
    assert made.schema == shape(a=WHOLE)


def test_loading_while_judging_disturbs_nothing() -> None:
    stop = threading.Event()
    made = contract(shape(a=WHOLE))

    def load() -> None:
        while not stop.is_set():
            load_contracts()

    thread = threading.Thread(target=load)
    thread.start()
    try:
        assert all(made.judge('{"a": 1}') for _ in range(500))
    finally:
        stop.set()
        thread.join()


def test_what_is_no_json_schema_is_said_in_a_sentence_that_can_be_read() -> None:
    amount = {"type": "number", "exclusiveMinimum": True, "maximum": 500}
    schema = {"type": "object", "additionalProperties": False, "properties": {"amount": amount}}
    with pytest.raises(ContractError) as caught:
        Contract.from_schema(schema, tool="mine")
    [found] = caught.value.findings
    told = "/properties/amount/exclusiveMinimum is no JSON Schema: true is not of type 'number'. Next: drop"
    assert told in str(found)
