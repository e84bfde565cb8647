"""Freezing: the lock holds version and sha256 of each contract, so that a change is a decision somebody made.

Not here: checking the lock at load (`registry`), and saying what a change means (`diff`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from gate.contract import Contract
from gate.files import read_json, write_whole
from gate.registry import LOCK, Contracts, contract_files, read_lock


class Frozen(NamedTuple):
    """One line of what freezing did: the contract's id, its version now, and `new`, `changed`, `kept` or `dropped`."""

    id: str
    version: str
    state: str


def freeze(folder: Path) -> list[Frozen]:
    """Write a folder's lock anew and return what became of each contract.

    A changed schema gets the next version. Raises `ContractError` for a schema that is no contract; the old lock is
    then untouched.
    """
    old = read_lock(folder)
    contracts = [
        Contract.from_schema(read_json(path), tool=tool, side=side) for path, tool, side in contract_files(folder)
    ]
    Contracts(contracts)  # refuses names that look alike
    done: list[Frozen] = []
    entries: dict[str, dict[str, str]] = {}
    for contract in contracts:
        before = old.get(contract.id)
        state = "new" if before is None else "kept" if before["sha256"] == contract.sha256 else "changed"
        version = before["version"] if before else "0"
        version = version if state == "kept" else _next(version)
        entries[contract.id] = {"version": version, "sha256": contract.sha256}
        done.append(Frozen(contract.id, version, state))
    done += [Frozen(name, old[name]["version"], "dropped") for name in sorted(old.keys() - entries.keys())]
    write_whole(folder / LOCK, json.dumps({"contracts": entries}, indent=2, sort_keys=True) + "\n")
    return done


def _next(version: str) -> str:
    return str(int(version) + 1) if version.isdecimal() else f"{version}.1"
