"""Runs uv or pip quietly, and says in one line why it stopped.

Not here: when to install, and into what (`environment`).
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from pathlib import Path


class Problem(Exception):
    """Something a person has to mend before the lab can start: one line, what was wrong and what to do next."""


#: What an installer's log says, and what it means for a person. The first that fits is told.
_SIGNS = {
    r"no space left|os error 28|errno 28|not enough space|disk quota": (
        "the disk is full. Next: free 2 GB and run it again"
    ),
    r"certificate.verify|invalid peer certificate|SSLError|UnknownIssuer": (
        "a certificate was not trusted. Next: on a network with its own certificate, set SSL_CERT_FILE to it"
    ),
    r"not a trusted or secure host": (
        "pip passes over a package index without https. Next: set its https address, or PIP_TRUSTED_HOST to its name,"
        " and run it again"
    ),
    r"permission denied|access is denied|os error 13": (
        "a file may not be written. Next: close JupyterLab, mend the folder's permissions and run it again"
    ),
    r"name resolution|getaddrinfo|nodename nor servname|dns error|connection (?:refused|reset|broken)|unreachable"
    r"|timed? ?out|NewConnectionError|ProxyError|error sending request|failed to fetch|network was disabled": (
        "the package index cannot be reached. Next: connect to the internet (only the first start needs it) and run"
        " it again"
    ),
    r"no matching distribution|no solution found|not found in the": (
        "no index offers a pinned package for this Python and machine. Next: look at the internet and at the index that"
        " pip or uv is set to; the pins are for Python 3.11 to 3.14 on 64-bit Linux, macOS and Windows"
    ),
}


def explain(log: str) -> str:
    """Return what to tell a person about an installer's log.

    >>> explain("OSError: [Errno 28] No space left on device")
    'the disk is full. Next: free 2 GB and run it again'
    """
    for signs, meaning in _SIGNS.items():
        if re.search(signs, log, re.IGNORECASE):
            return meaning
    return "see the last lines of the log. Next: mend what they name and run it again"


def find_uv() -> str | None:
    """Return the path of `uv`, or None where there is none, or where `GATE_LAB_INSTALLER=pip` asks for pip."""
    return None if os.environ.get("GATE_LAB_INSTALLER") == "pip" else shutil.which("uv")


def run_logged(command: list[str], log: Path, env: dict[str, str], cwd: Path) -> None:
    """Run one step, its output appended to `log`.

    Raises `Problem` when it fails, or when it cannot be started at all.
    """
    with log.open("a", encoding="utf-8") as file:
        print("$", *command, file=file, flush=True)
        start = file.tell()
        code = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=cwd,
            close_fds=False,  # the installer holds the set-up lock too, should it go on alone
            check=False,
        ).returncode
    if code:
        said = log.read_bytes()[start:].decode("utf-8", "replace")
        raise Problem(f"The set-up stopped: {explain(said)}. Log: {log}")


def describe(error: OSError) -> str:
    """Return one line for a file that could not be read or written.

    >>> describe(OSError(errno.ENOSPC, "No space left on device", "/x"))
    'The disk is full (/x). Next: free 2 GB and run it again.'
    """
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full{where}. Next: free 2 GB and run it again."
    return (
        f"The set-up cannot use this folder: {error.strerror or error}{where}."
        " Next: put the kit where you may write, close what uses it, and run it again."
    )
