"""The fork server: imports once what every notebook imports, then forks a kernel, or what else is asked, each time.

It has one thread, no file and no socket but the one it is asked through, and runs no cell: what is forked shares
nothing with its siblings that can change. It ends when the process that asks it ends. A kernel that has died stays a
zombie until the asker has heard of it, so that its process id belongs to nobody else before that.

Not here: who asks (`forking`), what a forked process does before it runs what was asked for (`launch`).
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from gate.warm.launch import Launch, send, settle
from gate.warm.sweep import be_private, sweep

_MAX_BYTES = 1_000_000
_FDS = 16


def main(number: int, modules: Iterable[str]) -> None:
    """Serve on the socket with this number until it is closed; in a forked process, run what is asked, then return."""
    control = socket.socket(fileno=number)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    be_private()
    problem, added = _load(modules)
    send(control, {"problem": problem} if problem else {"ready": True})
    launch = None if problem else Server(control, added).serve()
    if launch is None:
        os._exit(0)  # nothing here is worth the time of an orderly end
    settle(launch)
    _find(launch.entry)(launch)


def _find(entry: str) -> Callable[..., None]:
    """Return a function by `module:name`."""
    module, _, name = entry.partition(":")
    found: Callable[..., None] = getattr(import_module(module), name)
    return found


def _load(modules: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Import modules, or call a function named `module:name`.

    Return why it is not safe to fork then, else "", and what was put into `os.environ`.
    """
    before = dict(os.environ)
    for name in modules:
        try:
            _find(name)() if ":" in name else import_module(name)
        except Exception as error:  # whatever it is, a plain kernel will say it better
            return f"{name} cannot be imported ({type(error).__name__})", {}
    gc.collect()
    gc.freeze()  # a collection in a kernel need not touch, and so copy, what was loaded here
    threads = max(threading.active_count(), len(os.listdir("/proc/self/task")))
    problem = f"{threads} threads run after the imports" if threads > 1 else ""
    return problem, {name: value for name, value in os.environ.items() if before.get(name) != value}


class Server:
    """Waits for requests and for the end of kernels."""

    def __init__(self, control: socket.socket, added: dict[str, str]) -> None:
        self._control, self._added = control, added
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._alive: dict[int, tuple[int, socket.socket]] = {}  # by pidfd: the process id, and who wants to hear of it
        self._dead: dict[int, tuple[int, socket.socket]] = {}  # by that socket's number, until it was heard
        self._loaded = {name.partition(".")[0] for name in sys.modules}

    def serve(self) -> Launch | None:
        """Return a launch in a forked process, and None here when nobody asks any more."""
        while True:
            for key, _ in self._selector.select():
                if key.fd in self._alive:
                    self._died(key.fd)
                elif key.fd in self._dead:
                    self._heard(key.fd)
                else:
                    request, fds, _, _ = socket.recv_fds(self._control, _MAX_BYTES, _FDS)
                    if not request:
                        return None
                    if launch := self._asked(json.loads(request), fds):
                        return launch

    def _asked(self, request: dict[str, Any], fds: list[int]) -> Launch | None:
        if "sweep" in request:
            problem = sweep(request["sweep"])
            send(self._control, {"problem": problem} if problem else {"ready": True})
            return None
        launch = Launch(request, fds, self._added)
        if hiding := self._hidden_by(launch.cwd):
            launch.tell({"problem": f"{hiding} beside it has the name of a module that is loaded already"})
        elif (pid := os.fork()) == 0:
            self._forget()
            return launch
        else:
            pidfd = os.pidfd_open(pid)
            self._selector.register(pidfd, selectors.EVENT_READ)
            self._alive[pidfd] = pid, launch.status.dup()
        launch.close()
        return None

    def _hidden_by(self, folder: str) -> str:
        """Return a name in a folder that a plain kernel would import instead of what is loaded here, else ""."""
        try:
            entries = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir() or _is_module(entry.name))
        except OSError:  # the kernel will fail to go there
            return ""
        return next((name for name in entries if name.partition(".")[0] in self._loaded), "")

    def _died(self, pidfd: int) -> None:
        """Tell how a kernel ended."""
        pid, status = self._alive.pop(pidfd)
        result = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT)
        assert result is not None
        exited = result.si_code == os.CLD_EXITED
        send(status, {"exit": result.si_status if exited else -result.si_status})
        self._selector.unregister(pidfd)
        os.close(pidfd)
        self._selector.register(status, selectors.EVENT_READ)
        self._dead[status.fileno()] = pid, status

    def _heard(self, fd: int) -> None:
        """Let a process id go: who wanted to hear of it has closed the other end."""
        pid, status = self._dead.pop(fd)
        self._selector.unregister(status)
        status.close()
        os.waitpid(pid, 0)

    def _forget(self) -> None:
        """In a forked process: close all that is the server's."""
        self._selector.close()
        self._control.close()
        for pidfd in self._alive:
            os.close(pidfd)
        for _, status in [*self._alive.values(), *self._dead.values()]:
            status.close()


def _is_module(name: str) -> bool:
    return Path(name).suffix in (".py", ".so")
