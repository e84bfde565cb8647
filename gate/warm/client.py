"""Clients that know at once when a kernel is ready: Jupyter's own listen until nothing has come for 200 ms.

What a kernel publishes comes in order. So when it is idle after a question, all it said before has been read too.

Not here: starting the kernel (`provisioner`).
"""

from __future__ import annotations

import time
from queue import Empty
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_core.utils import ensure_async, run_sync

_LOOK = 1.0


class _Quick:
    async def _async_wait_for_ready(self: Any, timeout: float | None = None) -> None:
        """Ask until the kernel answers on both channels. Raises `RuntimeError` when it is dead or the time is over."""
        end = time.monotonic() + (timeout if timeout is not None else float("inf"))
        while not await self._answered(self.kernel_info()):
            if not await self._async_is_alive():
                raise RuntimeError("Kernel died before replying to kernel_info")
            if time.monotonic() > end:
                raise RuntimeError(f"Kernel didn't respond in {timeout:.0f} seconds")

    async def _answered(self: Any, question: str) -> bool:
        try:
            while True:
                heard = await ensure_async(self.iopub_channel.get_msg(timeout=_LOOK))
                idle = heard["msg_type"] == "status" and heard["content"]["execution_state"] == "idle"
                if idle and heard["parent_header"].get("msg_id") == question:
                    break
            reply = await ensure_async(self.shell_channel.get_msg(timeout=_LOOK))
            while reply["parent_header"].get("msg_id") != question:  # an earlier question's
                reply = await ensure_async(self.shell_channel.get_msg(timeout=_LOOK))
        except Empty:
            return False
        self._handle_kernel_info_reply(reply)
        return True


class QuickBlockingClient(_Quick, BlockingKernelClient):
    """The client of `KernelManager`."""

    wait_for_ready = run_sync(_Quick._async_wait_for_ready)


class QuickAsyncClient(_Quick, AsyncKernelClient):
    """The client of `AsyncKernelManager`."""

    wait_for_ready = _Quick._async_wait_for_ready


_QUICK = {BlockingKernelClient: QuickBlockingClient, AsyncKernelClient: QuickAsyncClient}


def quick_clients(manager: KernelManager | None) -> None:
    """Let a manager make quick clients, if it would have made Jupyter's own."""
    if manager is not None and manager.client_factory in _QUICK:
        manager.client_factory = _QUICK[manager.client_factory]
