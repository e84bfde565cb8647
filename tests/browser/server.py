"""A JupyterLab server of its own, for the browser tests.

Not here: the page in it (`lab`), the open notebook (`notebook`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import nbformat

from gate.files import HOME

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


class LabServer:
    """A JupyterLab of its own: own settings, own folder, no token to type, gone with `stop`.

    `folder` holds the notebooks, `work` what they save (`GATE_WORK` of every kernel), `written` the names of those that
    `notebook` wrote.
    """

    def __init__(self, home: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder, self.work = home / "notebooks", home / "work"
        self.written: set[str] = set()
        self._signals = home / "signals"
        self._runtime, self._log = home / "runtime", home / "server.log"
        for folder in (self.folder, self._runtime):
            folder.mkdir(parents=True)
        _write_json(home / "config/labconfig/page_config.json", _PAGE_CONFIG)
        _write_json(home / "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings", _NOTEBOOK_SETTINGS)
        own = {name: str(home / part) for name, part in _PLACES.items()}
        paths = os.pathsep.join([str(HOME), *filter(None, [os.environ.get("PYTHONPATH")])])
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
        self.written.add(name)
        return name

    def copy(self, path: str) -> str:
        """Copy a notebook of the kit (`notebooks/memory/02_….ipynb`) into the folder and return its path there."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HOME / path, self.folder / path)
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


def _write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
