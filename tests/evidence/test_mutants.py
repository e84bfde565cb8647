"""Planted faults: a good pack notices every one, a thin pack is told what it misses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate import Contract, Fixture, load_contracts, load_fixtures
from gate.cli import main
from gate.errors import ConfigError
from gate.evidence.faulty import FAULTY
from gate.evidence.fixtures import save_fixture
from gate.evidence.killing import killer_for
from gate.evidence.mutants import killers, mutants, score
from gate.evidence.opendoor import AJAR
from gate.files import HOME

GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}


def _contract():
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    return contract


def _fixture(name: str, payload: dict | str, *codes: str, tool: str = "inventory.lookup") -> Fixture:
    return Fixture(name, tool, "output", "block" if codes else "allow", codes, payload)


def test_the_kit_s_own_packs_kill_every_planted_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["survived"] == 0 and told["written"] == []
    assert told["planted"] == len(told["rows"]) == told["killed"] + told["equivalent"] >= 160
    assert {row["contract"] for row in told["rows"]} == {contract.id for contract in load_contracts()}
    assert {row["kind"] for row in told["rows"]} == {"contract", "front door", "gate"}


def test_what_is_named_equivalent_is_known_to_be() -> None:
    found = [
        (contract.tool, one.name)
        for contract in load_contracts()
        for one in mutants(contract, load_fixtures())
        if one.state == "equivalent"
    ]
    assert sorted(found) == [
        ("inventory.lookup", "empty-is-empty-object"),  # {} lacks what is required
        ("inventory.lookup", "not-finite"),  # NaN is no integer
        ("refund_order", "empty-is-empty-object"),
        ("refund_order", "whole-floats"),  # a number may be 4.0
        ("ticket", "empty-is-empty-object"),
        ("ticket", "not-finite"),  # it holds no number at all
        ("ticket", "true-is-one"),
        ("ticket", "whole-floats"),
    ]


def test_the_three_fixtures_of_the_lab_leave_faults_unnoticed() -> None:
    pack = [
        _fixture("valid", GOOD),
        _fixture("extra-field", {**GOOD, "hint": "buy"}, "schema.unknown_field"),
        _fixture("wrong-type", {**GOOD, "quantity": "4"}, "schema.type"),
    ]
    found = {mutant.name: mutant.noticed_by for mutant in mutants(_contract(), pack)}
    assert found["drop-unknown"] == ("extra-field",)
    assert found["coerce"] == ("wrong-type",)
    assert found["block-all"] == ("valid",)
    assert found["/additionalProperties"] == ("extra-field",)
    assert found["fill-defaults"] == () and found["last-key-wins"] == () and found["/required/warehouse"] == ()


@pytest.mark.parametrize(
    ("fault", "fixture"),
    [
        ("append-first", _fixture("f", {**GOOD, "quantity": "4"}, "schema.type")),
        ("fill-defaults", _fixture("f", {"sku": "SKU-19", "quantity": 4}, "schema.missing_field")),
        ("coerce", _fixture("f", {**GOOD, "quantity": "4"}, "schema.type")),
        ("drop-unknown", _fixture("f", {**GOOD, "x": 1}, "schema.unknown_field")),
        ("tidy-strings", _fixture("f", {**GOOD, "sku": "SKU-19\n"}, "schema.pattern")),
        ("last-key-wins", _fixture("f", '{"sku":"A","sku":"B","quantity":4,"warehouse":"sfo"}', "parse.duplicate_key")),
        ("search-braces", _fixture("f", f"Here: {json.dumps(GOOD)}", "parse.not_json")),
        ("plain-validator", _fixture("f", '{"sku":"A","quantity":4.0,"warehouse":"sfo"}', "schema.type")),
        ("swallow-errors", _fixture("f", "{", "parse.not_json")),
        ("nearest-tool", _fixture("f", GOOD, "call.unknown_tool", tool="inventory.lookpu")),
        ("any-tool", _fixture("f", GOOD, "call.unknown_tool", tool="weather")),
        ("block-all", _fixture("f", GOOD)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_fixture_notices_the_fault(fault: str, fixture: Fixture) -> None:
    pack = [_fixture("anchor", {**GOOD, "quantity": -1}, "schema.range"), fixture]
    found = {mutant.name: mutant.noticed_by for mutant in mutants(_contract(), pack)}
    assert "f" in found[fault]


GOOD_TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    ("fault", "text", "code"),
    [
        ("byte-order-mark", "\ufeff" + GOOD_TEXT, "parse.encoding"),
        ("python-literal", str(GOOD), "parse.not_json"),
        ("ignore-trailing", GOOD_TEXT + " ok", "parse.trailing"),
        ("any-fence", f"```python\n{GOOD_TEXT}\n```", "parse.fence"),
        ("encoded-twice", json.dumps(GOOD_TEXT), "parse.not_object"),
        ("only-item", f"[{GOOD_TEXT}]", "parse.not_object"),
        ("whole-floats", GOOD_TEXT.replace("4", "4.0"), "schema.type"),
        ("true-is-one", GOOD_TEXT.replace("4", "true"), "schema.type"),
    ],
)
def test_one_text_notices_a_front_door_that_forgives_it(fault: str, text: str, code: str) -> None:
    pack = [_fixture("anchor", GOOD), _fixture("f", text, code)]
    found = {one.name: one.noticed_by for one in mutants(_contract(), pack) if one.kind == "front door"}
    assert found.pop(fault) == ("f",)
    assert set(found.values()) == {()}  # each forgives this one thing


def test_nan_and_an_empty_text_notice_theirs_where_they_can() -> None:
    number = {"type": "number", "minimum": 0, "maximum": 9}
    schema = {"type": "object", "additionalProperties": False, "properties": {"n": number}}
    contract = Contract.from_schema(schema, tool="t")
    nan = Fixture("nan", "t", "input", "block", ("parse.non_finite",), '{"n": NaN}')
    empty = Fixture("empty", "t", "input", "block", ("parse.empty",), "")
    found = {one.name: one.noticed_by for one in mutants(contract, [nan, empty])}
    assert (found["not-finite"], found["empty-is-empty-object"]) == (("nan",), ("empty",))


def test_every_gate_and_front_door_is_killed_where_the_contract_lets_it_show() -> None:
    schema = {"type": "object", "additionalProperties": False, "properties": {
        "n": {"type": "number", "minimum": 0, "maximum": 9}, "i": {"type": "integer", "minimum": 0, "maximum": 9},
    }}  # fmt: skip
    killer = killer_for(Contract.from_schema(schema, tool="thing"))
    assert [gate.name for gate in (*AJAR, *FAULTY) if killer.of_gate(gate) is None] == []


def test_a_survivor_comes_with_the_fixture_that_kills_it() -> None:
    pack = [_fixture("valid", GOOD)]
    survivors = [one for one in mutants(_contract(), pack) if one.state == "survived"]
    assert len(survivors) > 30
    for one in survivors:
        assert one.kill is not None and one.name in one.kill.note
        again = {other.name: other.state for other in mutants(_contract(), [*pack, one.kill])}
        assert again[one.name] == "killed"


def test_the_killing_payload_is_small_and_always_the_same() -> None:
    kills = {one.name: one.kill for one in mutants(_contract(), [_fixture("valid", GOOD)])}
    looser = kills["/properties/quantity/maximum 1000001 for 1000000"]
    assert looser is not None
    assert looser.payload == {"sku": "3", "quantity": 1000001, "warehouse": "sfo"}
    assert (looser.label, looser.codes) == ("block", ("schema.range",))
    tighter = kills['/properties/warehouse/enum without "nrt"']
    assert tighter is not None
    assert (tighter.label, tighter.payload) == ("allow", {"sku": "3", "quantity": 0, "warehouse": "nrt"})


def test_killers_complete_a_pack_and_none_of_them_is_idle() -> None:
    pack = [_fixture("valid", GOOD)]
    new = killers(_contract(), pack)
    assert score(mutants(_contract(), [*pack, *new])).survived == 0
    for one in new:
        others = [other for other in new if other is not one]
        assert score(mutants(_contract(), [*pack, *others])).survived > 0, one.id


def test_there_are_as_many_as_the_page_says() -> None:
    assert (len(AJAR), len(FAULTY)) == (10, 12)
    assert "leaves the front door ajar in ten ways" in (HOME / "docs" / "monday.md").read_text(encoding="utf-8")


def test_every_faulty_gate_has_a_test() -> None:
    tested = {mark.args[1][index][0] for mark in test_one_fixture_notices_the_fault.pytestmark for index in range(12)}
    assert tested == {faulty.name for faulty in FAULTY}


def test_a_pack_that_is_wrong_or_empty_is_refused() -> None:
    with pytest.raises(ConfigError, match="no fixture is about"):
        mutants(_contract(), [])
    with pytest.raises(ConfigError, match="labels of wrong are wrong"):
        mutants(_contract(), [_fixture("wrong", GOOD, "schema.type")])


def test_write_saves_what_is_needed_and_the_next_run_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    save_fixture(_fixture("valid", GOOD), "mine")
    assert main(["mutants", "mine"]) == 1
    assert "Next: save such a payload with gate fixtures add" in capsys.readouterr().out
    assert main(["mutants", "mine", "--write"]) == 0
    assert "each label is what the contract says" in capsys.readouterr().out
    assert (tmp_path / "mine/inventory.lookup/quantity-maximum-1000001-for-1000000.json").exists()
    assert main(["mutants", "mine"]) == 0
    assert main(["replay", "mine"]) == 0
