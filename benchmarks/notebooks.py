"""Where a notebook's time goes, and the kit's notebooks under nbval: plain kernels beside warm ones, in one run.

    python -m benchmarks.notebooks [--quick]

The same notebooks, the same nbval, the same number of workers; only how a kernel starts, and ends, differs. `--quick`
takes one lab and one worker.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel
from jupyter_client.provisioning.factory import KernelProvisionerFactory

from benchmarks.topic import FULL, Curve, Effort, Part, Table, alone, number, ratio
from gate.files import HOME
from gate.warm import NAME, SWITCH

TITLE = "The kit's notebooks under nbval"
CELLS = 20
KINDS = {"plain": "local-provisioner", "warm": NAME}
IMPORTS = "from gate.lab import board, clock, table\nimport jsonschema"
Times = dict[str, float]


def parts(provisioner: str) -> Times:
    """Return the milliseconds that each part of a kernel's life takes."""
    KernelProvisionerFactory.instance().default_provisioner_name = provisioner
    times: Times = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        begin = time.perf_counter()
        done = work()
        times[name] = (time.perf_counter() - begin) * 1e3
        return done

    with tempfile.TemporaryDirectory() as folder:
        manager, client = timed(
            "until ready", lambda: start_new_kernel(cwd=folder, stderr=subprocess.DEVNULL, kernel_name="python3")
        )
        timed("imports", lambda: client.execute_interactive(IMPORTS))
        timed(f"{CELLS} cells", lambda: [client.execute_interactive("6 * 7;") for _ in range(CELLS)])
        client.stop_channels()
        timed("stop", lambda: manager.shutdown_kernel(now=True))
    times["in all"] = sum(times.values())
    return times


def medians(count: int) -> dict[str, Times]:
    """Return the median of each part, the kinds taking turns; a warm kernel's server is started before."""
    parts(NAME)
    rounds: dict[str, list[Times]] = {kind: [] for kind in KINDS}
    for _ in range(count):
        for kind, provisioner in KINDS.items():
            rounds[kind].append(parts(provisioner))
    return {
        kind: {name: statistics.median(one[name] for one in times) for name in times[0]}
        for kind, times in rounds.items()
    }


def nbval(kind: str, labs: list[str], workers: int) -> tuple[float, float]:
    """Return the seconds on the clock and of processor time that nbval takes for the solutions of labs."""
    with tempfile.TemporaryDirectory() as folder:
        for lab in labs:
            there = Path("notebooks", "solutions", lab)
            shutil.copytree(HOME / there, Path(folder, there))
        shutil.copy(HOME / "conftest.py", folder)
        spread = ["-n", str(workers), "--dist", "loadfile"] if workers > 1 else ["-p", "no:xdist"]
        begin, before = time.perf_counter(), _processor()
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *spread, "--nbval", "notebooks"],
            cwd=folder, env={**os.environ, SWITCH: kind}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        return time.perf_counter() - begin, _processor() - before


def _processor() -> float:
    used = os.times()  # of what has ended; nothing on Windows
    return used.children_user + used.children_system


def measure(effort: Effort) -> Iterator[Part]:
    """Yield a kernel's life, and the notebooks of all labs with more and more workers."""
    found = medians(effort.rounds)
    rows = [
        (name, number(plain), number(found["warm"][name]), ratio(plain, found["warm"][name]))
        for name, plain in found["plain"].items()
    ]
    yield Table("A kernel's life", ("part", "plain, ms", "warm, ms", "plain by warm"), rows)
    every = sorted(path.name for path in (HOME / "notebooks/solutions").iterdir() if path.is_dir())
    labs = every if effort.share >= FULL.share else ["memory"]
    workers = (1, 2, 4) if effort.share >= FULL.share else (1,)
    yield from under_nbval(labs, workers)


def under_nbval(labs: list[str], workers: tuple[int, ...]) -> Iterator[Part]:
    """Yield the seconds a notebook, pytest's own start among them, and how they go down with more workers."""
    count = sum(len(list((HOME / "notebooks/solutions" / lab).glob("[0-9]*.ipynb"))) for lab in labs)
    rows: list[tuple[str, ...]] = []
    lines: dict[str, dict[int, float]] = {"pytest --nbval": {}, "the same, warm kernels": {}}
    for some in workers:
        plain, warm = nbval("plain", labs, some), nbval("warm", labs, some)
        for line, (clock, _) in zip(lines.values(), (plain, warm), strict=True):
            line[some] = clock / count
        for name, one, other in zip(("on the clock", "of processor time"), plain, warm, strict=True):
            times = (number(one / count), number(other / count), ratio(one, other))
            rows.append((f"{some} workers, {name}", *times))
    columns = ("seconds a notebook", "plain", "warm", "plain by warm")
    yield Table(f"{count} notebooks under nbval", columns, rows)
    yield Curve("workers", f"{count} notebooks, more workers", "workers", "seconds a notebook", lines)


if __name__ == "__main__":
    alone(measure)
