"""A folder of contracts with its lock, and one call judged by them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.contract import Contract
from gate.errors import MAX_MESSAGE, ConfigError, ContractError
from gate.files import HOME
from gate.registry import LOCK, Contracts, contract_files, judge_call, load_contracts
from tests.cases_kit import WHOLE, WORD, kit, shape
from tests.hostile import INDEXES, HostileKey, Liar, Raising, samples
from tests.strategies import values

GOOD = {
    "id": "c1",
    "name": "refund_order",
    "arguments": {"order_id": "ord_1842", "amount": 5, "currency": "USD", "reason": "damaged on delivery"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HOME / "schemas", tmp_path / "schemas")
    return tmp_path / "schemas"


def refused(folder: Path) -> list[str]:
    with pytest.raises(ContractError) as caught:
        load_contracts(folder)
    assert len(str(caught.value)) <= 4 * MAX_MESSAGE
    return [found.code for found in caught.value.findings]


def lock_of(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    return read


def write(path: Path, value: Any) -> None:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def test_the_kit_s_contracts_load() -> None:
    contracts = load_contracts()
    assert {"inventory.lookup.output", "refund_order.input", "ticket.input"} <= {made.id for made in contracts}
    assert [made.id for made in contracts] == sorted(made.id for made in contracts)
    assert contracts.tools() == tuple(sorted({made.tool for made in contracts}))
    frozen = lock_of(HOME / "schemas")["contracts"]
    assert {made.id: {"version": made.version, "sha256": made.sha256} for made in contracts} == frozen
    assert all(made.warnings == () for made in contracts)


def test_a_folder_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(load_contracts()) == len(kit(False))


@pytest.mark.parametrize("asked", [None, 1, ["ticket"], b"ticket", "", "Ticket", "ticket ", "ticket.input", "nothing"])
def test_asking_for_what_is_not_there_is_no_error(asked: Any) -> None:
    assert kit(False).input(asked) is None
    assert kit(False).output(asked) is None


def test_a_changed_schema_refuses_to_start_and_says_what_to_run(folder: Path) -> None:
    path = folder / "refund_order.input.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["properties"]["amount"]["maximum"] = 5000
    write(path, schema)
    assert refused(folder) == ["contract.lock"]
    with pytest.raises(ContractError, match="changed since it was frozen.*gate contract freeze"):
        load_contracts(folder)


def test_the_order_of_keys_is_no_change(folder: Path) -> None:
    path = folder / "refund_order.input.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    write(path, {key: schema[key] for key in reversed(schema)})
    assert len(load_contracts(folder)) == len(kit(False))


def test_a_schema_that_is_not_frozen_refuses_to_start(folder: Path) -> None:
    write(folder / "new.input.schema.json", shape(a=WHOLE))
    assert refused(folder) == ["contract.lock"]


def test_a_lock_entry_without_its_file_refuses_to_start(folder: Path) -> None:
    (folder / "ticket.input.schema.json").unlink()
    assert refused(folder) == ["contract.lock"]


def test_no_lock_means_nothing_is_frozen(folder: Path) -> None:
    (folder / LOCK).unlink()
    assert refused(folder) == ["contract.lock"]  # one sentence, not one for each contract


def test_every_fault_of_a_folder_is_told_at_once(folder: Path) -> None:
    write(folder / "bad.input.schema.json", {"type": "object"})
    write(folder / "worse.output.schema.json", shape(a=WHOLE | {"default": 1}))
    (folder / "ticket.input.schema.json").unlink()
    assert refused(folder) == ["contract.open", "contract.default", "contract.lock"]


def test_what_is_wrong_in_a_folder_is_told_with_the_contract_that_it_is_wrong_with(folder: Path) -> None:
    for name in ("refund_order.input", "ticket.input"):
        path = folder / f"{name}.schema.json"
        schema = json.loads(path.read_text(encoding="utf-8"))
        del schema["additionalProperties"]
        write(path, schema)
    with pytest.raises(ContractError) as caught:
        load_contracts(folder)
    told = str(caught.value)
    assert "refund_order.input cannot be used: (root) the contract is open" in told
    assert "ticket.input cannot be used: (root) the contract is open" in told
    assert told.count('Next: write "additionalProperties": false.') == 2


@pytest.mark.parametrize(
    "lock",
    [
        {},
        {"contracts": None},
        {"contracts": []},
        {"contracts": {"a.input": None}},
        {"contracts": {"a.input": {}}},
        {"contracts": {"a.input": {"version": 1, "sha256": "x"}}},
        {"contracts": {"a.input": {"version": "1", "sha256": "x", "more": ""}}},
    ],
    ids=json.dumps,
)
def test_a_damaged_lock_refuses_to_start(folder: Path, lock: Any) -> None:
    write(folder / LOCK, lock)
    with pytest.raises(ContractError, match="damaged"):
        load_contracts(folder)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"contracts": {}, "contracts": {}}', '{"contracts": NaN}', "\ufeff{}", '"x"'], ids=ascii
)
@pytest.mark.parametrize("name", [LOCK, "ticket.input.schema.json"])
def test_a_file_that_cannot_be_read_names_itself(folder: Path, name: str, text: str) -> None:
    write(folder / name, text)
    with pytest.raises(ConfigError, match=name):
        load_contracts(folder)


def test_a_file_that_is_no_utf8_names_itself(folder: Path) -> None:
    (folder / "ticket.input.schema.json").write_bytes(b'{"type": "\xff"}')
    with pytest.raises(ConfigError, match=r"ticket.input.schema.json.*UTF-8"):
        load_contracts(folder)


@pytest.mark.parametrize(
    "name", ["ticket.json", "ticket.schema.json", "ticket.inside.schema.json", ".input.schema.json"]
)
def test_a_file_named_otherwise_is_not_overlooked(folder: Path, name: str) -> None:
    write(folder / name, {})
    assert refused(folder) == ["contract.name"]


def test_files_of_other_kinds_may_stand_beside(folder: Path) -> None:
    write(folder / "README.md", "contracts")
    write(folder / f"{LOCK}.bak", "old")
    assert len(contract_files(folder)) == len(kit(False))


@pytest.mark.parametrize("place", ["nowhere", "."])
def test_a_folder_without_contracts_is_refused(tmp_path: Path, place: str) -> None:
    assert refused(tmp_path / place) == ["contract.missing"]


@pytest.mark.parametrize(
    "pair",
    [
        ("refund", "refund"),
        ("refund", "Refund"),
        ("a.b", "a-b"),
        ("a_b", "a.b"),
        ("ticket1", "ticketl"),
        ("tOol", "t0ol"),
        ("fIle", "flle"),
    ],
    ids="/".join,
)
def test_tools_that_look_alike_refuse_to_start(pair: tuple[str, str]) -> None:
    with pytest.raises(ContractError, match="look alike") as caught:
        Contracts(Contract.from_schema(shape(a=WHOLE), tool=tool) for tool in pair)
    assert [found.code for found in caught.value.findings] == ["contract.name"]


def test_one_tool_has_two_sides() -> None:
    contracts = Contracts(Contract.from_schema(shape(a=WHOLE), tool="t", side=side) for side in ("input", "output"))
    assert contracts.input("t") is not contracts.output("t")
    assert contracts.tools() == ("t",)


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


def test_the_cap_reaches_every_contract() -> None:
    assert {made.max_bytes for made in load_contracts(max_bytes=77)} == {77}
