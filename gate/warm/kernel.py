"""A forked process is a kernel until it is shut down.

Not here: forking (`server`), what a forked process takes over and leaves behind (`launch`).
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any

from gate.warm.launch import Launch


def run(launch: Launch, *options: str) -> None:
    """Be the kernel; return when it is shut down, so that the interpreter ends as a plain kernel's does.

    What is given with the launch is the command that would start a plain one.
    """
    command: list[str] = launch.given
    spec = find_spec("ipykernel_launcher")
    assert spec is not None and spec.origin is not None
    sys.orig_argv[:] = command
    sys.argv = [spec.origin, *command[command.index("ipykernel_launcher") + 1 :]]
    os.environ["JPY_PARENT_PID"] = str(os.getppid())
    from ipykernel.kernelapp import IPKernelApp

    app: Any = IPKernelApp.instance()
    # The class looked for its parent when it was imported, in the server.
    app.initialize([*sys.argv[1:], f"--IPKernelApp.parent_handle={os.getppid()}", *options])
    if "ipywidgets" in sys.modules:  # imported in a kernel, it would have done that then
        sys.modules["ipywidgets"].register_comm_target()
    launch.ready()
    app.start()
