"""Replaying fixtures: every one judged by two engines, beside one engine and the loops that people write.

    python -m benchmarks.replay [--quick]

The loops decide less: what is no JSON is simply refused, 4.0 is an integer, and no code is compared with a label.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.timing import medians
from benchmarks.topic import Curve, Effort, Part, alone, compared
from benchmarks.usual import refuses, validate_with, validator_of
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.replay import replay
from gate.registry import load_contracts
from gate.results import judge_side

TITLE = "Replaying fixtures"
_SIZES = (10, 100, 1000, 10_000)
_PATIENCE = 1000  # fixtures for the slowest way
_CONTRACTS = load_contracts()
Way = Callable[[list[Fixture]], object]


def one_engine(fixtures: list[Fixture]) -> None:
    """Judge each fixture with the deciding engine alone."""
    for one in fixtures:
        judge_side(_CONTRACTS, one.tool, one.side, one.payload)


def once_made(fixtures: list[Fixture]) -> None:
    """Judge each fixture with one `jsonschema` validator a contract."""
    validators = {(one.tool, one.side): validator_of(one.schema) for one in _CONTRACTS}
    for one in fixtures:
        if validator := validators.get((one.tool, one.side)):  # else nobody knows the tool
            refuses(one, validator.validate)


def anew(fixtures: list[Fixture]) -> None:
    """Judge each fixture with `jsonschema.validate`, which checks and compiles the schema each time."""
    schemas = {(one.tool, one.side): one.schema for one in _CONTRACTS}
    for one in fixtures:
        if schema := schemas.get((one.tool, one.side)):
            refuses(one, validate_with(schema))


_WAYS: dict[str, Way] = {
    "gate replay, two engines": partial(replay, contracts=_CONTRACTS),
    "the kit's engine alone": one_engine,
    "jsonschema, made once": once_made,
    "jsonschema.validate": anew,
}


def measure(effort: Effort) -> Iterator[Part]:
    """Yield the kit's own fixtures, and the growth with their number."""
    fixtures = load_fixtures()[: 10 if effort.trial else None]
    taken = medians({name: partial(way, fixtures) for name, way in _WAYS.items()}, effort.rounds)
    each = {name: value / len(fixtures) * 1e6 for name, value in taken.items()}
    yield compared(f"{len(fixtures)} fixtures of the kit", "µs a fixture", each)
    yield growth(fixtures, effort)


def growth(fixtures: list[Fixture], effort: Effort) -> Curve:
    """Return the milliseconds for more and more fixtures, the kit's own over and over."""
    lines: dict[str, dict[int, float]] = {name: {} for name in _WAYS}
    for size in (size for size in _SIZES if size <= effort.of(max(_SIZES), 10)):
        some = list(itertools.islice(itertools.cycle(fixtures), size))
        ways = {name: partial(way, some) for name, way in _WAYS.items() if way is not anew or size <= _PATIENCE}
        taken = medians(ways, 1 + effort.rounds // 4)
        for name, value in taken.items():
            lines[name][size] = value * 1e3
    return Curve("fixtures", "More and more fixtures", "fixtures", "ms", lines)


if __name__ == "__main__":
    alone(measure)
