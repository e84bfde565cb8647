"""Asks the fork server for a kernel, and is to its caller what `subprocess.Popen` is: poll, wait, signals, exit code.

One server for a process, started when first asked or ahead by `begin`; it ends with the process.

Not here: what the server does (`server`), what Jupyter asks for (`provisioner`).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

#: What a notebook of the kit has loaded after its first cell, as data: nothing here imports it.
MODULES = (
    "ipykernel.kernelapp", "ipykernel.debugger", "IPython.core.completerlib", "IPython.core.debugger",
    "IPython.core.oinspect", "IPython.extensions.storemagic", "psutil", "tornado.platform.asyncio",
    "gate.lab", "ipywidgets", "anywidget", "jsonschema", "httpx",
)  # fmt: skip
_LATE = ("GATE_", "JPY_", "MODEL_", "PYTEST_")  # variables that are read when they are needed, never at an import
_SECONDS = 60.0
_MOST = 2  # servers; each holds some 100 MB


class Refused(Exception):
    """This kernel has to be a plain one; the text says why."""


class Start(NamedTuple):
    """What decides how an interpreter starts: kernels that differ in it cannot come from one server."""

    python: str
    options: tuple[str, ...]
    environ: tuple[tuple[str, str], ...]


def start_of(command: Sequence[str], environ: Mapping[str, str]) -> Start:
    """Return how the interpreter of a kernel with this command and environment starts.

    >>> start_of(["python", "-X", "dev", "-m", "ipykernel_launcher", "-f", "c.json"], {"GATE_WORK": "w", "TZ": "UTC"})
    Start(python='python', options=('-X', 'dev'), environ=(('TZ', 'UTC'),))

    Raises `Refused` for a command that starts something else.
    """
    if "ipykernel_launcher" not in command or command[command.index("ipykernel_launcher") - 1] != "-m":
        raise Refused("it is no ipykernel")
    at = command.index("ipykernel_launcher")
    if not all(Path(part).is_absolute() for part in filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))):
        raise Refused("PYTHONPATH depends on the folder")
    fixed = tuple(sorted((name, value) for name, value in environ.items() if not name.startswith(_LATE)))
    return Start(command[0], tuple(command[1 : at - 1]), fixed)


class Forked:
    """A forked kernel, with the part of `subprocess.Popen` that Jupyter uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int, status: socket.socket) -> None:
        self.pid, self.status = pid, status
        self.returncode: int | None = None
        self._pidfd = os.pidfd_open(pid)  # it is alive, or not yet waited for

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal, or None while it lives."""
        if self.returncode is None and select.select([self.status], [], [], 0)[0]:
            self._end(self.status.recv(1000))
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            select.select([self.status], [], [], timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("a warm kernel", timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _end(self, message: bytes) -> None:
        """Take in how it ended; if the server is gone, nobody knows, so it is killed for good."""
        if not message:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        self.returncode = json.loads(message)["exit"] if message else -signal.SIGKILL
        self.status.close()
        os.close(self._pidfd)

    def __del__(self) -> None:
        if self.returncode is None:
            self.status.close()
            os.close(self._pidfd)


class ForkServer:
    """The server for one kind of start. `begin` does not wait for it; the first `fork` does."""

    def __init__(self, start: Start, environ: Mapping[str, str]) -> None:
        self.start, self.owner = start, os.getpid()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        launcher, number = Path(__file__).with_name("launcher.py"), theirs.fileno()
        with theirs:
            self._process = subprocess.Popen(
                [start.python, *start.options, str(launcher), str(number), *MODULES], pass_fds=[number], cwd="/",
                env=dict(environ), start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        self._ready = False
        atexit.register(self.close)

    def fork(self, command: Sequence[str], cwd: str, environ: Mapping[str, str], streams: Sequence[int]) -> Forked:
        """Return a kernel that has bound its sockets. Raises `Refused`, and `OSError` if the server is gone."""
        if not self._ready:
            self._answer(self._control)
            self._ready = True
        umask = os.umask(0o77)
        os.umask(umask)
        request = {"command": [*command], "cwd": cwd, "env": dict(environ), "umask": umask}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                socket.send_fds(self._control, [json.dumps(request).encode()], [*streams, theirs.fileno()])
            return Forked(self._answer(ours)["pid"], ours)
        except BaseException:
            ours.close()
            raise

    def _answer(self, link: socket.socket) -> dict[str, Any]:
        link.settimeout(_SECONDS)
        message = link.recv(10_000)
        link.settimeout(None)
        answer: dict[str, Any] = json.loads(message) if message else {"problem": "the server ended"}
        if "exit" in answer:
            raise Refused("the kernel ended while it started")
        if answer.get("problem"):
            raise Refused(answer["problem"])
        return answer

    def close(self) -> None:
        """End the server; kernels that it forked see that they are alone, and end too."""
        if self.owner == os.getpid():
            self._control.close()
            self._process.wait()


_servers: dict[Start, ForkServer] = {}
_broken = ""


def begin(command: Sequence[str], environ: Mapping[str, str]) -> ForkServer:
    """Return the server for kernels with this command and environment; it gets ready while the caller goes on.

    Raises `Refused` for a command or an environment that no server is for.
    """
    start = start_of(command, environ)
    if start not in _servers or _servers[start].owner != os.getpid():
        if len(_servers) >= _MOST:
            raise Refused("its environment is not that of the kernels before it")
        _servers[start] = ForkServer(start, environ)
    return _servers[start]


def fork(command: Sequence[str], cwd: str, environ: Mapping[str, str], streams: Sequence[int]) -> Forked:
    """Return a warm kernel. Raises `Refused` with the reason if it has to be a plain one."""
    global _broken
    if _broken:
        raise Refused(_broken)
    server = begin(command, environ)
    try:
        return server.fork(command, cwd, environ, streams)
    except (OSError, ValueError) as error:
        _broken = f"the server is broken ({type(error).__name__})"
        raise Refused(_broken) from error
