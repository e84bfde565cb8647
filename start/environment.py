"""The `.venv` beside the kit: is it ready, and if not, make it so.

A stamp inside says which Python, folder and pins it was made for. It is written `half-made` first and in full last, so
that an interrupted set-up is seen by the next run and begun anew.

Not here: how packages are installed (`install`), what is run afterwards (`commands`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from start.install import Problem, find_uv, run_logged

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "gate-lab.json"
CACHE = ROOT / ".cache"
LOG = CACHE / "setup.log"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
HALF_MADE = '"half-made"'
NEEDED_BYTES = 1_200_000_000

# `jupyter-events` asks for the first, which asks for the second: only for `iri` formats, which nothing here uses, and
# at the price of seconds at every `import jsonschema`. requirements.txt leaves them out; a .venv made by hand has them.
UNWANTED = ("rfc3987-syntax", "lark")


def wanted_stamp() -> dict[str, str]:
    """Return what the stamp of a finished `.venv` says: changed pins, another Python or a moved folder differ."""
    pins = hashlib.sha256((ROOT / "requirements.txt").read_bytes() + (ROOT / "pyproject.toml").read_bytes())
    return {"python": sys.version, "folder": str(ROOT), "pins": pins.hexdigest()}


def found_stamp() -> object:
    """Return the stamp as it is: a dict, the text `half-made`, or None where there is none to read."""
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def is_ready() -> bool:
    """Return whether `.venv` is finished and of today's pins."""
    return found_stamp() == wanted_stamp() and PYTHON.exists()


def activated() -> dict[str, str]:
    """Return this process's environment as if `.venv` were activated, free of what points to another Python."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH", "CONDA_PREFIX")}
    env["VIRTUAL_ENV"] = str(VENV)
    env["PATH"] = os.pathsep.join([str(PYTHON.parent), env.get("PATH", os.defpath)])
    env["PIP_USER"] = "0"  # a personal `user = true` would make pip refuse a .venv
    return env


def ensure() -> None:
    """Make `.venv` ready, saying what is done; nothing is done, and nothing said, when it is.

    Raises `Problem` or `OSError`; the next run then begins again.
    """
    if is_ready():
        return
    CACHE.mkdir(exist_ok=True)
    with _alone():
        if is_ready():
            return
        began = time.monotonic()
        LOG.write_text("", encoding="utf-8")
        if not _can_update():
            _create()
        _install()
        STAMP.write_text(json.dumps(wanted_stamp()), encoding="utf-8")
        print(f"Set up in {time.monotonic() - began:.0f} s.", flush=True)


def _can_update() -> bool:
    """Tell a `.venv` that only needs other pins (or was made by hand, and works) from one to make anew."""
    stamp = found_stamp()
    if isinstance(stamp, dict):
        return PYTHON.exists() and {**stamp, "pins": ""} == {**wanted_stamp(), "pins": ""}
    if STAMP.exists() or not PYTHON.exists():
        return False
    needs = "sys" if find_uv() else "sys, pip"
    probe = [str(PYTHON), "-c", f"import {needs}; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(probe, capture_output=True, env=activated(), check=False).returncode == 0
    except OSError:
        return False


def _create() -> None:
    uv = find_uv()
    missing = [name for name in ("venv", "ensurepip") if not uv and importlib.util.find_spec(name) is None]
    if missing:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise Problem(
            f"This Python ({sys.executable}) has no {missing[0]!r} module, so it cannot make .venv. Next: install it"
            f" (Debian, Ubuntu: sudo apt install python{version}-venv) or uv, and run it again."
        )
    if VENV.exists():
        print("Removing the .venv that is not complete ...", flush=True)
        shutil.rmtree(VENV)
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise Problem(
            f"The disk is full: {free // 10**6} MB are free, the set-up takes about {NEEDED_BYTES // 10**6} MB."
            " Next: free some space and run it again."
        )
    print(f"Making .venv with Python {sys.version.split()[0]} ...", flush=True)
    VENV.mkdir()
    STAMP.write_text(HALF_MADE, encoding="utf-8")
    python = getattr(sys, "_base_executable", sys.executable)  # not the .venv's own, which was just removed
    if uv:
        _run([uv, "venv", "--quiet", "--no-project", "--allow-existing", "--python", python, str(VENV)])
    else:
        _run([python, "-m", "venv", str(VENV)])


def _install() -> None:
    """Install exactly the pins, then the kit itself. No dependency is resolved: requirements.txt names them all."""
    uv = find_uv()
    pip = [uv, "pip"] if uv else [str(PYTHON), "-m", "pip"]
    target = ["--python", str(PYTHON)] if uv else []
    install = [*pip, "install", *target, "--no-deps"]
    name, how_long = ("uv", "some seconds") if uv else ("pip", "a minute or two")
    print(f"Installing the pinned packages with {name}, {how_long} (log: {LOG}) ...", flush=True)
    _run([*install, "--only-binary", ":all:", "-r", "requirements.txt"])
    _run([*pip, "uninstall", *target, *([] if uv else ["--yes"]), *UNWANTED])
    _run([*install, "--no-build-isolation", "--editable", "."])


def _run(command: list[str]) -> None:
    run_logged(command, LOG, activated(), ROOT)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the set-up lock. It goes with the process, so that a killed set-up leaves nothing locked."""
    with (CACHE / "setup.lock").open("w", encoding="utf-8") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Problem(
                "Another set-up is running in this folder. Next: wait until it is done and run it again."
            ) from error
        yield
