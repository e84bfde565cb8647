"""From raw bytes to a decision: the kit beside what a user would use instead, in one run, on one machine.

    python benchmarks/decision.py [--quick]

Prints microseconds and ratios, what each rival lets through, and what importing the core costs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rivals import TRAPS, Judge, contracts

from gate.commands import show

ROUNDS = 3 if "--quick" in sys.argv else 9
ROUND_SECONDS = 0.02


def _loops(judge: Judge, raw: bytes) -> int:
    """Return how many calls fill a round."""
    count = 1
    while True:
        if _seconds(judge, raw, count) > ROUND_SECONDS / 4:
            return count * 4
        count *= 4


def _seconds(judge: Judge, raw: bytes, count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        judge(raw)
    return time.perf_counter() - begin


def timings(judges: dict[str, Judge], raw: bytes) -> dict[str, float]:
    """Return the median microseconds a call of each judge, the judges taking turns so that drift hits all alike."""
    loops = {name: _loops(judge, raw) for name, judge in judges.items()}
    rounds: dict[str, list[float]] = {name: [] for name in judges}
    for _ in range(ROUNDS):
        for name, judge in judges.items():
            rounds[name].append(_seconds(judge, raw, loops[name]) / loops[name] * 1e6)
    return {name: statistics.median(values) for name, values in rounds.items()}


# Resident memory now, not the peak: a child's peak begins with what its parent had.
_PROBE = """
import re, time
begin = time.perf_counter()
{code}
took = time.perf_counter() - begin
with open("/proc/self/status") as status:
    print(took, re.search(r"VmRSS:\\s+([0-9]+)", status.read())[1])
"""


def import_cost() -> tuple[float, float]:
    """Return the median milliseconds and megabytes that importing and loading the core adds to bare Python."""
    pairs = []
    for _ in range(ROUNDS):
        costs = []
        for code in ("pass", "from gate import Contract, judge_call, load_contracts, AgentMemory"):
            done = subprocess.run(
                [sys.executable, "-c", _PROBE.format(code=code)], capture_output=True, text=True, check=True
            )
            costs.append([float(part) for part in done.stdout.split()])
        pairs.append(((costs[1][0] - costs[0][0]) * 1e3, (costs[1][1] - costs[0][1]) / 1024))
    return statistics.median(ms for ms, _ in pairs), statistics.median(mb for _, mb in pairs)


def _cells(name: str, medians: dict[str, float]) -> tuple[str, str]:
    return f"{medians[name]:.2f}", f"{medians[name] / medians['gate']:.1f}"


def main() -> None:
    """Print all tables."""
    all_judges = contracts()
    for title, (judges, valid, invalid) in all_judges.items():
        good, bad = timings(judges, valid), timings(judges, invalid)
        rows = [
            (
                name,
                f"{good[name]:.2f}",
                f"{good[name] / good['gate']:.1f}",
                f"{bad[name]:.2f}",
                f"{bad[name] / bad['gate']:.1f}",
            )
            for name in judges
        ]
        show.table(title, ("judge", "valid, µs", "times gate", "invalid, µs", "times gate"), rows)
        show.line("")
    judges = all_judges["inventory (3 fields)"][0]
    rows = [
        (name, *("passes" if judge(raw) is not None else "-" for raw in TRAPS.values()))
        for name, judge in judges.items()
    ]
    show.table("What each lets through (inventory)", ("judge", *TRAPS), rows)
    milliseconds, megabytes = import_cost()
    show.line(f"\nImporting the core: {milliseconds:.0f} ms and {megabytes:.1f} MB over bare Python.")


if __name__ == "__main__":
    main()
