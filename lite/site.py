"""Puts the site together: JupyterLite with Pyodide, our lock file, the memory lab's notebooks and their settings.

Not here: fetching the parts (`parts`), packing the kit (`wheel`).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from gate.lab.derive import chosen, derived_text, solution_paths
from lite import parts, wheel
from lite.lock import lock, package_name
from start.install import Problem, run_logged
from start.place import activated

LAB = "memory"  # the one that runs whole without threads and pandas
PROJECT = parts.PARTS / "project"
SITE_PACKAGES = f"/lib/python{parts.PYTHON_VERSION}/site-packages"
_KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
_OFF = ["@jupyterlab/apputils-extension:announcements", "@jupyterlab/extensionmanager-extension"]


def build(out: Path) -> None:
    """Write the site into `out`, in place of an older one. Raises `Problem`, also for a folder of something else."""
    if out.exists() and any(out.iterdir()) and not (out / "jupyter-lite.json").exists():
        raise Problem(f"{out} holds something else. Next: name a new or empty folder with --out.")
    parts.PARTS.mkdir(parents=True, exist_ok=True)
    parts.LOG.write_text("", encoding="utf-8")
    tools = parts.tools()
    shutil.rmtree(PROJECT, ignore_errors=True)
    packages = _lay_out(PROJECT / "static" / "pyodide", tools)
    _write_json(PROJECT / "jupyter-lite.json", settings(packages))
    _hand_out(PROJECT / "contents" / "notebooks" / LAB)
    shutil.rmtree(out, ignore_errors=True)
    print("Putting the site together ...", flush=True)
    run_logged(_command(tools, out), parts.LOG, {**activated(), "PYTHONPATH": str(tools)}, PROJECT)


def settings(packages: list[str]) -> dict[str, Any]:
    """Return the site's settings: everything comes from the site itself, and every package is loaded at the start."""
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "lockFileURL": "./static/pyodide/pyodide-lock.json",
            "packages": packages,
            "args": ["-P"],  # else each import looks into the notebook's folder first: a request each
            "env": {"PYTHONSTARTUP": f"{SITE_PACKAGES}/{wheel.STARTUP}"},
        },
    }
    page = {
        "appName": "The gate lab",
        "appUrl": "/lab",
        "disabledExtensions": _OFF,
        "exposeAppInBrowser": True,
        "litePluginSettings": {_KERNEL: kernel},
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": page}


def _lay_out(folder: Path, tools: Path) -> list[str]:
    """Lay Pyodide, every wheel and the lock file into one folder; return the packages' names."""
    shutil.copytree(parts.pyodide(), folder)
    own = tools / "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
    kernels = [path for name in ("pyodide_kernel", "ipykernel") for path in own.glob(f"{name}-*.whl")]
    for path in [*parts.wheels(tools).glob("*.whl"), *kernels]:
        shutil.copyfile(path, folder / path.name)
    wheel.pack_kit(folder)
    wheel.pack_stand_ins(folder)
    lock_file = folder / "pyodide-lock.json"
    wheels = sorted(folder.glob("*.whl"))
    _write_json(lock_file, lock(lock_file, wheels))
    return [package_name(path) for path in wheels]


def _hand_out(folder: Path) -> None:
    """Write the learner's notebooks, derived anew: somebody may have worked in those of this folder."""
    folder.mkdir(parents=True)
    for solution in chosen(solution_paths(), [LAB]):
        (folder / solution.name).write_text(derived_text(solution), encoding="utf-8", newline="\n")


def _command(tools: Path, out: Path) -> list[str]:
    extensions = tools / "share" / "jupyter" / "labextensions"
    return [
        *(sys.executable, "-m", "jupyterlite_core", "build", "--apps", "lab", "--lite-dir", str(PROJECT)),
        *("--output-dir", str(out), "--contents", "contents", "--no-sourcemaps", "--no-libarchive"),
        f"--FederatedExtensionAddon.extra_labextensions_path={extensions}",
    ]


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
