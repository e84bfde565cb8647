"""Replay judges every fixture by two engines and notices when they, or a label, differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from gate.contract import Contract
from gate.decision import Decision, block
from gate.engine.faults import Fault
from gate.engine.strict import StrictEngine
from gate.errors import finding
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.replay import Replayed, replay

GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
ALLOW = Fixture("good", "inventory.lookup", "output", "allow", (), GOOD)
TWO = replace(ALLOW, id="two", payload=GOOD | {"quantity": "4", "warehouse": "SFO"})
BLOCK = replace(TWO, label="block", codes=("schema.type", "schema.enum"))


def fault(fixture: Fixture) -> str:
    (row,) = replay([fixture])
    return row.fault


def test_every_fixture_of_the_kit_agrees_with_both_engines() -> None:
    fixtures = load_fixtures()
    rows = replay(fixtures)
    assert [(row.tool, row.id, row.label) for row in rows] == [(one.tool, one.id, one.label) for one in fixtures]
    assert [row for row in rows if row.fault] == []
    for row, one in zip(rows, fixtures, strict=True):
        assert row.first == row.second
        assert (row.first.outcome, row.first.codes) == (one.label, one.codes)


def test_nothing_to_replay_is_no_row() -> None:
    assert replay([]) == []


def test_a_row_holds_what_both_engines_said() -> None:
    (row,) = replay([BLOCK])
    assert row == Replayed("two", "inventory.lookup", "block", row.first, row.second, "")
    assert [found.path for found in row.second.findings] == ["/quantity", "/warehouse"]


@pytest.mark.parametrize(
    ("fixture", "said"),
    [
        (ALLOW, ""),
        (BLOCK, ""),
        (replace(ALLOW, payload=json.dumps(GOOD)), ""),
        (replace(TWO, label="allow"), "labelled allow, but blocked for schema.type, schema.enum"),
        (replace(ALLOW, label="block", codes=("schema.type",)), "labelled block for schema.type, but allowed"),
        (
            replace(BLOCK, codes=("schema.type",)),
            "labelled block for schema.type, but blocked for schema.type, schema.enum",
        ),
        (
            replace(BLOCK, codes=("schema.enum", "schema.type")),
            "labelled block for schema.enum, schema.type, but blocked for schema.type, schema.enum",
        ),
        (
            replace(BLOCK, codes=("schema.type", "schema.enum", "schema.range")),
            "labelled block for schema.type, schema.enum, schema.range, but blocked for schema.type, schema.enum",
        ),
        (replace(ALLOW, tool="none"), "labelled allow, but blocked for call.unknown_tool"),
        (replace(ALLOW, side="input"), "labelled allow, but blocked for call.unknown_tool"),
        (replace(ALLOW, tool="refund_order"), "labelled allow, but blocked for result.no_contract"),
    ],
)  # fmt: skip
def test_a_wrong_label_and_wrong_codes_are_told(fixture: Fixture, said: str) -> None:
    assert fault(fixture) == said


def plant(monkeypatch: pytest.MonkeyPatch, change: Callable[[list[Fault]], list[Fault]]) -> None:
    """Make the second engine see other faults than it should."""
    real = StrictEngine.faults
    monkeypatch.setattr(StrictEngine, "faults", lambda engine, value: change(real(engine, value)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda faults: [], "blocked for schema.type, schema.enum against allowed"),
        (lambda faults: faults[:1], "blocked for schema.type, schema.enum against blocked for schema.type"),
        (
            lambda faults: [item._replace(path=(*item.path, 0)) for item in faults],
            "blocked for schema.type, schema.enum against blocked for schema.type, schema.enum",
        ),
        (
            lambda faults: [item._replace(limit=["sfo"]) if item.keyword == "enum" else item for item in faults],
            "blocked for schema.type, schema.enum against blocked for schema.type, schema.enum",
        ),
    ],
    ids=["blind", "half blind", "other paths", "other words"],
)  # fmt: skip
def test_an_engine_that_misses_a_fault_is_noticed(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[list[Fault]], list[Fault]], said: str
) -> None:
    plant(monkeypatch, change)
    assert fault(BLOCK) == f"the engines differ: {said}"
    assert fault(ALLOW) == ""


def test_an_engine_that_sees_a_fault_where_none_is_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, lambda faults: faults or [Fault("type", ("sku",), ["integer"], "a")])
    assert fault(ALLOW) == "the engines differ: allowed against blocked for schema.type"
    assert fault(BLOCK) == ""


def test_an_engine_with_a_rule_less_is_noticed_by_the_kit_s_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Contract.with_second_engine

    def weaker(contract: Contract) -> Contract:
        schema = contract.schema
        schema["properties"].get("quantity", {}).pop("maximum", None)
        return real(contract.weakened(schema))

    monkeypatch.setattr(Contract, "with_second_engine", weaker)
    differing = [row.id for row in replay(load_fixtures()) if row.fault]
    assert "too-many" in differing and "valid" not in differing


@pytest.mark.parametrize(
    "second",
    [
        Decision("allow", "schema", (), GOOD | {"quantity": 4.0}),
        Decision("allow", "schema", (), GOOD | {"quantity": 5}),
        Decision("allow", "parse", (), dict(GOOD)),
        block("schema", [finding("schema.type", "/quantity", "no", "")]),
    ],
    ids=["4.0 for 4", "another value", "another stage", "another outcome"],
)
def test_engines_that_hand_on_something_else_differ(monkeypatch: pytest.MonkeyPatch, second: Decision) -> None:
    said = iter([Decision("allow", "schema", (), dict(GOOD)), second])
    monkeypatch.setattr("gate.evidence.replay.judge_side", lambda *_: next(said))
    assert fault(ALLOW).startswith("the engines differ: allowed against ")
