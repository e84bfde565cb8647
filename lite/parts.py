"""Fetches what the site is made of: the tools that build it, Pyodide, and the packages for the browser's Python.

All of it is pinned and lies in `.cache/lite` afterwards, so that a second build needs no network. Pyodide comes from
the npm registry, or from a mirror named by `NPM_CONFIG_REGISTRY`; the rest from the package index that pip is set to.

Not here: putting the parts together (`site`).
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import shutil
import sys
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx

from start.install import Problem, find_uv, run_logged
from start.place import CACHE, ROOT, activated

PARTS = CACHE / "lite"
LOG = PARTS / "build.log"
PYODIDE_VERSION = "314.0.7"
PYODIDE_SHA512 = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
PYTHON_VERSION = "3.14"  # of that Pyodide
TOOL_PINS = ROOT / "requirements-lite.txt"
BROWSER_PINS = ROOT / "lite" / "browser" / "requirements.txt"
_PINNED = ("--no-deps", "--only-binary", ":all:")
_NPM = "https://registry.npmjs.org"
_WANTED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def tools() -> Path:
    """Return the folder with JupyterLite, its kernel and a pip, beside the `.venv` and not in it."""
    return _kept("tools", TOOL_PINS.read_bytes(), _install_tools)


def wheels(pip: Path) -> Path:
    """Return the folder with the wheels for the browser's Python, fetched by the pip in the folder `pip`."""
    return _kept("wheels", BROWSER_PINS.read_bytes(), partial(_download_wheels, pip))


def pyodide() -> Path:
    """Return the folder with Pyodide itself; it holds no packages."""
    return _kept("pyodide", PYODIDE_SHA512.encode(), _unpack_pyodide)


def _kept(name: str, pins: bytes, make: Callable[[Path], None]) -> Path:
    """Return the folder of a part; make it if there is none for these pins. A half-made one never counts."""
    folder = PARTS / f"{name}-{hashlib.sha256(pins + sys.version.encode()).hexdigest()[:12]}"
    if not folder.exists():
        for old in PARTS.glob(f"{name}-*"):
            shutil.rmtree(old)
        making = PARTS / f"{name}-making"
        making.mkdir(parents=True)
        print(f"Fetching {name} (log: {LOG}) ...", flush=True)
        make(making)
        making.rename(folder)
    return folder


def _install_tools(folder: Path) -> None:
    uv = find_uv()
    start = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    _run([*start, *_PINNED, "--target", str(folder), "-r", str(TOOL_PINS)])


def _download_wheels(pip: Path, folder: Path) -> None:
    any_machine = ["--python-version", PYTHON_VERSION, "--platform", "any", "--implementation", "py", "--abi", "none"]
    start = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
    _run([*start, *_PINNED, *any_machine, "--dest", str(folder), "-r", str(BROWSER_PINS)], PYTHONPATH=str(pip))


def _run(command: list[str], **environment: str) -> None:
    run_logged(command, LOG, {**activated(), **environment}, ROOT)


def _unpack_pyodide(folder: Path) -> None:
    registry = os.environ.get("NPM_CONFIG_REGISTRY", _NPM).rstrip("/")
    address = f"{registry}/pyodide/-/pyodide-{PYODIDE_VERSION}.tgz"
    try:
        packed = httpx.get(address, follow_redirects=True, timeout=120).raise_for_status().content
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Problem(
            f"Pyodide could not be fetched from {address} ({error}). Next: connect and run it again."
        ) from error
    if base64.b64encode(hashlib.sha512(packed).digest()).decode() != PYODIDE_SHA512:
        raise Problem(f"{address} is not the file that was pinned. Next: do not use it; ask who runs that registry.")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for name in _WANTED:
            file = archive.extractfile(f"package/{name}")
            assert file is not None  # the hash says that it is there
            (folder / name).write_bytes(file.read())
