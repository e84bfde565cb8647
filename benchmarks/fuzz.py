"""Fuzzing a contract: the kit beside the plain generator, in one run, on one machine.

    python benchmarks/fuzz.py [--quick]

Prints payloads a second and, which matters more, how many rules of the contract the payloads broke alone. The plain
generator is the usual one: junk of the right names that always carries an extra key. The kit's ticket payloads go
through the fence, the plain ones only to the contract.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from gate.commands import show
from gate.contract import Contract
from gate.evidence.fuzz import fuzz
from gate.evidence.rules import rules
from gate.registry import load_contracts

QUICK = "--quick" in sys.argv
N = 2_000 if QUICK else 20_000
ROUNDS = 1 if QUICK else 3
SAMPLE = 200  # junk is all alike: of so many it is looked up which rules they break

Counts = tuple[int, int, int]


def plain(contract: Contract) -> Iterator[str]:
    """Yield junk as the plain generator makes it."""
    rng = random.Random(0)
    for _ in range(N):
        names = [*contract.schema["properties"], "extra"]
        yield json.dumps({name: rng.choice([None, 1, "x", "x" * rng.randrange(40), True]) for name in names})


def junk(contract: Contract) -> Counts:
    """Judge junk; return how many payloads there were, how many rules they broke alone, and how many came through."""
    payloads = list(plain(contract))
    allowed = sum(bool(contract.judge(payload)) for payload in payloads)
    weak = [contract.weakened(rule.dropped_from(contract.schema)) for rule in rules(contract.schema)]
    alone = sum(any(other.judge(payload) for payload in payloads[:SAMPLE]) for other in weak)
    return len(payloads), alone, allowed


def kit(contract: Contract) -> Counts:
    """Fuzz with the kit; the same three answers."""
    report = fuzz(contract, N, 7)
    assert report["clean"]
    alone = sum(rule["alone"] for rule in report["rules"])
    return report["sent"], alone, report["sent"] - report["refused"]


def best(work: Callable[[], Counts]) -> Counts:
    """Return payloads a second (the best round), rules broken alone, and payloads that came through."""
    rates, alone, allowed = [], 0, 0
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        sent, alone, allowed = work()
        rates.append(sent / (time.perf_counter() - begin))
    return round(max(rates)), alone, allowed


def main() -> None:
    """Print the comparison."""
    contracts = load_contracts()
    rows: list[tuple[object, ...]] = []
    for contract in filter(None, (contracts.input("ticket"), contracts.input("refund_order"))):
        total = len(fuzz(contract, 1, 0)["rules"])
        for name, work in (("gate fuzz", kit), ("plain generator", junk)):
            rate, alone, allowed = best(partial(work, contract))
            rows.append((contract.id, name, f"{rate:,}", f"{alone} of {total}", allowed))
    show.table("Fuzzing", ("contract", "with", "payloads a second", "rules broken alone", "came through"), rows)


if __name__ == "__main__":
    main()
