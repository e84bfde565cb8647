"""Makes the README's pictures: a real browser, a real JupyterLab, each lab at one of its moments.

    python -m tests.browser.pictures          (writes docs/pictures/<lab>.png)

Not here: whether what they show is right. The tests beside this file look at that.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from gate.files import HOME
from start.browser import find_browser
from tests.browser.lab import BROWSER_FLAGS, LabPage, LabServer

OUT = HOME / "docs" / "pictures"
#: Lab: the solution that is opened, and the cell that stands in the middle of the picture.
MOMENTS = {
    "memory": ("memory/02_freeze_the_contract", "freeze-table"),
    "arguments": ("arguments/05_runner_and_scorecard", "score-picture"),
    "fence": ("fence/02_one_key_one_mutation", "key-trial-first"),
    "results": ("results/03_cap_the_result", "cap-read"),
}
_MIDDLE = "(cell) => cell.scrollIntoView({block: 'center'})"


def main(chromium: str) -> None:
    """Make every picture."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=BROWSER_FLAGS)
        server = LabServer(Path(folder) / "lab")
        try:
            page = LabPage(browser, server)
            for lab, (name, cell) in MOMENTS.items():
                take(page, server, name, cell, OUT / f"{lab}.png")
        finally:
            server.stop()
            browser.close()


def take(page: LabPage, server: LabServer, name: str, cell: str, path: Path) -> None:
    """Open a solved notebook, run it, and take a picture with one cell in the middle."""
    server.reset()
    notebook = page.open(server.copy(f"notebooks/solutions/{name}.ipynb"))
    page.page.evaluate("() => jupyterapp.commands.execute('application:toggle-left-area')")
    notebook.run_all()
    shown = notebook.cell(notebook.at(cell))
    shown.evaluate(_MIDDLE)
    page.page.wait_for_timeout(500)  # the scrollbar fades
    page.page.screenshot(path=path)
    page.page.evaluate("() => jupyterapp.commands.execute('application:toggle-left-area')")
    page.close_all()


if __name__ == "__main__":
    found = find_browser()
    if found is None:
        sys.exit("No Chromium, Chrome or Edge was found. Next: install one, or set GATE_CHROMIUM.")
    main(found)
