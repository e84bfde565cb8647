"""How long it takes from the address to the first cell's output in the built site: `make lite`, then this.

    .venv/bin/python benchmarks/lite.py [RUNS]

Each run is a browser that was never there before, so that nothing is kept from an earlier visit. A browser and the
Python in it want two cores for themselves: the load before each run is printed beside it, and the processor seconds
that the browser took, all its processes together, which others disturb less.

Not here: whether it is right (`make lite ARGS=--check`).
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lite.serve import serving
from start.browser import find_browser
from start.place import ROOT
from tests.browser.lab import BROWSER_FLAGS
from tests.lite.site_page import NO_OUTSIDE, SitePage


def main(runs: int) -> None:
    """Print a line a run, and the median."""
    seconds = []
    with serving(ROOT / "dist" / "lite") as server, sync_playwright() as playwright:
        for _ in range(runs):
            load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
            browser = playwright.chromium.launch(executable_path=find_browser(), args=[*BROWSER_FLAGS, NO_OUTSIDE])
            began = time.monotonic()
            page = SitePage(browser, server.url)
            page.page.wait_for_function("() => window.jupyterapp")
            seen = time.monotonic() - began
            notebook = page.first()
            notebook.run_cell(notebook.at("start"))
            seconds.append(time.monotonic() - began)
            used = _processor_seconds()
            browser.close()
            told = f"page {seen:5.1f} s   first cell {seconds[-1]:5.1f} s   processor {used:5.1f} s"
            print(f"{told}   load before {load:.1f}", flush=True)
    print(f"first cell, median of {runs}: {statistics.median(seconds):.1f} s")


def _processor_seconds() -> float:
    """Return what the browser's processes, and all that they started, have taken so far."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(one.user + one.system for one in times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
