"""Bringing tools in: everything that an import would write, made and checked before the first byte is written.

Not here: closing the schemas (`gate.contracts.importing`), and what is said about it (`gate contract import`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
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
        """Write it, the lock last: until then nothing starts with half an import. Return the paths.

        What cannot be written as a whole is not written at all: files and folders that were made are taken away again.
        """
        packed = [self.pack / one.tool / f"{one.id}.json" for one in self.fixtures]
        paths = [*self.schemas, *packed]
        new = {folder for path in paths for folder in path.parents if not folder.exists()}
        try:
            for path, text in self.schemas.items():
                write_whole(path, text)
            for fixture in self.fixtures:
                save_fixture(fixture, self.pack)
            write_lock(self.folder, self.lock)
        except BaseException:
            _take_away(paths, new)
            raise
        return [path.as_posix() for path in paths]


def _take_away(paths: list[Path], folders: set[Path]) -> None:
    """Remove files, none of which was there before, and those of some folders that are empty then."""
    for path in paths:
        with suppress(OSError):
            path.unlink()
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):
            folder.rmdir()


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
