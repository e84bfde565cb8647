"""Planted faults: the kit beside the plain way. Both ask every altered contract about every fixture of the kit.

    python -m benchmarks.mutants [--quick]

The plain way is the usual loop, `json.loads` and `jsonschema.validate`; a validator that is made once for each altered
contract stands beside it. They decide less than the kit: without its front door, what is no JSON is simply refused, and
4.0 is an integer. The last line is everything the kit does for a pack: all kinds of faults, and the search for what
tells them where nobody notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from benchmarks.topic import Effort, Part, alone, compared
from benchmarks.usual import refuses, validate_with, validator_of
from gate.contract import Contract
from gate.evidence.aim import engine_for
from gate.evidence.altered import altered
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.mutants import mutants
from gate.payload import read
from gate.registry import load_contracts

TITLE = "Planted faults"
Pack = tuple[Contract, list[Fixture]]
Work = Callable[[Contract, list[Fixture]], int]


def kit(contract: Contract, pack: list[Fixture]) -> int:
    """Ask each altered contract about each fixture, as `mutants` does; return how many decisions that were."""
    asked = 0
    values = [read(fixture.payload) for fixture in pack]
    for one in altered(contract.schema):
        engine = engine_for(one.schema)
        for value in values:
            isinstance(value, dict) and engine.accepts(value)
            asked += 1
    return asked


def once_made(contract: Contract, pack: list[Fixture]) -> int:
    """The same with one `jsonschema` validator for each altered contract."""
    return sum(_asked(pack, validator_of(one.schema).validate) for one in altered(contract.schema))


def anew(contract: Contract, pack: list[Fixture]) -> int:
    """The same with `jsonschema.validate`, which checks and compiles the schema each time."""
    some = pack[::10]  # of so slow a way a part is enough
    return sum(_asked(some, validate_with(one.schema)) for one in altered(contract.schema))


def whole(contract: Contract, pack: list[Fixture]) -> int:
    """`mutants` itself: every kind of fault, and the search."""
    return len(mutants(contract, pack)) * len(pack)


def _asked(pack: list[Fixture], judge: Callable[[object], object]) -> int:
    for fixture in pack:
        refuses(fixture, judge)
    return len(pack)


def packs(effort: Effort) -> list[Pack]:
    """Return the contracts with the fixtures of each; for a test, one contract with a few."""
    fixtures = load_fixtures()
    every = [(one, [f for f in fixtures if (f.tool, f.side) == (one.tool, one.side)]) for one in load_contracts()]
    some = [(one, pack) for one, pack in every if pack]
    return [(some[0][0], some[0][1][:5])] if effort.trial else some


def each(work: Work, some: list[Pack], rounds: int) -> float:
    """Return the microseconds of processor time for one decision: in the best round, but in the first round of `whole`,
    which remembers what it found."""
    taken = []
    for _ in range(1 if work is whole else rounds):
        begin = time.process_time()
        asked = sum(work(contract, pack) for contract, pack in some)
        taken.append((time.process_time() - begin) / asked * 1e6)
    return min(taken)


def measure(effort: Effort) -> Iterator[Part]:
    """Yield the comparison."""
    ways: dict[str, Work] = {
        "gate: altered contracts": kit,
        "jsonschema, made once": once_made,
        "jsonschema.validate": anew,
        "gate mutants, all of it": whole,
    }
    some = packs(effort)
    taken = {name: each(work, some, (effort.rounds + 2) // 3) for name, work in ways.items()}
    yield compared("A planted fault asked about a fixture", "µs of processor time", taken)


if __name__ == "__main__":
    alone(measure)
