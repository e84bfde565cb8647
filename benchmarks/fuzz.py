"""Fuzzing a contract: the kit beside the plain generator.

    python -m benchmarks.fuzz [--quick]

Payloads a second and, which matters more, how many rules of the contract the payloads broke alone. The plain generator
is the usual one: junk of the right names that always carries an extra key. The kit's ticket payloads go through the
fence, the plain ones only to the contract.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator

from benchmarks.topic import Effort, Part, Table, alone
from gate.contract import Contract
from gate.evidence.fuzz import fuzz
from gate.evidence.rules import rules
from gate.registry import load_contracts

TITLE = "Fuzzing a contract"
_PAYLOADS = 20_000
_SAMPLE = 200  # junk is all alike: of so many it is looked up which rules they break

Counts = tuple[int, int, int]
Work = Callable[[Contract, int], Counts]


def plain(contract: Contract, count: int) -> Iterator[str]:
    """Yield junk as the plain generator makes it."""
    rng = random.Random(0)
    for _ in range(count):
        names = [*contract.schema["properties"], "extra"]
        yield json.dumps({name: rng.choice([None, 1, "x", "x" * rng.randrange(40), True]) for name in names})


def junk(contract: Contract, count: int) -> Counts:
    """Judge junk; return how many payloads there were, how many rules they broke alone, and how many came through."""
    payloads = list(plain(contract, count))
    allowed = sum(bool(contract.judge(payload)) for payload in payloads)
    weak = [contract.weakened(rule.dropped_from(contract.schema)) for rule in rules(contract.schema)]
    alone = sum(any(other.judge(payload) for payload in payloads[:_SAMPLE]) for other in weak)
    return len(payloads), alone, allowed


def kit(contract: Contract, count: int) -> Counts:
    """Fuzz with the kit; the same three answers."""
    report = fuzz(contract, count, 7)
    assert report["clean"]
    alone = sum(rule["alone"] for rule in report["rules"])
    return report["sent"], alone, report["sent"] - report["refused"]


def best(work: Work, contract: Contract, effort: Effort) -> Counts:
    """Return payloads a second (the best round), rules broken alone, and payloads that came through."""
    rates, broken, allowed = [], 0, 0
    for _ in range((effort.rounds + 2) // 3):
        begin = time.perf_counter()
        sent, broken, allowed = work(contract, effort.of(_PAYLOADS))
        rates.append(sent / (time.perf_counter() - begin))
    return round(max(rates)), broken, allowed


def measure(effort: Effort) -> Iterator[Part]:
    """Yield the comparison, for two contracts."""
    rows: list[tuple[str, ...]] = []
    ways: list[tuple[str, Work]] = [("gate fuzz", kit), ("plain generator", junk)]
    contracts = load_contracts()
    for contract in filter(None, (contracts.input("ticket"), contracts.input("refund_order"))):
        total = len(fuzz(contract, 1, 0)["rules"])
        for name, work in ways:
            rate, broken, allowed = best(work, contract, effort)
            rows.append((f"{name}, {contract.tool}", f"{rate:,}", f"{broken} of {total}", f"{allowed:,}"))
    yield Table("Fuzzing", ("with", "payloads a second", "rules broken alone", "valid, and allowed"), rows)


if __name__ == "__main__":
    alone(measure)
