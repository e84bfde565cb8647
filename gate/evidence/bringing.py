"""Bringing tools in: everything that an import would write, made and checked before the first byte is written.

Not here: closing the schemas (`gate.contracts.importing`), and what is said about it (`gate contract import`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gate.contract import Contract
from gate.contracts.importing import Imported
from gate.contracts.lock import Lock, settled, unfrozen, write_lock
from gate.errors import ConfigError
from gate.evidence.fixtures import Fixture, save_fixture
from gate.evidence.pack import first_pack
from gate.files import write_whole
from gate.registry import read_lock


class Plan(NamedTuple):
    """What would be written: the `schemas` by path, the first `fixtures` below `pack`, and the `lock` of `folder`.

    `there` counts the fixtures that lie in `pack` already, and are left as they are.
    """

    folder: Path
    pack: Path
    schemas: dict[Path, str]
    fixtures: tuple[Fixture, ...]
    lock: Lock
    there: int = 0

    def write(self) -> list[str]:
        """Write it, the lock last: until then nothing starts with half an import. Return the paths."""
        for path, text in self.schemas.items():
            write_whole(path, text)
        written = [*self.schemas, *(save_fixture(fixture, self.pack) for fixture in self.fixtures)]
        write_lock(self.folder, self.lock)
        return [path.as_posix() for path in written]


def plan(found: Sequence[Imported], folder: Path, pack: Path) -> Plan:
    """Return what importing these tools into a folder would write. A fixture that is there already is left out.

    Raises `ConfigError` for a schema file that is there already, for names that are the same or look alike (on a disk
    that takes small and capital letters for the same, they would be one file), for a folder whose contracts are not
    as frozen, and for a contract that no payload passes.
    """
    schemas = {folder / f"{item.id}.schema.json": _text(item) for item in found}
    for path in schemas:
        if path.exists():
            raise ConfigError(f"{path} is there already. Next: move it away, or compare with `gate contract diff`.")
    contracts = [item.contract() for item in found]
    there = unfrozen(folder) if any(folder.glob("*.schema.json")) else []
    lock, _ = settled(read_lock(folder), [*there, *contracts])
    made = _first(contracts)
    fresh = tuple(one for one in made if not (pack / one.tool / f"{one.id}.json").exists())
    return Plan(folder, pack, schemas, fresh, lock, len(made) - len(fresh))


def _text(item: Imported) -> str:
    return json.dumps(item.schema, indent=2, ensure_ascii=False) + "\n"


def _first(contracts: Sequence[Contract]) -> list[Fixture]:
    return [replace(one, id=f"{one.side}-{one.id}"[:64]) for contract in contracts for one in first_pack(contract)]
