"""What Jupyter starts, signals and ends kernels through: Jupyter's own for local kernels, with a fork for the start.

Its end is noticed when it happens, not at the next look 100 ms later.

Not here: the fork server (`server`), how it is asked (`starts`, `forking`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, cast

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from gate.warm.client import quick_clients
from gate.warm.forking import Forked, Refused
from gate.warm.starts import begin, fork

_KNOWN = {"env", "cwd", "stdin", "stdout", "stderr", "extra_arguments", "kernel_id", "independent"}
_PROMPT = 0.5  # seconds within which a kernel that was told to end has mostly ended
_told: set[str] = set()


def begin_server(kernel_name: str = "python3") -> None:
    """Let the fork server get ready while the caller does something else. What is wrong shows at the first kernel."""
    with contextlib.suppress(NoSuchKernel, Refused, OSError):
        spec = KernelSpecManager().get_kernel_spec(kernel_name)
        python = sys.executable if spec.argv[0].startswith("python") else spec.argv[0]
        begin([python, *spec.argv[1:]], {**os.environ, **spec.env})


class WarmProvisioner(LocalProvisioner):
    """Starts a kernel by forking one that is warm, and a plain one where that would not be the same."""

    _forked: Forked | None = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel. Blocks until a warm one has bound its sockets: some 100 ms, and once the server's start."""
        try:
            return self.take(_fork(cmd, kwargs), kwargs.get("cwd") or os.getcwd())
        except Refused as refused:
            self._say(f"A plain kernel instead of a warm one: {refused}.")
            self._forked = None
            return await super().launch_kernel(cmd, **kwargs)

    def take(self, forked: Forked, cwd: str) -> KernelConnectionInfo:
        """Have this kernel, which runs in a folder."""
        self._forked = forked
        self.process = cast("subprocess.Popen[bytes]", forked)
        self.pid = self.pgid = forked.pid
        self.cwd = cwd
        quick_clients(self.parent)
        return self.connection_info

    async def kill(self, restart: bool = False) -> None:
        """Kill the kernel and wait until it is gone."""
        await super().kill(restart)
        await self._gone()

    async def shutdown_requested(self, restart: bool = False) -> None:
        """Wait a moment for a kernel that was asked to end."""
        await self._gone()

    async def _gone(self) -> None:
        if self._forked is None or self._forked.poll() is not None:
            return
        loop, seen = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._forked.status, seen.set)
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(seen.wait(), _PROMPT)
        finally:
            loop.remove_reader(self._forked.status)

    def _say(self, message: str) -> None:
        if message not in _told:
            _told.add(message)
            self.log.warning(message)


def _fork(cmd: list[str], kwargs: dict[str, Any]) -> Forked:
    if unknown := {name for name, value in kwargs.items() if value is not None} - _KNOWN:
        raise Refused(f"it is started with {sorted(unknown)[0]}")
    if kwargs.get("independent"):
        raise Refused("it shall outlive this process")
    with _streams(kwargs) as streams:
        return fork(cmd, os.path.abspath(kwargs.get("cwd") or os.getcwd()), kwargs["env"], streams)


@contextlib.contextmanager
def _streams(kwargs: dict[str, Any]) -> Iterator[list[int]]:
    """Give the three streams a plain kernel would have: nothing to read, and where this process writes."""
    wanted = [kwargs.get(name) for name in ("stdin", "stdout", "stderr")]
    if subprocess.PIPE in wanted:
        raise Refused("its streams are pipes")
    null = os.open(os.devnull, os.O_RDWR)
    try:
        yield [_number(stream, default, null) for stream, default in zip(wanted, (null, 1, 2), strict=True)]
    finally:
        os.close(null)


def _number(stream: Any, default: int, null: int) -> int:
    if stream is None:
        return default
    if stream == subprocess.DEVNULL:
        return null
    number: int = stream if isinstance(stream, int) else stream.fileno()
    return number
