"""A folder of contracts with its lock."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gate.contract import Contract
from gate.errors import MAX_MESSAGE, ConfigError, ContractError
from gate.files import HOME
from gate.registry import LOCK, Contracts, contract_files, load_contracts
from tests.cases_kit import WHOLE, kit, shape


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


def test_the_cap_reaches_every_contract() -> None:
    assert {made.max_bytes for made in load_contracts(max_bytes=77)} == {77}
