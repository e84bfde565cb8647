"""A box with a fork server in it: what runs a student's code starts warm, one after the other, each in a clean box.

The server imports what students need, once. Before and after each run it ends all that is left of the run, and empties
every folder that can be written to. It holds no answer, and nothing that it forks can look into it. If a box cannot be
swept, it is thrown away and another is made.

Not here: the protection itself (`protect`), what is run in it (`quick`, `runner`).
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.files import write_whole
from gate.grading import family, protect
from gate.warm.forking import Forked, ForkServer, Refused

#: Folders that can be written to in every box, beside its own two.
_SHARED = ("/tmp", "/dev/shm")


def works(kind: protect.Kind) -> bool:
    """Say whether such boxes can be had here: on Linux, in a protection that keeps processes apart."""
    return sys.platform == "linux" and kind == "bubblewrap" and hasattr(os, "pidfd_open")


class Box:
    """One box, for one worker. `own` is where what runs in it may write, `sockets` where it may be talked to."""

    def __init__(self, kind: protect.Kind, modules: Sequence[str]) -> None:
        self._kind, self._modules = kind, modules
        self._open()
        atexit.register(self.close)

    def _open(self) -> None:
        self._folders = [Path(tempfile.mkdtemp(prefix="gate-")).resolve() for _ in range(2)]
        self.own, self.sockets = self._folders
        write_whole(self.sockets / protect.CALLS, protect.given_calls())
        inside = protect.around(self._kind, [sys.executable, "-I"], own=self.own, sockets=self.sockets)
        self.environ = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.own), "GATE_WORK": str(self.own / "work"), "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "IPYTHONDIR": str(self.own / ".ipython"),
        }  # fmt: skip
        self.server = ForkServer.start(inside, self.environ, self._modules)

    @contextmanager
    def swept(self) -> Iterator[None]:
        """Sweep the box, give it for one run, and sweep it again.

        Raises `Refused` if no clean one can be had, and `ConfigError` if the kit cannot even start in a new one.
        """
        if not self._swept():
            self.close()
            self._open()
            self._wait()
            if not self._swept():
                raise Refused("no box can be swept")
        try:
            yield
        finally:
            self._swept()

    def _wait(self) -> None:
        try:
            self.server.wait()
        except (Refused, OSError) as error:
            message = f"nothing can be run in a box here: {error}. Next: make setup, then gate doctor."
            raise ConfigError(message) from None

    def _swept(self) -> bool:
        try:
            self.server.sweep([str(folder) for folder in (*self._folders, *_SHARED)])
        except (Refused, OSError):
            return False
        return True

    def fork(self, entry: str, given: Any = None, fds: Sequence[int] = ()) -> Forked:
        """Return a process in the box that runs `entry`, its output nowhere. Raises `Refused` and `OSError`."""
        null = os.open(os.devnull, os.O_RDWR)
        try:
            return self.server.fork(entry, given, cwd=str(self.own), environ=self.environ, streams=[null] * 3, fds=fds)
        finally:
            os.close(null)

    def close(self) -> None:
        """End the box with all that is in it, and remove its folders."""
        if self.server.process is not None:
            family.kill(self.server.process.pid)  # it may have been stopped, and hear nothing
        self.server.close()
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)
