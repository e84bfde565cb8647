"""Where the kit and its `.venv` lie, and whether `.venv` is ready.

A stamp inside says which Python, folder and pins it was made for. It is written `half-made` first and in full last, so
that an interrupted set-up is seen by the next run and begun anew.

Not here: making it so (`environment`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
STAMP = VENV / "gate-lab.json"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
HALF_MADE = '"half-made"'


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
    away = ("PYTHONHOME", "PYTHONPATH", "CONDA_PREFIX", "PYTHONDONTWRITEBYTECODE")  # the last: see `_install`
    env = {key: value for key, value in os.environ.items() if key not in away}
    env["VIRTUAL_ENV"] = str(VENV)
    env["PATH"] = os.pathsep.join([str(PYTHON.parent), env.get("PATH", os.defpath)])
    env["PIP_USER"] = "0"  # a personal `user = true` would make pip refuse a .venv
    return env
