"""Adding a fixture to a pack: under a free name, and never the same payload twice. Nothing is overwritten.

Not here: what a fixture's file must be (`fixtures`), where a payload comes from (`pickup`), its label (`labelling`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path

from gate.errors import ConfigError, Finding
from gate.evidence.fixtures import Fixture, load_fixtures, save_fixture
from gate.payload import read


def canonical(fixture: Fixture) -> str:
    """Return the payload as text that is the same for every way of writing the same object.

    A text that is no bare object stays as it is: a fence, or prose around the object, is what it is there for.

    >>> canonical(Fixture("a", "t", "input", "allow", (), '{"b": 1, "a": 2}'))
    '{"a": 2, "b": 1}'
    """
    payload = fixture.payload
    if isinstance(payload, str):
        value = read(payload) if payload.lstrip().startswith("{") else payload
        return payload if isinstance(value, str | Finding) else json.dumps(value, sort_keys=True)
    return json.dumps(payload, sort_keys=True)


def twin(fixture: Fixture, others: Iterable[Fixture]) -> Fixture | None:
    """Return the one among others that has the same payload for the same side of the same tool, or None."""
    wanted = (fixture.tool, fixture.side, canonical(fixture))
    return next((other for other in others if (other.tool, other.side, canonical(other)) == wanted), None)


def kept_in(folder: str | Path) -> list[Fixture]:
    """Return the fixtures that a folder of packs holds; none where there is nothing yet."""
    return load_fixtures(folder) if any(Path(folder).glob("**/*.json")) else []


def names_in(folder: str | Path, tool: str) -> set[str]:
    """Return the names that are taken for a tool's fixtures: its own, and those of the files in its folder."""
    own = {fixture.id for fixture in kept_in(folder) if fixture.tool == tool}
    return own | {path.stem for path in (Path(folder) / tool).glob("*.json")}


def add_fixture(fixture: Fixture, folder: str | Path = "fixtures") -> Path:
    """Write a new fixture to `<folder>/<tool>/<id>.json`, under the next free name, and return the path.

    Raises `ConfigError` for a payload that is there already, and as `save_fixture` does.

    >>> from tempfile import mkdtemp
    >>> home = mkdtemp()
    >>> one = Fixture("valid", "inventory.lookup", "output", "allow", (), {"n": 1})
    >>> add_fixture(one, home).name, add_fixture(replace(one, payload={"n": 2}), home).name
    ('valid.json', 'valid-2.json')
    """
    same = twin(fixture, kept_in(folder))
    if same is not None:
        raise ConfigError(f"{same.id} has the same payload for {fixture.tool}. Next: keep that one, or change it.")
    return save_fixture(replace(fixture, id=_free(fixture.id, names_in(folder, fixture.tool))), folder)


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with the first number that makes it one of its own."""
    names = (name if number == 1 else f"{name[:60]}-{number}" for number in count(1))
    return next(one for one in names if one not in taken)
