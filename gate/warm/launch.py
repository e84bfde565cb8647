"""What is asked of a forked process, what it takes over for it, and what it leaves behind: all that the server had.

It has its own session, folder, environment, streams, signals and randomness, as a started process has.

Not here: forking (`server`), what the process does then (`kernel`, for one).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import sys
from typing import Any

from gate.warm.sweep import be_private


class Launch:
    """One process that is asked for: what it shall run, its folder, environment and streams, who hears of its fate.

    `given` is for what is run; `fds` are open files that came along beside the streams.
    """

    def __init__(self, request: dict[str, Any], fds: list[int], added: dict[str, str]) -> None:
        self.entry: str = request["entry"]
        self.given: Any = request["given"]
        self.cwd: str = request["cwd"]
        self.umask: int = request["umask"]
        self.environ: dict[str, str] = {**request["env"], **added}
        self.status, self.streams, self.fds = socket.socket(fileno=fds[0]), fds[1:4], fds[4:]

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to who asked."""
        send(self.status, message)

    def ready(self) -> None:
        """Say that it runs. From then on nothing more can be told."""
        self.tell({"ready": True})
        self.status.close()

    def close(self) -> None:
        """Close what came with the request."""
        for number in (*self.streams, *self.fds):
            os.close(number)
        self.status.close()


def send(status: socket.socket, message: dict[str, Any]) -> None:
    """Send a message if somebody still listens."""
    with contextlib.suppress(OSError):
        status.send(json.dumps(message).encode())


def settle(launch: Launch) -> None:
    """Take over what was asked for, and leave behind what the server had."""
    be_private(False)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(launch.streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(launch.cwd)
    os.umask(launch.umask)
    os.environ.clear()
    os.environ.update(launch.environ)
    random.seed()  # as Python itself does in a fork
    if numpy := sys.modules.get("numpy.random"):
        numpy.seed()
