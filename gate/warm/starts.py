"""Which fork server a kernel may come from: one whose interpreter was started as the kernel's would be.

One server for each kind of start, at most two in a process; they end with the process.

Not here: asking a server (`forking`), what Jupyter asks for (`provisioner`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gate.warm.forking import Forked, ForkServer, Refused

#: What a notebook of the kit has loaded after its first cell, as data: nothing here imports it.
MODULES = (
    "ipykernel.kernelapp", "ipykernel.debugger", "IPython.core.completerlib", "IPython.core.debugger",
    "IPython.core.oinspect", "IPython.extensions.storemagic", "psutil", "tornado.platform.asyncio",
    "gate.lab", "ipywidgets", "anywidget", "jsonschema", "httpx", "gate.registry:kit_contracts",
)  # fmt: skip
_LATE = ("GATE_", "JPY_", "MODEL_", "PYTEST_")  # variables that are read when they are needed, never at an import
_MOST = 2  # servers; each holds some 100 MB


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
        _servers[start] = ForkServer.start([start.python, *start.options], environ, MODULES)
    return _servers[start]


def fork(command: Sequence[str], cwd: str, environ: Mapping[str, str], streams: Sequence[int]) -> Forked:
    """Return a warm kernel that has bound its sockets. Raises `Refused` with the reason if it has to be a plain one."""
    global _broken
    if _broken:
        raise Refused(_broken)
    server = begin(command, environ)
    try:
        return server.fork("gate.warm.kernel:run", [*command], cwd=cwd, environ=environ, streams=streams)
    except (OSError, ValueError) as error:
        _broken = f"the server is broken ({type(error).__name__})"
        raise Refused(_broken) from error
