"""How time is taken: every way in turn, so that what else the machine does hits all alike, and the median of each.

Not here: what is measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

ROUND_SECONDS = 0.02
Work = Callable[[], object]


def medians(ways: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Return the median seconds of one call of each way. A short call is repeated until a round is worth timing,
    unless there is one round only, which is a trial."""
    loops = {name: 1 if rounds == 1 else _loops(work) for name, work in ways.items()}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            taken[name].append(seconds(work, loops[name]) / loops[name])
    return {name: statistics.median(values) for name, values in taken.items()}


def seconds(work: Work, count: int = 1) -> float:
    """Return how long `count` calls take."""
    begin = time.perf_counter()
    for _ in range(count):
        work()
    return time.perf_counter() - begin


def _loops(work: Work) -> int:
    """Return how many calls fill a round; this warms the way up, too."""
    count = 1
    while (took := seconds(work, count)) < ROUND_SECONDS / 4:
        count *= 4
    return max(1, round(count * ROUND_SECONDS / took))
