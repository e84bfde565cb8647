"""Starts a kernel as nbval does, warm or plain, and says what its cells print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory

from gate.warm import NAME

SECONDS = 60.0


class Kernel:
    """A running kernel."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client

    @property
    def process(self) -> Any:
        """What its provisioner holds: `Forked`, or `subprocess.Popen`."""
        return self.manager.provisioner.process  # type: ignore[union-attr]

    def run(self, code: str) -> str:
        """Run a cell; return what it wrote, and the name of its exception if it raised."""
        said: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            content = message["content"]
            said.append(content.get("text") or content.get("ename") or content.get("data", {}).get("text/plain", ""))

        self.client.execute_interactive(code, output_hook=hear, timeout=SECONDS)
        return "".join(said).strip()

    def facts(self, code: str) -> dict[str, Any]:
        """Run cells that print one JSON object."""
        told: dict[str, Any] = json.loads(self.run(code))
        return told


@contextmanager
def kernel(warm: bool = True, **settings: Any) -> Iterator[Kernel]:
    """Start a kernel, and end it for good."""
    factory = KernelProvisionerFactory.instance()
    before, factory.default_provisioner_name = factory.default_provisioner_name, NAME if warm else "local-provisioner"
    manager = KernelManager(kernel_name="python3")
    try:
        manager.start_kernel(**settings)
    finally:
        factory.default_provisioner_name = before
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=SECONDS)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
