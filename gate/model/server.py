"""The local model as a running server: started in a process of its own, waited for, and ended with the block.

Not here: what runs in that process (`child`), what else can be asked (`choice`).
"""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from gate.errors import ConfigError, clip, escape
from gate.files import HOME
from gate.model.place import NAME, WITHOUT, check, folder

_PATIENCE_S = 60.0
_STOP_S = 5.0
_NEEDS_MB = 300


class Served(NamedTuple):
    """A running local model: where, with which key, and its process."""

    address: str
    key: str
    process: subprocess.Popen[str]

    def environ(self) -> dict[str, str]:
        """Return MODEL_BASE_URL, MODEL_API_KEY and MODEL_NAME."""
        return {"MODEL_BASE_URL": f"{self.address}/v1", "MODEL_API_KEY": self.key, "MODEL_NAME": NAME}


@contextmanager
def running_model(*, port: int = 0) -> Iterator[Served]:
    """Run the local model while the block runs, on a free loopback port unless one is given, behind a key of its own.

    Raises `ConfigError`, one line with the way out, when the model is missing, is not the pinned one, does not run on
    this machine or finds no memory.
    """
    if not 0 <= port <= 65_535:
        raise ConfigError(f"port {port} does not exist. Next: choose another; 0 is any free one.")
    file = check()
    key = secrets.token_hex(12)  # a web page in a browser of this machine could reach the port
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "gate.model.child"], cwd=HOME, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
        try:
            settings = {"library": str(folder()), "gguf": str(file), "port": port, "key": key}
            yield Served(_started(process, settings, log), key, process)
        finally:
            _stop(process)


def _started(process: subprocess.Popen[str], settings: dict[str, object], log: IO[bytes]) -> str:
    """Return the address as soon as the model answers there."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    until = time.monotonic() + _PATIENCE_S

    def listen() -> None:
        lines.put(process.stdout.readline() if process.stdout else "")

    threading.Thread(target=listen, name="model", daemon=True).start()
    try:
        assert process.stdin
        process.stdin.write(json.dumps(settings) + "\n")
        process.stdin.flush()
        said = lines.get(timeout=_PATIENCE_S)
        address = str(json.loads(said)["address"])
    except queue.Empty:
        raise ConfigError(_failed(f"it was not loaded within {_PATIENCE_S:g} seconds")) from None
    except (OSError, ValueError, LookupError, TypeError):
        process.wait()
        raise ConfigError(_failed(_last_words(process, log))) from None
    while not _is_ready(address):
        if process.poll() is not None or time.monotonic() > until:
            raise ConfigError(_failed(_last_words(process, log)))
        time.sleep(0.05)
    return address


def _is_ready(address: str) -> bool:
    import httpx

    try:
        return httpx.get(f"{address}/health", timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def _last_words(process: subprocess.Popen[str], log: IO[bytes]) -> str:
    log.seek(0)
    said = [line for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
    code = process.poll()
    if code is not None and code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return escape(clip(said[-1].strip(), 160)) if said else f"its process ended with exit {code}"


def _failed(why: str) -> str:
    return (
        f"the local model does not run here: {why.rstrip('.')}. Next: it needs {_NEEDS_MB} MB of free memory and a free"
        f" port; or install it anew (gate model install); {WITHOUT}."
    )


def _stop(process: subprocess.Popen[str]) -> None:
    assert process.stdin and process.stdout
    with contextlib.suppress(OSError):  # what was still to be written, to a process that has gone
        process.stdin.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()  # last: closing waits for whoever still reads
