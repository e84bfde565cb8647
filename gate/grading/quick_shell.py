"""What runs cells in a box without a kernel: an IPython shell that is made before the fork, asked through a socket.

One line of JSON for each cell: its source comes in, and its outputs go out, as nbformat has them.

Not here: the comparison (`quick`). What comes from here may be forged; it is compared with what never gets here.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from gate.grading.boxed import limit
from gate.warm.launch import Launch

Output = dict[str, Any]
_outputs: list[Output] = []
_said: list[int] = []  # how much had been written when a cell failed
#: Less than `watch` allows in real memory, so that Python is the first to say that it is too much, as in a kernel.
_MEMORY = 1400 * 1024**2


class _Hook(DisplayHook):
    def start_displayhook(self) -> None:
        """Show nothing before a result."""

    def write_output_prompt(self) -> None:
        """Show no prompt."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        _outputs.append({"output_type": "execute_result", "data": format_dict, "metadata": md_dict or {}})

    def finish_displayhook(self) -> None:
        """Show nothing after it."""


class _Publisher(DisplayPublisher):
    def publish(self, data: Any, metadata: Any = None, source: Any = None, **_: Any) -> None:
        _outputs.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})


class _Shell(InteractiveShell):
    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        _said.extend(map(_size, (1, 2)))  # nbval stops listening at an error
        _outputs.append({"output_type": "error", "ename": etype.__name__, "evalue": str(evalue), "traceback": stb})

    def ask_exit(self) -> None:
        """Hear of `exit()`: as in a kernel, the cell ends, and nothing is run after it."""
        self.exit_now = True


def prepare() -> None:
    """Make the shell, in the server."""
    config = Config({"HistoryManager": {"enabled": False}})
    shell: Any = _Shell.instance(config=config, displayhook_class=_Hook, display_pub_class=_Publisher)
    shell.run_cell("pass", store_history=False)  # what a first cell makes is made here, once


def run(launch: Launch) -> None:
    """Run the cells that are sent, each when it comes, and send what it showed."""
    limit()
    channel = socket.socket(fileno=launch.fds[0])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _catch("stdout", 1)
    _catch("stderr", 2)
    launch.ready()
    with channel, channel.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            lines.write(json.dumps(_ran(json.loads(line))) + "\n")
            lines.flush()
            if _Shell.instance().exit_now:
                return


def _catch(name: str, number: int) -> None:
    """Let what is written to a stream, by Python or by anything else here, go to a file in memory."""
    caught = os.memfd_create("said")
    os.dup2(caught, number)
    os.close(caught)
    stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115 - to the end
    setattr(sys, name, stream)


def _size(number: int) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return os.fstat(number).st_size


def _ran(source: str) -> dict[str, Any]:
    """Run one cell; return its outputs, and whether it raised."""
    _outputs.clear()
    _said.clear()
    shell: Any = _Shell.instance()
    result = shell.run_cell(source, store_history=False)
    streams, sizes = [], [_size(1), _size(2)]
    for name, number, size in zip(("stdout", "stderr"), (1, 2), _said or sizes, strict=False):
        if text := os.pread(number, size, 0).decode("utf-8", "replace"):
            streams.append({"output_type": "stream", "name": name, "text": text})
        os.ftruncate(number, 0)
        os.lseek(number, 0, os.SEEK_SET)
    return {"outputs": [*streams, *_outputs], "raised": not result.success}
