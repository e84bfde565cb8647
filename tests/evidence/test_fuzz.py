"""Fuzzing: every rule is exercised, exactly one fault each, and what is wrong with a gate shows."""

from __future__ import annotations

import dataclasses
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.brakes.rules import Call, Verdict
from gate.cli import main
from gate.contract import Contract
from gate.errors import CODES, ConfigError
from gate.evidence.fuzz import fuzz
from gate.evidence.nearmiss import misspelt, near_misses
from gate.evidence.rules import rules
from gate.evidence.samples import Sampler
from gate.evidence.shrink import shrunk
from gate.evidence.strings import fit_for, fitting
from gate.evidence.textfaults import faulty_texts
from gate.ledgers.memory import MemoryLedger
from gate.registry import load_contracts

CONTRACTS = {contract.id: contract for contract in load_contracts()}
TICKET = CONTRACTS["ticket.input"]

#: One contract with every keyword that a contract may use.
EVERYTHING: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "lines", "kind"],
    "properties": {
        "id": {"$ref": "#/$defs/id"},
        "parent": {"anyOf": [{"$ref": "#/$defs/id"}, {"type": "null"}]},
        "kind": {"enum": ["parcel", "letter", 7, True]},
        "fixed": {"const": 1},
        "weight": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 30, "multipleOf": 0.5},
        "count": {"type": "integer", "minimum": 2, "maximum": 12, "multipleOf": 2},
        "urgent": {"type": "boolean"},
        "note": {"type": "string", "format": "line", "minLength": 3, "maxLength": 40},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "mail": {"type": "string", "format": "email"},
        "host": {"type": "string", "format": "hostname"},
        "v4": {"type": "string", "format": "ipv4"},
        "v6": {"type": "string", "format": "ipv6"},
        "link": {"type": "string", "format": "uri", "maxLength": 200},
        "uuid": {"type": "string", "format": "uuid"},
        "lines": {
            "type": "array", "minItems": 1, "maxItems": 4, "uniqueItems": True,
            "items": {
                "type": "object", "additionalProperties": False, "required": ["sku"],
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{1,3}$"}, "n": {"$ref": "#/$defs/n"},
                },
            },
        },
        "tags": {
            "type": "array", "maxItems": 5, "items": {"type": "string", "pattern": "^[a-z]{1,9}$"},
            "contains": {"type": "string", "pattern": "^[ab]"}, "minContains": 2, "maxContains": 3,
        },
        "pair": {
            "type": "array", "prefixItems": [{"type": "integer", "minimum": 0, "maximum": 9}, {"type": "boolean"}],
            "items": False, "minItems": 2,
        },
        "labels": {
            "type": "object", "propertyNames": {"pattern": "^[a-z]{1,8}$"}, "minProperties": 1, "maxProperties": 3,
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 9},
        },
        "target": {
            "oneOf": [
                {"type": "object", "additionalProperties": False, "required": ["to", "door"],
                 "properties": {"to": {"const": "home"}, "door": {"type": "integer", "minimum": 1, "maximum": 99}}},
                {"type": "object", "additionalProperties": False, "required": ["to"],
                 "properties": {"to": {"const": "shop"}}},
            ]
        },
        "size": {"type": "string", "pattern": "^[SML]$", "not": {"enum": ["M"]}},
    },
    "dependentRequired": {"weight": ["count"]},
    "allOf": [
        {"if": {"properties": {"kind": {"const": "parcel"}}, "required": ["kind"]},
         "then": {"required": ["weight"]}, "else": {"properties": {"count": {"maximum": 8}}}}
    ],
    "$defs": {
        "id": {"type": "string", "pattern": "^ord_[0-9]{4}$"},
        "n": {"type": "integer", "minimum": 0, "maximum": 99},
    },
}  # fmt: skip

TICKET_CODES = {
    "/additionalProperties": "schema.unknown_field",
    "/allOf/0/then/required/body": "schema.missing_field",
    "/properties/action/enum": "schema.enum",
    "/properties/body/format": "schema.format",
    "/properties/body/maxLength": "schema.length",
    "/properties/body/type": "schema.type",
    "/properties/idempotency_key/pattern": "schema.pattern",
    "/properties/idempotency_key/type": "schema.type",
    "/properties/ticket_id/pattern": "schema.pattern",
    "/properties/ticket_id/type": "schema.type",
    "/required/action": "schema.missing_field",
    "/required/idempotency_key": "schema.missing_field",
    "/required/ticket_id": "schema.missing_field",
} | {f"parse.{reason}": f"parse.{reason}" for reason in CODES["parse"]}


def closed(**properties: Any) -> Contract:
    schema = {"type": "object", "additionalProperties": False, "properties": properties, "required": list(properties)}
    return Contract.from_schema(schema, tool="sample")


def judged_as(contract: Contract, other: dict[str, Any]) -> Contract:
    """Return a contract that says one thing and judges by another schema: a gate with a fault in it."""
    return dataclasses.replace(contract.weakened(other), _schema=contract.schema)


@pytest.mark.parametrize("name", CONTRACTS)
@pytest.mark.parametrize("seed", [0, 7])
def test_the_kits_own_contracts_are_clean_and_every_rule_is_broken_alone(name: str, seed: int) -> None:
    report = fuzz(CONTRACTS[name], 400, seed)
    assert report["clean"], report
    assert report["sent"] == 400
    assert all(rule["sent"] and rule["alone"] for rule in report["rules"])


def test_each_rule_of_the_ticket_is_refused_with_its_own_code_and_no_other() -> None:
    report = fuzz(TICKET, 200, 0)
    assert {rule["rule"]: tuple(rule["codes"]) for rule in report["rules"]} == {
        name: (code,) for name, code in TICKET_CODES.items()
    }


def test_every_keyword_a_contract_may_use_is_exercised() -> None:
    report = fuzz(Contract.from_schema(EVERYTHING, tool="everything"), 1500, 1)
    assert (report["unexercised"], report["illegal"], report["wrongly_refused"]) == ([], [], [])
    assert [rule["rule"] for rule in report["rules"] if not rule["alone"]] == []


@pytest.mark.parametrize("seed", range(6))
def test_a_rule_of_one_branch_is_broken_alone_whatever_is_drawn(seed: int) -> None:
    report = fuzz(closed(target=EVERYTHING["properties"]["target"], n={"type": "boolean"}), 300, seed)
    assert [rule["rule"] for rule in report["rules"] if not rule["alone"]] == []


def test_few_names_for_many_fields_take_no_time() -> None:
    many = {"type": "array", "maxItems": 100, "items": {"type": "integer", "minimum": 0, "maximum": 9}}
    for _ in range(3):
        many = {"type": "object", "maxProperties": 20, "propertyNames": {"enum": ["a", "b"]},
                "additionalProperties": many}  # fmt: skip
    begun = time.process_time()
    fuzz(closed(many=many), 200, 0)
    assert time.process_time() - begun < 20


def test_the_same_seed_gives_the_same_report_and_another_seed_another() -> None:
    one, two, other = fuzz(TICKET, 300, 5), fuzz(TICKET, 300, 5), fuzz(TICKET, 300, 6)
    assert json.dumps(one) == json.dumps(two)
    assert one["rules"] != other["rules"]


def test_examples_are_minimal_and_show_one_fault() -> None:
    rows = {rule["rule"]: rule for rule in fuzz(TICKET, 400, 0)["rules"]}
    assert rows["/required/ticket_id"]["fault"] == "/ticket_id is missing"
    for rule, row in rows.items():
        if rule.startswith("/"):
            example = json.loads(row["example"])
            assert TICKET.judge(example).codes == (TICKET_CODES[rule],)
            for name in example:
                less = {key: item for key, item in example.items() if key != name}
                assert TICKET.judge(less).codes != (TICKET_CODES[rule],) or name in ("action", "ticket_id")


def test_the_three_questions_are_answered_through_the_fence() -> None:
    report = fuzz(TICKET, 1000, 3)
    fence, asked = report["fence"], report["questions"]
    assert fence["applied"] > 20 and fence["blocked"] > 500 and fence["duplicate"] > 5 and fence["noop"] > 20
    assert fence["effects"] == fence["applied"] and report["surprises"] == []
    near = asked["which illegal action almost passed"]
    assert near["field"] == "action" and near["likeness"] > 0.9
    assert near["allowed"] in TICKET.schema["properties"]["action"]["enum"]
    assert asked["did a duplicate consume budget"] == {"duplicates": fence["duplicate"], "spent": 0}
    assert asked["did wall time grow on noop"] == {"noops": fence["noop"], "wall_ms": 0}


def test_a_contract_without_action_and_key_is_fuzzed_without_a_fence() -> None:
    report = fuzz(CONTRACTS["refund_order.input"], 200, 0)
    assert report["fence"] is None and report["questions"]["did a duplicate consume budget"] is None


@pytest.mark.parametrize("rule", [rule.name for rule in rules(CONTRACTS["refund_order.input"].schema)])
def test_a_gate_that_lets_one_rule_slip_is_found(rule: str) -> None:
    contract = CONTRACTS["refund_order.input"]
    [dropped] = [other for other in rules(contract.schema) if other.name == rule]
    report = fuzz(judged_as(contract, dropped.dropped_from(contract.schema)), 200, 0)
    assert report["illegal"] and rule in report["unexercised"] and not report["clean"]


def test_what_slips_past_the_contract_is_found_behind_the_fence_too() -> None:
    weak = TICKET.schema
    del weak["properties"]["ticket_id"]["pattern"]
    report = fuzz(judged_as(TICKET, weak), 200, 0)
    assert report["illegal"] and not report["clean"]
    assert all(not str(payload["ticket_id"]).startswith("T-1") for payload in report["illegal"])


def test_what_slipped_is_minimised() -> None:
    contract = closed(n={"type": "integer", "minimum": 0, "maximum": 9}, text={"type": "string", "maxLength": 50})
    weak = contract.schema
    del weak["properties"]["n"]["maximum"]
    report = fuzz(judged_as(contract, weak), 300, 0)
    assert report["illegal"][0] == {"n": 10, "text": ""}


def test_a_gate_that_refuses_what_is_legal_is_found() -> None:
    contract = closed(n={"type": "integer", "minimum": 0, "maximum": 9})
    strict = contract.schema
    strict["properties"]["n"]["maximum"] = 8
    report = fuzz(judged_as(contract, strict), 300, 0)
    assert report["wrongly_refused"] and not report["clean"]
    assert all(value == {"n": 9} for value in report["wrongly_refused"])


def test_a_rule_that_another_one_implies_is_exercised_beside_it() -> None:
    contract = closed(code={"type": "string", "pattern": "^[a-z]{2,4}$", "maxLength": 9})
    [row] = [rule for rule in fuzz(contract, 300, 0)["rules"] if rule["rule"] == "/properties/code/maxLength"]
    assert row["sent"] > 0 and not row["alone"]
    assert row["codes"].keys() == {"schema.length", "schema.pattern"}


def test_too_few_payloads_leave_rules_unexercised_and_that_is_not_clean() -> None:
    report = fuzz(TICKET, 5, 0)
    assert len(report["unexercised"]) >= 18 and not report["clean"]


def test_a_contract_that_allows_nothing_refuses_to_be_fuzzed() -> None:
    with pytest.raises(ConfigError, match=r"no payload was found that sample\.input allows"):
        fuzz(closed(n={"type": "string", "pattern": "^a$", "minLength": 3, "maxLength": 4}), 10, 0)


def test_a_ledger_that_forgets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(self: MemoryLedger, call: Call) -> Verdict:
        return Verdict("run" if call.mutates else "noop", "pending", used=1)

    monkeypatch.setattr(MemoryLedger, "claim", forgetful)
    monkeypatch.setattr(MemoryLedger, "settle", lambda *_: None)
    report = fuzz(TICKET, 600, 0)
    words = {surprise.partition(":")[0] for surprise in report["surprises"]}
    assert words == {
        "a duplicate did not get the first result for free",
        "a fresh key paid twice",
        "a key was taken for another payload",
        "one key had two effects",
        "a run had more effects than its budget",
        "one thing was created twice",
    }
    assert not report["clean"]


FORGOTTEN = {
    "a run had more effects than its budget": {"budget": 10_000},
    "one thing was created twice": {"subject": None},
}


@pytest.mark.parametrize(("words", "forgotten"), FORGOTTEN.items(), ids=FORGOTTEN)
def test_a_fence_that_forgets_one_rule_is_found_by_what_its_tool_saw(
    words: str, forgotten: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = MemoryLedger.claim
    monkeypatch.setattr(MemoryLedger, "claim", lambda self, call: decided(self, call._replace(**forgotten)))
    report = fuzz(TICKET, 2000, 0)
    assert set(report["surprises"]) == {words} and not report["clean"]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_every_text_fault_is_refused_for_its_reason(seed: int) -> None:
    rng = random.Random(seed)
    value = Sampler(TICKET.schema, rng).draw()
    for reason in CODES["parse"]:
        for text in faulty_texts(reason, value, 1000, rng):
            small = dataclasses.replace(TICKET, max_bytes=1000, _quick=None)
            if len(text) <= 1000 or reason == "size":
                assert small.judge(text).codes == (f"parse.{reason}",), text


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_near_misses_of_a_pattern_or_format_never_fit_it(seed: int) -> None:
    rng = random.Random(seed)
    for rule in rules(EVERYTHING):
        if rule.keyword in ("pattern", "format"):
            only = {rule.keyword: rule.node[rule.keyword]}
            for text in fitting(only, rng)[:3]:
                assert fit_for(only)(text)
                assert not any(map(fit_for(only), near_misses(rule, text, Sampler(EVERYTHING, rng), rng)))


@given(text=st.text(max_size=20), seed=st.integers(0, 99))
def test_a_misspelling_is_never_the_word_itself(text: str, seed: int) -> None:
    assert text not in misspelt(text, random.Random(seed))


@given(value=st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=9), max_size=4))
def test_shrinking_keeps_what_is_to_be_kept(value: dict[str, Any]) -> None:
    small = shrunk(value, lambda less: len(less) >= len(value) // 2)
    assert len(small) == len(value) // 2 or small == value
    assert all(item in ("", 0) for item in small.values())


def test_shrinking_goes_on_behind_a_text_of_one_character() -> None:
    small = shrunk(
        {"a": "x", "b": {"c": [1, "y"], "d": 2}}, lambda value: value.get("a") == "x" and "c" in value.get("b", ())
    )
    assert small == {"a": "x", "b": {"c": []}}


def test_gate_fuzz_writes_the_same_file_for_the_same_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "deep" / "one.json", tmp_path / "two.json"
    for path in (first, second):
        assert main(["fuzz", "--tool", "ticket", "--n", "200", "--seed", "4", "--out", str(path)]) == 0
    assert first.read_bytes() == second.read_bytes()
    report = json.loads(first.read_text(encoding="utf-8"))
    assert report["clean"] and (report["seed"], report["n"], report["sent"]) == (4, 200, 200)
    page = capsys.readouterr().out
    assert "Did a duplicate consume budget?" in page and "a second on one core." in page and "Clean." in page


def test_gate_fuzz_prints_the_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "fuzz.json"
    assert main(["fuzz", "--tool", "inventory.lookup", "--json", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(out.read_text(encoding="utf-8"))


def test_gate_fuzz_exits_1_when_a_rule_went_unexercised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--tool", "ticket", "--n", "5", "--out", str(tmp_path / "fuzz.json")]) == 1
    page = capsys.readouterr().out
    assert "UNEXERCISED" in page and "NEVER" in page and "NOT CLEAN." in page


def test_gate_fuzz_takes_a_schema_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(closed(n={"type": "integer", "minimum": 0, "maximum": 9}).schema), encoding="utf-8")
    out = tmp_path / "fuzz.json"
    assert main(["fuzz", "--tool", "own", "--side", "output", "--schema", str(path), "--out", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["contract"]["id"] == "own.output"


@pytest.mark.parametrize(
    "words",
    [["--tool", "tickets"], ["--tool", "ticket", "--side", "output"], ["--tool", "ticket", "--n", "0"]],
    ids=["unknown tool", "no such side", "no payloads"],
)
def test_gate_fuzz_refuses_what_it_cannot_do_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1
