"""Warm kernels: a notebook's kernel is forked from a process that has imported the kit, instead of started cold.

    use_warm_kernels()                  # from here on, kernels of this process are warm ones where that is safe

    provisioner ─▶ starts ─▶ forking ─▶ server ─ fork ─▶ launch ─▶ kernel
        └── client: ready without the fixed wait

A warm kernel behaves as a plain one: its own environment, folder, streams, session, random numbers and sockets. Where
it could not (not on Linux, another Python, other settings, a file beside the notebook that hides a module that is
loaded already, a broken server), the kernel is a plain one. `GATE_KERNELS=plain` makes all of them plain.

Not here: running notebooks, comparing what they show. Importing this loads no Jupyter.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points

#: The name of the provisioner among the entry points `jupyter_client.kernel_provisioners`.
NAME = "gate-warm"
#: `plain` here makes every kernel a plain one.
SWITCH = "GATE_KERNELS"


def use_warm_kernels() -> str:
    """Let the kernels that this process starts be warm ones; return why they stay plain, else "".

    A provisioner that the user has chosen for all kernels stays.
    """
    if os.environ.get(SWITCH) == "plain":
        return f"{SWITCH} is set to plain"
    if sys.platform != "linux":  # macOS: the system's own libraries do not survive a fork; Windows has none
        return "forking with everything loaded is safe only on Linux"
    if not entry_points(group="jupyter_client.kernel_provisioners", name=NAME):
        return "this installation does not know them yet (next: make setup)"
    from jupyter_client.provisioning.factory import KernelProvisionerFactory

    factory = KernelProvisionerFactory.instance()
    if factory.default_provisioner_name not in ("local-provisioner", NAME):
        return f"{factory.default_provisioner_name} is chosen for all kernels"
    factory.default_provisioner_name = NAME
    return ""
