"""What every topic of the page is made of: `measure(effort)` yields tables and curves, `alone` prints one topic.

Not here: the page (`page`), how time is taken (`timing`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gate.commands import show


class Effort(NamedTuple):
    """How long to measure: `rounds` of each way, and which `share` of the full sizes."""

    name: str
    rounds: int
    share: float

    @property
    def trial(self) -> bool:
        """Whether this is only to see that it runs."""
        return self.rounds == 1

    def of(self, full: int, least: int = 1) -> int:
        """Return the share of a full size, and no less than `least`.

        >>> QUICK.of(20_000), TINY.of(20)
        (2000, 1)
        """
        return max(least, round(full * self.share))


FULL = Effort("full", 9, 1)
QUICK = Effort("quick", 3, 0.1)
TINY = Effort("tiny", 1, 0.002)  # a trial, for tests: its numbers say nothing


class Table(NamedTuple):
    """One table. The first column names the way, the kit's own first."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""


@dataclass(frozen=True)
class Curve:
    """How something grows: for each way, what was measured at each size. `name` is that of the picture's file."""

    name: str
    title: str
    across: str
    up: str
    lines: dict[str, dict[int, float]]
    note: str = ""

    def table(self) -> Table:
        """Return the same in numbers; a way that was not measured at a size has a dash there.

        >>> Curve("c", "Seconds", "items", "s", {"a": {1: 0.5, 10: 4}, "b": {1: 2}}).table().rows
        [('a', '0.5', '4'), ('b', '2', '-')]
        """
        sizes = sorted({size for points in self.lines.values() for size in points})
        rows = [
            (way, *(number(points[size]) if size in points else "-" for size in sizes))
            for way, points in self.lines.items()
        ]
        return Table(f"{self.title} ({self.up})", (self.across, *(f"{size:,}" for size in sizes)), rows, self.note)


Part = Table | Curve
Measure = Callable[[Effort], Iterator[Part]]


def number(value: float) -> str:
    """Return a number to three digits, without an exponent.

    >>> number(0.01234), number(3.0), number(123456.7)
    ('0.0123', '3', '123,000')
    """
    return f"{float(f'{value:.3g}'):,}".removesuffix(".0")


def ratio(value: float, base: float) -> str:
    """Return how many times `base` a value is: to a tenth, and below one to two digits; a dash where there is no base.

    >>> ratio(26.24, 1), ratio(0.123, 1)
    ('26.2', '0.12')
    """
    if not base:
        return "-"
    times = value / base
    return f"{times:,.1f}" if times >= 0.95 else f"{times:.2g}"


def compared(
    title: str, unit: str, taken: dict[str, float], note: str = "", missing: tuple[tuple[str, str], ...] = ()
) -> Table:
    """Return a table of what each way took, beside the first one, and of ways that are `missing` here, with the reason.

    >>> compared("Reading", "ms", {"gate": 2, "by hand": 6}).rows
    [('gate', '2', '1.0'), ('by hand', '6', '3.0')]
    """
    base = next(iter(taken.values()))
    rows: list[tuple[str, ...]] = [(way, number(value), ratio(value, base)) for way, value in taken.items()]
    return Table(title, ("with", unit, "times the first"), [*rows, *((way, why, "-") for way, why in missing)], note)


def alone(measure: Measure) -> None:
    """Run one topic by itself and print it: `python -m benchmarks.NAME [--quick]`."""
    parser = argparse.ArgumentParser(description="Measure one topic and print it.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer rounds")
    effort = QUICK if parser.parse_args().quick else FULL
    for part in measure(effort):
        table = part.table() if isinstance(part, Curve) else part
        show.table(table.title, table.columns, table.rows, table.note)
        show.line("")
