"""From raw bytes to a decision: the kit beside what a user would use instead, and what each of them lets through.

    python -m benchmarks.decision [--quick]

Not here: the rivals themselves (`rivals`, `plain_gate`), what importing costs (`startup`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.rivals import TRAPS, Judge, contracts, large, order
from benchmarks.timing import medians
from benchmarks.topic import Curve, Effort, Part, Table, alone, number, ratio

TITLE = "From bytes to a decision"
_SIZES = (1, 10, 100, 1000)  # items in the large order


def measure(effort: Effort) -> Iterator[Part]:
    """Yield a table for each contract, the growth with the payload, and what comes through."""
    every = contracts()
    for title, (judges, valid, invalid) in every.items():
        good, bad = microseconds(judges, valid, effort), microseconds(judges, invalid, effort)
        rows = [
            (
                name,
                number(good[name]),
                ratio(good[name], good["gate"]),
                number(bad[name]),
                ratio(bad[name], bad["gate"]),
            )
            for name in judges
        ]
        yield Table(title, ("judge", "valid, µs", "times gate", "invalid, µs", "times gate"), rows)
    yield growth(effort)
    yield let_through(next(iter(every.values()))[0])


def microseconds(judges: dict[str, Judge], raw: bytes, effort: Effort) -> dict[str, float]:
    """Return the median microseconds that each judge takes for one payload."""
    taken = medians({name: partial(judge, raw) for name, judge in judges.items()}, effort.rounds)
    return {name: value * 1e6 for name, value in taken.items()}


def growth(effort: Effort) -> Curve:
    """Return the microseconds of each judge for a valid order of more and more items."""
    judges = large(max(_SIZES))
    lines: dict[str, dict[int, float]] = {name: {} for name in judges}
    for size in _SIZES[:2] if effort.trial else _SIZES:
        raw = order(size)
        for name, value in microseconds(judges, raw, effort).items():
            lines[name][len(raw)] = value
    return Curve("payload-size", "A valid payload that grows", "bytes", "µs", lines)


def let_through(judges: dict[str, Judge]) -> Table:
    """Return which payloads that must not pass come through each judge of the inventory contract."""
    rows = [
        (name, *("passes" if judge(raw) is not None else "-" for raw in TRAPS.values()))
        for name, judge in judges.items()
    ]
    return Table("What each lets through (inventory)", ("judge", *TRAPS), rows, "A dash: it is refused.")


if __name__ == "__main__":
    alone(measure)
