"""Planted faults: a good pack notices every one, a thin pack is told what it misses."""

from __future__ import annotations

import json

import pytest

from gate import Fixture, load_contracts, load_fixtures
from gate.cli import main
from gate.errors import ConfigError
from gate.evidence.faulty import FAULTY
from gate.evidence.mutants import mutants

GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}


def _contract():
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    return contract


def _fixture(name: str, payload: dict | str, *codes: str, tool: str = "inventory.lookup") -> Fixture:
    return Fixture(name, tool, "output", "block" if codes else "allow", codes, payload)


def test_the_kit_s_own_pack_notices_every_planted_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--tool", "inventory.lookup", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["unnoticed"] == 0
    assert told["planted"] == len(told["rows"]) >= 23
    assert {row["kind"] for row in told["rows"]} == {"contract", "gate"}


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


def test_every_faulty_gate_has_a_test() -> None:
    tested = {mark.args[1][index][0] for mark in test_one_fixture_notices_the_fault.pytestmark for index in range(12)}
    assert tested == {faulty.name for faulty in FAULTY}


def test_no_faulty_gate_is_harmless_on_the_kit_s_pack() -> None:
    found = {mutant.name: mutant.noticed_by for mutant in mutants(_contract(), load_fixtures())}
    assert all(found[faulty.name] for faulty in FAULTY)


def test_a_pack_that_is_wrong_or_empty_is_refused() -> None:
    with pytest.raises(ConfigError, match="no fixture is about"):
        mutants(_contract(), [])
    with pytest.raises(ConfigError, match="labels of wrong are wrong"):
        mutants(_contract(), [_fixture("wrong", GOOD, "schema.type")])
