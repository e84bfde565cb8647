"""Planted faults a second: the kit beside the plain way, in one run, on one machine.

    python benchmarks/mutants.py [--quick]

Both ask every altered contract about every fixture of the kit. The plain way is the usual loop, `json.loads` and
`jsonschema.validate`; a validator that is made once for each altered contract stands beside it. They decide less than
the kit: without its front door, what is no JSON is simply refused, and 4.0 is an integer. The last line is everything
the kit does for a pack: all kinds of faults, and the search for what tells them where nobody notices.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import jsonschema

from gate.commands import show
from gate.contract import Contract
from gate.evidence.aim import engine_for
from gate.evidence.altered import altered
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.mutants import mutants
from gate.payload import read
from gate.registry import load_contracts

QUICK = "--quick" in sys.argv
ROUNDS = 1 if QUICK else 3
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


def once_compiled(contract: Contract, pack: list[Fixture]) -> int:
    """The same with one `jsonschema` validator for each altered contract."""
    asked = 0
    for one in altered(contract.schema):
        validator = jsonschema.Draft202012Validator(one.schema)
        for fixture in pack:
            _try(fixture, validator.validate)
            asked += 1
    return asked


def plain(contract: Contract, pack: list[Fixture]) -> int:
    """The same with `jsonschema.validate`, which checks and compiles the schema each time."""
    asked = 0
    for one in altered(contract.schema):
        for fixture in pack[:: 10 if QUICK else 3]:  # of so slow a way a part is enough
            _try(fixture, lambda value, schema=one.schema: jsonschema.validate(value, schema))
            asked += 1
    return asked


def whole(contract: Contract, pack: list[Fixture]) -> int:
    """`mutants` itself: every kind of fault, and the search."""
    return len(mutants(contract, pack)) * len(pack)


def _try(fixture: Fixture, judge: Callable[[Any], object]) -> None:
    with suppress(ValueError, jsonschema.ValidationError):
        judge(json.loads(fixture.payload) if isinstance(fixture.payload, str) else fixture.payload)


def rate(work: Work) -> float:
    """Return decisions a second of processor time over the kit's own packs: the best round, or the first of `whole`,
    which remembers what it found."""
    fixtures, contracts = load_fixtures(), list(load_contracts())
    packs = [(one, [f for f in fixtures if (f.tool, f.side) == (one.tool, one.side)]) for one in contracts]
    rates = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        asked = sum(work(contract, pack) for contract, pack in packs if pack)
        rates.append(asked / (time.process_time() - begin))
    return rates[0] if work is whole else max(rates)


def main() -> None:
    """Print the comparison."""
    ways: list[tuple[str, Work]] = [
        ("gate: altered contracts", kit), ("jsonschema, made once", once_compiled),
        ("jsonschema.validate", plain), ("gate mutants, all of it", whole),
    ]  # fmt: skip
    rates = {name: rate(work) for name, work in ways}
    rows = [(name, f"{found:,.0f}", f"{rates[ways[0][0]] / found:.1f} x") for name, found in rates.items()]
    show.table("Planted faults", ("with", "mutant by fixture decisions a second", "the first line is faster by"), rows)


if __name__ == "__main__":
    main()
