"""A real JupyterLab and a page in it, for the browser tests.

    def test_something(lab, page):                      # fixtures of conftest.py
        notebook = page.open(lab.notebook("mine.ipynb", ["1 + 1"]))
        notebook.run_all()
        assert notebook.output(0).inner_text() == "2"

JupyterLab is driven through its own application object: its menus differ from version to version.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import Browser, Locator, Page, Request, WebSocket

ROOT = Path(__file__).resolve().parents[2]
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
_OPTIONS = [
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--ServerApp.open_browser=False",
    "--ServerApp.allow_root=True",
    "--ServerApp.terminals_enabled=False",
    "--IdentityProvider.token=tests",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.news_url=",
    "--Application.log_level=WARN",
]
START_SECONDS = 60

_APP = "const app = window.jupyterapp; const panel = app.shell.currentWidget; const context = panel.sessionContext;"
_READY = "await app.restored; await panel.context.ready; await context.ready; await context.session.kernel.info;"


class LabServer:
    """A JupyterLab of its own: own settings, own folder, no token to type, gone with `stop`.

    `folder` holds the notebooks, `work` what they save (`GATE_WORK` of every kernel).
    """

    def __init__(self, home: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder, self.work = home / "notebooks", home / "work"
        self._signals = home / "signals"
        self._runtime, self._log = home / "runtime", home / "server.log"
        for folder in (self.folder, self._runtime):
            folder.mkdir(parents=True)
        _write_json(home / "config/labconfig/page_config.json", _PAGE_CONFIG)
        _write_json(home / "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings", _NOTEBOOK_SETTINGS)
        own = {name: str(home / part) for name, part in _PLACES.items()}
        paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {**os.environ, **own, "GATE_WORK": str(self.work), "PYTHONPATH": paths, **(environment or {})}
        command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={self.folder}", *_OPTIONS]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, env=env, stdout=log, stderr=log)
        self.url = self._wait_for_address()

    def notebook(self, name: str, cells: Iterable[str]) -> str:
        """Write a notebook with these code cells into the folder and return its path there."""
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, self.folder / name)
        return name

    def copy(self, path: str) -> str:
        """Copy a notebook of the kit (`notebooks/memory/02_….ipynb`) into the folder and return its path there."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, self.folder / path)
        return path

    def copy_of(self, path: str, other: str) -> str:
        """Copy a notebook of the folder to another place in it, and return that."""
        (self.folder / other).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.folder / path, self.folder / other)
        return other

    def wait_for_file(self, name: str) -> str:
        """Return the source of a cell that keeps the kernel busy until `make_file(name)`."""
        path = str(self._signals / name)
        return f"import pathlib, time\nwhile not pathlib.Path({path!r}).exists():\n    time.sleep(0.02)"

    def make_file(self, name: str) -> None:
        """End the cell of `wait_for_file(name)`."""
        self._signals.mkdir(exist_ok=True)
        (self._signals / name).touch()

    def reset(self) -> None:
        """Forget everything that was saved in `work/`."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self._signals, ignore_errors=True)

    def answers(self, name: str) -> dict[str, Any]:
        """Return what is saved in `work/<name>.json`."""
        saved: dict[str, Any] = json.loads((self.work / f"{name}.json").read_text(encoding="utf-8"))
        return saved

    def stop(self) -> None:
        """Stop the server and its kernels."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait_for_address(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            for file in self._runtime.glob("jpserver-*.json"):
                text = file.read_text(encoding="utf-8")
                if text.endswith("}"):
                    return str(json.loads(text)["url"])
            time.sleep(0.05)
        log = self._log.read_text(encoding="utf-8", errors="replace")
        self.stop()
        raise AssertionError(f"JupyterLab did not start in {START_SECONDS} s. It said:\n{log[-3000:]}")


class LabPage:
    """A browser page on a `LabServer`. `outside` lists every request that left this machine: it must stay empty.

    Loading JupyterLab takes longer than anything else here, so one page serves all tests: `open` and `close_all` leave
    it as it was found.
    """

    def __init__(self, browser: Browser, server: LabServer) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 900})
        self._server = server
        self.outside: list[str] = []
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("request", self._note)
        self.page.on("websocket", self._note)

    def open(self, path: str) -> Notebook:
        """Open a notebook of the server's folder in JupyterLab, with a kernel of its own, and return it."""
        if not self.page.evaluate("() => Boolean(window.jupyterapp)"):
            self.page.goto(f"{self._server.url}lab?token=tests&reset")
            self.page.wait_for_function("() => window.jupyterapp")
        self.page.evaluate(
            """async (path) => {
                await jupyterapp.restored;
                await jupyterapp.commands.execute("docmanager:open", {path});
            }""",
            path,
        )
        return Notebook(self.page)

    def close_all(self) -> None:
        """Close every notebook without a question and stop every kernel."""
        if self.page.locator(".jp-Dialog").count():
            self.page.goto("about:blank")  # a question nobody answered: the next test loads JupyterLab anew
        self.page.evaluate(
            """async () => {
                for (const widget of [...(window.jupyterapp?.shell.widgets("main") ?? [])]) widget.dispose();
                await window.jupyterapp?.serviceManager.sessions.shutdownAll();
            }"""
        )

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def _note(self, request: Request | WebSocket) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts.hostname != "127.0.0.1":
            self.outside.append(request.url)


class Notebook:
    """The open notebook: run it, read it, click in it. Cells and outputs are counted from 0, over all cells."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._ready()

    def run_all(self) -> None:
        """Run every cell and wait for the last one. A cell that fails stops the run, as it does for a person."""
        self._do(f"{_APP} await app.commands.execute('notebook:run-all-cells');")

    def run_cell(self, index: int, *, wait: bool = True) -> None:
        """Run one cell; with `wait=False` return while it runs."""
        run = "app.commands.execute('notebook:run-cell')"
        self._do(f"{_APP} panel.content.activeCellIndex = {index}; {'await ' if wait else 'void '}{run};")

    def set_cell(self, index: int, source: str) -> None:
        """Replace the text of one cell, as a student who types an answer."""
        self.page.evaluate(
            f"([index, source]) => {{ {_APP} panel.content.widgets[index].model.sharedModel.setSource(source); }}",
            [index, source],
        )

    def cell(self, index: int) -> Locator:
        """Return one cell."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """Return the outputs of one cell."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def outputs(self) -> list[dict[str, Any]]:
        """Return the stored outputs of all cells, as nbformat has them, in one list."""
        found: list[dict[str, Any]] = self.page.evaluate(
            f"() => {{ {_APP} return panel.context.model.toJSON().cells.flatMap((cell) => cell.outputs ?? []); }}"
        )
        return found

    def errors(self) -> list[str]:
        """Return name and text of every exception that is shown in the notebook."""
        return [f"{out['ename']}: {out['evalue']}" for out in self.outputs() if out["output_type"] == "error"]

    def sources(self) -> list[str]:
        """Return the text of all cells."""
        found: list[str] = self.page.evaluate(
            f"() => {{ {_APP} return panel.content.widgets.map((cell) => cell.model.sharedModel.getSource()); }}"
        )
        return found

    def active_cell(self) -> int:
        """Return the number of the active cell."""
        return int(self.page.evaluate(f"() => {{ {_APP} return panel.content.activeCellIndex; }}"))

    def wait_until_busy(self) -> None:
        """Wait until the kernel works on a cell."""
        self.page.wait_for_function(f"() => {{ {_APP} return context.session.kernel.status === 'busy'; }}")

    def accessibility_tree(self) -> list[tuple[str, str]]:
        """Return role and name of every node that the browser tells a screen reader about, in order."""
        session = self.page.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        seen = [node for node in nodes if not node["ignored"]]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in seen]

    def contrasts(self, area: Locator, *, below: float) -> list[str]:
        """Return every text in `area` whose contrast with what is behind it is below a ratio (WCAG AA asks 4.5)."""
        found: list[str] = area.evaluate(_CONTRASTS, below)
        return found

    def save(self) -> None:
        """Save the notebook."""
        self._do(f"{_APP} await panel.context.save();")

    def reload(self) -> None:
        """Save, and reload the page in the browser; the kernel goes on."""
        self.save()
        self.page.reload()
        self._ready()

    def restart_kernel(self) -> None:
        """Restart the kernel; outputs stay as they are."""
        self._do(f"{_APP} await context.session.kernel.restart(); {_READY}")

    def theme(self, name: str) -> None:
        """Switch to "JupyterLab Light" or "JupyterLab Dark"."""
        self._do(f"{_APP} await app.commands.execute('apputils:change-theme', {{theme: '{name}'}});")
        self.page.locator(f'body[data-jp-theme-name="{name}"]').wait_for(state="attached")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")

    def _ready(self) -> None:
        self.page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
        self._do(f"{_APP} {_READY}")

    def _do(self, script: str) -> None:
        self.page.evaluate(f"async () => {{ {script} }}")


# Colours are painted on a canvas, layer upon layer, and read back: that takes every notation and transparency.
_CONTRASTS = """(area, below) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const paint = (colours) => {
        for (const colour of ["white", ...colours]) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        const light = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
            .map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
    };
    const behind = (node) => node ? [...behind(node.parentElement), getComputedStyle(node).backgroundColor] : [];
    const hasText = (node) => node.placeholder || node.value ||
        [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
    return [...area.querySelectorAll("*")]
        .filter((node) => hasText(node) && node.checkVisibility() && !node.disabled && node.tagName !== "OPTION")
        .map((node) => {
            const pseudo = node.placeholder && !node.value ? "::placeholder" : null;
            const layers = behind(node);
            const [text, back] = [paint([...layers, getComputedStyle(node, pseudo).color]), paint(layers)];
            const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
            return [ratio, `${ratio.toFixed(1)}: ${node.textContent || node.placeholder}`];
        })
        .filter(([ratio]) => ratio < below).map(([, line]) => line);
}"""
_PAGE_CONFIG = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
_NOTEBOOK_SETTINGS = {"windowingMode": "none"}  # every cell is in the page, seen or not
_PLACES = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
}


def wait_until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something holds that no page shows, such as what a kernel has saved."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)


def _write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
