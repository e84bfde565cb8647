"""Calls pip (or uv) and says in one line why it stopped.

Not here: what is installed and where to (`model.install`, `bundle`). `make setup` has its own: it runs before this can.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys

from gate.errors import ConfigError, clip, escape

_SECONDS = 1800

#: What an installer says, and what it means. The first that fits is told: without a network, pip says both.
_SIGNS = {
    r"do not match the hashes|hash mismatch": (
        "a package is not the pinned one, its hash differs. Next: look at the package index that pip or uv is set to"
    ),
    r"no space left|os error 28|errno 28|not enough space|disk quota": "the disk is full. Next: free 1 GB",
    r"certificate.verify|invalid peer certificate|SSLError|UnknownIssuer": (
        "a certificate was not trusted. Next: on a network with its own certificate, set SSL_CERT_FILE to it"
    ),
    r"not a trusted or secure host": (
        "pip passes over a package index without https. Next: set its https address, or PIP_TRUSTED_HOST to its name"
    ),
    r"resolution|getaddrinfo|dns error|refused|reset|unreachable|timed? ?out|connection|certificate|failed to fetch": (
        "the package index cannot be reached. Next: connect to the internet"
    ),
    r"no matching distribution|no solution found|not found in|no wheels": (
        "no package index that was asked has a ready-made build for this machine. Next: use 64-bit Linux (glibc), macOS"
        " 13 or newer, or Windows on x86-64"
    ),
}


def installer() -> list[str]:
    """Return how to call `install`: pip, or uv where `.venv` was made by it and has no pip. Raises `ConfigError`."""
    if importlib.util.find_spec("pip"):
        return [*_pip(), "install"]
    return [_uv(), "pip", "install", "--python", sys.executable]


def downloader() -> list[str]:
    """Return how to call `download`, which uv has not: there it runs a pip of its own. Raises `ConfigError`."""
    if importlib.util.find_spec("pip"):
        return [*_pip(), "download"]
    return [_uv(), "tool", "run", "pip", "download"]


def run(command: list[str], failed: str, otherwise: str = "") -> None:
    """Run one step. Raises `ConfigError`: what `failed`, why, what to do next, and what there is `otherwise`."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            errors="replace", timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ConfigError(f"{failed}: it took too long and was stopped. Next: try again.") from error
    if done.returncode:
        raise ConfigError(f"{failed}: {explain(done.stdout)}{otherwise and f'; {otherwise}'}.")


def explain(said: str) -> str:
    """Return what to tell a person about what an installer said.

    >>> explain("OSError: [Errno 28] No space left on device")
    'the disk is full. Next: free 1 GB'
    """
    for signs, meaning in _SIGNS.items():
        if re.search(signs, said, re.IGNORECASE):
            return meaning
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "it said nothing")
    return f"{escape(clip(last.strip(), 200))}. Next: mend that and try again"


def _pip() -> list[str]:
    return [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check"]


def _uv() -> str:
    uv = shutil.which("uv")
    if not uv:
        raise ConfigError("there is neither pip nor uv here. Next: install uv, or make .venv anew with make setup.")
    return uv
