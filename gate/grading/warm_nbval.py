"""nbval in a forked process, and the kernel that it starts in a box: what `warm_runner` has run.

    the grader's server ─ fork ─▶ nbval (knows the right outputs)
    the box's server ─ fork ─▶ the kernel (knows the inputs)

nbval is given the line to the box's server. A kernel that the box cannot give is none: never a plain one.

Not here: the box (`box`), what is written down of each cell (`watch`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any

import _pytest.config
import nbformat.validator
import nbval.kernel
import pytest
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory

from gate.grading.boxed import limit
from gate.warm import kernel
from gate.warm.forking import ForkServer
from gate.warm.launch import Launch
from gate.warm.provisioner import WarmProvisioner

NAME = "gate-box"
_BOX: dict[str, Any] = {}


class BoxProvisioner(WarmProvisioner):
    """Starts the kernel in the box that this process was given."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel. Raises `Refused` or `OSError` if the box gives none."""
        null = os.open(os.devnull, os.O_RDWR)
        try:
            forked = _BOX["server"].fork(
                "gate.grading.warm_nbval:run_kernel", cmd, cwd=_BOX["own"], environ=_BOX["environ"], streams=[null] * 3
            )
        finally:
            os.close(null)
        return self.take(forked, _BOX["own"])


def prepare() -> None:
    """In the grader's server: load what every run of pytest loads, and the schema of notebooks."""
    for name in _pytest.config.default_plugins:
        import_module(f"_pytest.{name}")
    to_validator: Callable[..., Any] = nbformat.validator.get_validator
    to_validator(4, 5)
    nbval.kernel.pformat = str  # it lays out every message for a log that nobody reads


def run_kernel(launch: Launch) -> None:
    """In the box: be a kernel within limits."""
    limit()
    kernel.run(launch, "--HistoryManager.enabled=False")


def run(launch: Launch) -> None:
    """Outside of it: run nbval with the arguments given."""
    _BOX.update(launch.given["box"], server=ForkServer.inherited(launch.fds[0]))
    factory = KernelProvisionerFactory.instance()
    factory.provisioners[NAME] = EntryPoint(NAME, f"{__name__}:{BoxProvisioner.__name__}", factory.GROUP_NAME)
    factory.default_provisioner_name = NAME
    launch.ready()
    pytest.main(launch.given["arguments"])
    os._exit(0)  # all is written and the kernel has ended: an orderly end would only take time
