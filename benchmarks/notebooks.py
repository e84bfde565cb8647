"""Where a notebook's time goes, and the kit's notebooks under nbval: plain kernels beside warm ones, in one run.

    python benchmarks/notebooks.py [--quick]

The same notebooks, the same nbval, the same number of workers; only how a kernel starts, and ends, differs. `--quick`
takes one lab.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel
from jupyter_client.provisioning.factory import KernelProvisionerFactory

from gate.commands import show
from gate.files import HOME
from gate.warm import NAME, SWITCH

QUICK = "--quick" in sys.argv
ROUNDS = 3 if QUICK else 7
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


def medians() -> dict[str, Times]:
    """Return the median of each part, the kinds taking turns; a warm kernel's server is started before."""
    parts(NAME)
    rounds: dict[str, list[Times]] = {kind: [] for kind in KINDS}
    for _ in range(ROUNDS):
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
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print both tables."""
    found = medians()
    rows = [
        (name, f"{plain:.0f}", f"{found['warm'][name]:.0f}", f"{plain / found['warm'][name]:.1f}")
        for name, plain in found["plain"].items()
    ]
    show.table("A kernel's life", ("part", "plain, ms", "warm, ms", "times"), rows)
    every = sorted(path.name for path in (HOME / "notebooks/solutions").iterdir() if path.is_dir())
    labs = ["memory"] if QUICK else every
    count = sum(len(list((HOME / "notebooks/solutions" / lab).glob("[0-9]*.ipynb"))) for lab in labs)
    lines = []
    for workers in (1,) if QUICK else (1, 2):
        plain, warm = nbval("plain", labs, workers), nbval("warm", labs, workers)
        for name, one, other in zip(("on the clock", "of processor time"), plain, warm, strict=True):
            lines.append((workers, name, f"{one / count:.2f}", f"{other / count:.2f}", f"{one / other:.1f}"))
    show.table(
        f"{count} notebooks under nbval, with pytest's own start",
        ("workers", "seconds a notebook", "plain", "warm", "times"),
        lines,
    )
    show.line(f"{os.getloadavg()[0]:.0f} processes wanted {os.cpu_count()} cores meanwhile.")


if __name__ == "__main__":
    main()
