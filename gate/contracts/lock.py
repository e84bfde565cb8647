"""Freezing: the lock holds version and sha256 of each contract, so that a change is a decision somebody made.

A changed schema is frozen only under a new version, and only if that contract was named: the old version means the old
schema, in every transcript and memory that holds it.

Not here: checking the lock at load (`gate.registry`), and saying what a change means (`diff`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from gate.contract import Contract
from gate.errors import ContractError, Finding, finding, quote
from gate.files import read_json, write_whole
from gate.registry import LOCK, Contracts, contract_files, read_lock

ALL = "all"
Lock = dict[str, dict[str, str]]


class Frozen(NamedTuple):
    """One line of what freezing did: the contract's id, its version now, and `new`, `changed`, `kept` or `dropped`."""

    id: str
    version: str
    state: str


def freeze(folder: Path, bump: Collection[str] = ()) -> list[Frozen]:
    """Write a folder's lock anew and return what became of each contract.

    `bump` holds the ids of the contracts that get their next version, or `all` for every one that changed. Raises
    `ContractError` for a schema that is no contract, for one that changed and is not in `bump`, and for one in `bump`
    that did not change; the old lock is then untouched. Not caught: a lock that somebody wrote by hand.
    """
    lock, done = settled(read_lock(folder), unfrozen(folder), bump)
    write_lock(folder, lock)
    return done


def unfrozen(folder: Path) -> list[Contract]:
    """Return the contracts of a folder without asking its lock. Raises `ContractError` for a schema that is none."""
    return [Contract.from_schema(read_json(path), tool=tool, side=side) for path, tool, side in contract_files(folder)]


def settled(old: Lock, contracts: Iterable[Contract], bump: Collection[str] = ()) -> tuple[Lock, list[Frozen]]:
    """Return the lock that follows on `old`, and what became of each contract. Writes nothing; raises as `freeze`."""
    lock: Lock = {}
    done: list[Frozen] = []
    for contract in Contracts(contracts):  # refuses names that look alike
        before = old.get(contract.id)
        state = "new" if before is None else "kept" if before["sha256"] == contract.sha256 else "changed"
        version = before["version"] if before else "0"
        version = version if state == "kept" else _next(version)
        lock[contract.id] = {"version": version, "sha256": contract.sha256}
        done.append(Frozen(contract.id, version, state))
    _refuse(old, done, bump)
    return lock, done + [Frozen(name, old[name]["version"], "dropped") for name in sorted(old.keys() - lock.keys())]


def write_lock(folder: Path, lock: Lock) -> None:
    """Write the lock of a folder whole."""
    write_whole(folder / LOCK, json.dumps({"contracts": lock}, indent=2, sort_keys=True) + "\n")


def _refuse(old: Lock, done: list[Frozen], bump: Collection[str]) -> None:
    changed = {item.id for item in done if item.state == "changed"}
    found: list[Finding] = []
    for name in sorted(changed - set(bump)) if ALL not in bump else ():
        message = f"{name} changed, and its version did not: it is still {old[name]['version']}."
        hint = f"read `gate contract diff OLD NEW`, then run `gate contract freeze --bump {name}`."
        found.append(finding("contract.lock", "", message, hint))
    for name in sorted(set(bump) - changed - {ALL}):
        message = f"{quote(name)} is no contract that changed: its version stays."
        found.append(finding("contract.lock", "", message, "drop that --bump."))
    if found:
        told = " ".join(f"{item.message} Next: {item.hint}" for item in found[:3])
        raise ContractError(f"nothing was frozen. {told}", tuple(found))


def _next(version: str) -> str:
    return str(int(version) + 1) if version.isdecimal() else f"{version}.1"
