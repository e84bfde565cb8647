"""Asks a fork server for a process, and is to its caller what `subprocess.Popen` is: poll, wait, signals, exit code.

Not here: what the server does (`server`), which server a kernel may come from (`starts`).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_SECONDS = 60.0
_SWEEP_SECONDS = 15.0
_CREDENTIALS = struct.Struct("3i")  # process, user and group, as the system tells them: a box has numbers of its own


class Refused(Exception):
    """No process could be forked that would be like a started one; the text says why."""


class Forked:
    """A forked process, with the part of `subprocess.Popen` that Jupyter uses."""

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
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
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
    """A server with modules imported. It gets ready while the caller goes on; the first `fork` waits for it.

    `command` starts its interpreter: it may have a box around it. What is asked of a server that a process inherited
    (`ForkServer.inherited`) is asked of the same one.
    """

    def __init__(self, control: socket.socket, process: subprocess.Popen[bytes] | None) -> None:
        self.control, self.process, self.owner = control, process, os.getpid()
        self._ready = process is None

    @classmethod
    def start(cls, command: Sequence[str], environ: Mapping[str, str], modules: Iterable[str]) -> ForkServer:
        """Start a server. Raises `OSError` if the command cannot be started."""
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        launcher, number = Path(__file__).with_name("launcher.py"), theirs.fileno()
        with theirs:
            process = subprocess.Popen(
                [*command, str(launcher), str(number), *modules], pass_fds=[number], cwd="/", env=dict(environ),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        server = cls(control, process)
        atexit.register(server.close)
        return server

    @classmethod
    def inherited(cls, number: int) -> ForkServer:
        """Return the server at the other end of an open file that this process was given."""
        return cls(socket.socket(fileno=number), None)

    def fork(
        self,
        entry: str,
        given: Any,
        *,
        cwd: str,
        environ: Mapping[str, str],
        streams: Sequence[int],
        fds: Sequence[int] = (),
    ) -> Forked:
        """Return a process that runs `entry` (`module:function`) and has said that it is ready.

        Raises `Refused`, and `OSError` if the server is gone.
        """  # fmt: skip
        self.wait()
        umask = os.umask(0o77)
        os.umask(umask)
        request = {"entry": entry, "given": given, "cwd": cwd, "env": dict(environ), "umask": umask}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                socket.send_fds(self.control, [json.dumps(request).encode()], [theirs.fileno(), *streams, *fds])
            return Forked(_heard(ours), ours)
        except BaseException:
            ours.close()
            raise

    def sweep(self, folders: Sequence[str]) -> None:
        """Have the server end all other processes of its box, and empty folders. Raises as `fork` does."""
        self.wait()
        self.control.send(json.dumps({"sweep": [*folders]}).encode())
        _heard(self.control, _SWEEP_SECONDS)

    def wait(self) -> None:
        """Wait until the server is ready. Raises `Refused` if it never will be."""
        if not self._ready:
            _heard(self.control)
            self._ready = True

    def close(self) -> None:
        """End the server; what it forked sees that it is alone, and ends too."""
        if self.owner == os.getpid():
            self.control.close()
            if self.process is not None:
                self.process.wait()


def _heard(link: socket.socket, seconds: float = _SECONDS) -> int:
    """Return the process id of who says that it is ready. Raises `Refused` for any other message."""
    link.settimeout(seconds)
    message, more, _, _ = link.recvmsg(10_000, socket.CMSG_SPACE(_CREDENTIALS.size))
    link.settimeout(None)
    answer: dict[str, Any] = json.loads(message) if message else {"problem": "the server ended"}
    if "ready" not in answer:
        raise Refused(answer.get("problem", "it ended while it started"))
    pids = [_CREDENTIALS.unpack(data)[0] for _, kind, data in more if kind == socket.SCM_CREDENTIALS]
    return pids[0] if pids else 0
