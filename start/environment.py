"""Makes the `.venv` beside the kit ready: anew, or by bringing its packages to today's pins.

Not here: how a step is run and its failure told (`install`), what is run afterwards (`commands`).
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

from start.install import Problem, find_uv, run_logged
from start.place import CACHE, HALF_MADE, PYTHON, ROOT, STAMP, VENV, activated, found_stamp, is_ready, wanted_stamp

LOG = CACHE / "setup.log"
SCALE = "requirements-scale.txt"
NEEDED_BYTES = 1_200_000_000

# `jupyter-events` asks for the first, which asks for the second: only for `iri` formats, which nothing here uses, and
# at the price of seconds at every `import jsonschema`. requirements.txt leaves them out; a .venv made by hand
# may have them.
UNWANTED = ("rfc3987-syntax", "lark")


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
        if _can_update():
            STAMP.write_text(json.dumps({**wanted_stamp(), "pins": "changing"}), encoding="utf-8")
            _pip("uninstall", *([] if find_uv() else ["--yes"]), *UNWANTED)
        else:
            _create()
        _install()
        STAMP.write_text(json.dumps(wanted_stamp()), encoding="utf-8")
        print(f"Set up in {time.monotonic() - began:.0f} s.", flush=True)


def ensure_scale() -> None:
    """Install, once into a `.venv` that is ready, what only the tests and several machines need."""
    wanted = hashlib.sha256((ROOT / SCALE).read_bytes()).hexdigest()
    stamp = VENV / "gate-lab-scale.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    with _alone():
        print(f"Installing {SCALE}, for tests and benchmarks ...", flush=True)
        LOG.write_text("", encoding="utf-8")
        _pip("install", *_options(), "--only-binary", ":all:", "-r", SCALE)
        stamp.write_text(wanted, encoding="utf-8")


def _can_update() -> bool:
    """Tell a `.venv` that only needs other pins (or was made by hand, and works) from one to make anew."""
    stamp, wanted = found_stamp(), wanted_stamp()
    elsewhere = isinstance(stamp, dict) and {**stamp, "pins": ""} != {**wanted, "pins": ""}
    if elsewhere or (STAMP.exists() and not isinstance(stamp, dict)):
        return False
    needs = "sys" if find_uv() else "sys, pip"
    probe = [str(PYTHON), "-c", f"import {needs}; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(probe, capture_output=True, env=activated(), check=False).returncode == 0
    except OSError:
        return False


def _create() -> None:
    """Make an empty `.venv`, stamped `half-made`, in the place of any that was there."""
    uv = find_uv()
    if not uv:
        _require_modules("venv", "ensurepip")
    if VENV.exists():
        print("Removing the old .venv ...", flush=True)
        shutil.rmtree(VENV)
    _require_space()
    print(f"Making .venv with Python {sys.version.split()[0]} ...", flush=True)
    VENV.mkdir()
    STAMP.write_text(HALF_MADE, encoding="utf-8")
    python = getattr(sys, "_base_executable", sys.executable)  # not the .venv's own, which was just removed
    if uv:
        _run([uv, "venv", "--quiet", "--no-project", "--allow-existing", "--python", python, str(VENV)])
    else:
        _run([python, "-m", "venv", str(VENV)])


def _require_modules(*names: str) -> None:
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise Problem(
            f"This Python ({sys.executable}) has no {missing[0]!r} module, so it cannot make .venv. Next: install it"
            f" (Debian, Ubuntu: sudo apt install python3.{sys.version_info[1]}-venv) or uv, and run it again."
        )


def _require_space() -> None:
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise Problem(
            f"The disk is full: {free // 10**6} MB are free, the set-up takes about {NEEDED_BYTES // 10**6} MB."
            " Next: free some space and run it again."
        )


def _install() -> None:
    """Install exactly the pins, then the kit itself. No dependency is resolved: requirements.txt names them all.

    Modules are compiled when they are first imported, not all now: that would be half of the time.
    """
    name, how_long = ("uv", "some seconds") if find_uv() else ("pip", "a minute or two")
    print(f"Installing the pinned packages with {name}, {how_long} (log: {LOG}) ...", flush=True)
    _pip("install", *_options(), "--only-binary", ":all:", "-r", "requirements.txt")
    _pip("install", *_options(), "--no-build-isolation", "--editable", ".")


def _options() -> list[str]:
    offline = (
        ["--no-index", "--find-links", "wheels"] if (ROOT / "wheels").is_dir() else []
    )  # as `gate bundle` packs it
    return ["--no-deps", *offline, *([] if find_uv() else ["--no-compile"])]


def _pip(command: str, *arguments: str) -> None:
    uv = find_uv()
    start = [uv, "pip", command, "--python", str(PYTHON)] if uv else [str(PYTHON), "-m", "pip", command]
    _run([*start, *arguments])


def _run(command: list[str]) -> None:
    run_logged(command, LOG, activated(), ROOT)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the set-up lock until this process and the installer it started are gone, however they end."""
    with (CACHE / "setup.lock").open("w", encoding="utf-8") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.set_inheritable(file.fileno(), True)
        except OSError as error:
            raise Problem(
                "Another set-up is running in this folder. Next: wait until it is done and run it again."
            ) from error
        yield
