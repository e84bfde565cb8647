"""Freezing: what a lock says after a change, and that a fault leaves the old one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gate.contract import fingerprint
from gate.contracts.lock import Frozen, freeze
from gate.errors import ConfigError, ContractError
from gate.files import HOME
from gate.registry import LOCK, load_contracts, read_lock
from tests.cases_kit import WHOLE, shape


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HOME / "schemas", tmp_path / "schemas")
    return tmp_path / "schemas"


def write(folder: Path, name: str, schema: object) -> None:
    (folder / f"{name}.schema.json").write_text(json.dumps(schema), encoding="utf-8")


def test_freezing_what_is_frozen_changes_no_byte(folder: Path) -> None:
    before = (folder / LOCK).read_bytes()
    assert {item.state for item in freeze(folder)} == {"kept"}
    assert (folder / LOCK).read_bytes() == before == (HOME / "schemas" / LOCK).read_bytes()


def test_each_contract_is_new_changed_kept_or_dropped(folder: Path) -> None:
    write(folder, "new.output", shape(a=WHOLE))
    write(folder, "refund_order.input", shape(a=WHOLE))
    (folder / "ticket.input.schema.json").unlink()
    before = {name: entry["version"] for name, entry in read_lock(folder).items()}
    after = str(int(before["refund_order.input"]) + 1)
    done = {item.id: item for item in freeze(folder, ["refund_order.input"])}
    assert done["inventory.lookup.output"].state == "kept"
    assert done["new.output"] == Frozen("new.output", "1", "new")
    assert done["refund_order.input"] == Frozen("refund_order.input", after, "changed")
    assert done["ticket.input"] == Frozen("ticket.input", before["ticket.input"], "dropped")
    assert len(done) == len(before) + 1
    contracts = load_contracts(folder)
    changed = contracts.input("refund_order")
    assert changed is not None and (changed.version, changed.sha256) == (after, fingerprint(shape(a=WHOLE)))
    assert contracts.input("ticket") is None and contracts.output("new") is not None


@pytest.mark.parametrize(
    ("bump", "told"),
    [
        ([], "refund_order.input changed, and its version did not: it is still 1."),
        (["ticket.input"], "no contract that changed"),
        (["refund_order.input", "nobody.input"], '"nobody.input" is no contract that changed: its version stays.'),
    ],
)
def test_a_changed_schema_under_its_old_version_is_not_frozen(folder: Path, bump: list[str], told: str) -> None:
    before = (folder / LOCK).read_bytes()
    write(folder, "refund_order.input", shape(a=WHOLE))
    with pytest.raises(ContractError, match="nothing was frozen.*Next: ") as caught:
        freeze(folder, bump)
    assert told in str(caught.value)
    assert (folder / LOCK).read_bytes() == before


def test_a_version_that_is_no_number_is_counted_behind_a_dot(folder: Path) -> None:
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    lock["contracts"]["ticket.input"] = {"version": "2024-06", "sha256": "old"}
    (folder / LOCK).write_text(json.dumps(lock), encoding="utf-8")
    assert Frozen("ticket.input", "2024-06.1", "changed") in freeze(folder, ["all"])


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("bad.input", {"type": "object"}),
        ("Ticket.input", shape(a=WHOLE)),
        ("a b.input", shape(a=WHOLE)),
    ],
)
def test_a_schema_that_is_no_contract_leaves_the_old_lock(folder: Path, name: str, schema: object) -> None:
    before = (folder / LOCK).read_bytes()
    write(folder, name, schema)
    with pytest.raises(ContractError):
        freeze(folder)
    assert (folder / LOCK).read_bytes() == before
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_a_lock_that_cannot_be_written_is_a_clear_error(folder: Path) -> None:
    (folder / LOCK).unlink()
    (folder / LOCK).mkdir()
    with pytest.raises(ConfigError, match=LOCK):
        freeze(folder)


def test_a_first_lock_can_be_written(folder: Path) -> None:
    (folder / LOCK).unlink()
    assert {(item.version, item.state) for item in freeze(folder)} == {("1", "new")}
    assert len(load_contracts(folder)) == len(load_contracts())
