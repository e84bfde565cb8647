"""A forked process becomes what a plain kernel is: own session, folder, environment, streams, signals and randomness.

Not here: forking (`server`).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import sys
from importlib.util import find_spec
from typing import Any


class Launch:
    """One kernel that is asked for: its arguments, folder, environment and streams, and where its fate is told."""

    def __init__(
        self, request: dict[str, Any], streams: list[int], status: socket.socket, added: dict[str, str]
    ) -> None:
        self.command: list[str] = request["command"]
        self.cwd: str = request["cwd"]
        self.umask: int = request["umask"]
        self.environ: dict[str, str] = {**request["env"], **added}
        self.streams, self.status = streams, status

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to who asked."""
        send(self.status, message)

    def close(self) -> None:
        """Close what came with the request."""
        for stream in self.streams:
            os.close(stream)
        self.status.close()


def send(status: socket.socket, message: dict[str, Any]) -> None:
    """Send a message if somebody still listens."""
    with contextlib.suppress(OSError):
        status.send(json.dumps(message).encode())


def run(launch: Launch) -> None:
    """Be the kernel; return when it is shut down, so that the interpreter ends as a plain kernel's does."""
    settle(launch)
    from ipykernel.kernelapp import IPKernelApp

    app: Any = IPKernelApp.instance()
    # The class looked for its parent when it was imported, in the server.
    app.initialize([*sys.argv[1:], f"--IPKernelApp.parent_handle={os.getppid()}"])
    if "ipywidgets" in sys.modules:  # imported in a kernel, it would have done that then
        sys.modules["ipywidgets"].register_comm_target()
    launch.tell({"pid": os.getpid()})
    launch.status.close()
    app.start()


def settle(launch: Launch) -> None:
    """Take over what was asked for, and leave behind what the server had."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(launch.streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(launch.cwd)
    os.umask(launch.umask)
    os.environ.clear()
    os.environ.update(launch.environ, JPY_PARENT_PID=str(os.getppid()))
    spec = find_spec("ipykernel_launcher")
    assert spec is not None and spec.origin is not None
    sys.orig_argv[:] = launch.command
    sys.argv = [spec.origin, *launch.command[launch.command.index("ipykernel_launcher") + 1 :]]
    random.seed()  # as Python itself does in a fork
    if numpy := sys.modules.get("numpy.random"):
        numpy.seed()
