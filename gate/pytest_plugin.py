"""The pytest plugin: `pytest --gate fixtures/ --gate-contracts schemas` makes each fixture a test in your repository.

A test passes when both engines and the label agree, as in `gate replay`. Without `--gate` nothing is done, and nothing
of the gate is imported.

Not here: judging (`evidence.replay`). Not collected: packs of calls (`.jsonl`), and what lies in a folder `recorded`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gate.evidence.fixtures import Fixture
    from gate.registry import Contracts

_PLACES = pytest.StashKey[list[Path]]()
_CONTRACTS: pytest.StashKey[tuple[Contracts, Contracts]] = pytest.StashKey()  # judged by each of the two engines


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two options."""
    group = parser.getgroup("gate", "fixtures of the gate")
    group.addoption(
        "--gate", action="append", default=[], metavar="PATH", help="collect the fixtures in this file or folder"
    )
    group.addoption("--gate-contracts", metavar="DIR", help="the folder of contracts (default: schemas)")


def pytest_configure(config: pytest.Config) -> None:
    """Load the contracts once, and have pytest look where the fixtures are. A fault in them is one line, and stops."""
    named = config.getoption("--gate")
    if not named:
        return
    from gate.errors import GateError
    from gate.registry import load_contracts

    places = [Path(config.invocation_params.dir, name).resolve() for name in named]
    for place in places:
        if not place.exists():
            raise pytest.UsageError(f"--gate {place} is not there. Next: name a fixture or a folder of them.")
    folder = Path(config.invocation_params.dir, config.getoption("--gate-contracts") or "schemas")
    try:
        contracts = load_contracts(folder)
    except GateError as error:
        raise pytest.UsageError(f"gate: {error}") from error
    config.stash[_PLACES] = places
    config.stash[_CONTRACTS] = (contracts, contracts.with_second_engine())
    config.args += [str(place) for place in places if str(place) not in config.args]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FixtureFile | None:
    """Collect a JSON file below one of the places."""
    places = parent.config.stash.get(_PLACES, [])
    if file_path.suffix != ".json" or file_path.parent.name == "recorded":
        return None
    resolved = file_path.resolve()
    if not any(resolved == place or place in resolved.parents for place in places):
        return None
    return FixtureFile.from_parent(parent, path=file_path)


class FixtureFile(pytest.File):
    """One file, one fixture, one test. A file that is no fixture is an error that names file and field."""

    def collect(self) -> Iterator[FixtureItem]:
        """Yield the one test."""
        from gate.errors import GateError
        from gate.evidence.fixtures import load_fixture

        try:
            fixture = load_fixture(self.path)
        except GateError as error:
            raise self.CollectError(str(error)) from error
        yield FixtureItem.from_parent(self, name=f"{fixture.tool} {fixture.label}", fixture=fixture)


class Disagreement(Exception):
    """What a fixture's label, the contract and the second engine say is not the same."""


class FixtureItem(pytest.Item):
    """One fixture, judged twice and held against its label."""

    def __init__(self, *, fixture: Fixture, **rest: Any) -> None:
        super().__init__(**rest)
        self._fixture = fixture

    def runtest(self) -> None:
        """Judge it. Raises `Disagreement`."""
        from gate.evidence.replay import replayed

        row = replayed(self._fixture, *self.config.stash[_CONTRACTS])
        if row.fault:
            reasons = [f"  {found}" for found in row.first.findings[:5]]
            note = [f"  note: {self._fixture.note}"] if self._fixture.note else []
            hint = "  Next: correct the label, or the contract with gate contract diff and freeze."
            raise Disagreement("\n".join([f"{self._fixture.id} is {row.fault}", *reasons, *note, hint]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Tell a disagreement in words, without a traceback."""
        return str(excinfo.value) if isinstance(excinfo.value, Disagreement) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test after the fixture."""
        return self.path, None, f"gate {self._fixture.tool}/{self._fixture.id}"
