"""What runs cells in a box without a kernel: an IPython shell that is made before the fork, asked through a socket.

One line of JSON for each cell: its source comes in, and its outputs go out, as nbformat has them.

Not here: the comparison (`quick`). What comes from here may be forged; it is compared with what never gets here.
"""

from __future__ import annotations

import json
import os
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
        _outputs.append({"output_type": "error", "ename": etype.__name__, "evalue": str(evalue), "traceback": stb})


def prepare() -> None:
    """Make the shell, in the server."""
    _Shell.instance(
        config=Config({"HistoryManager": {"enabled": False}}), displayhook_class=_Hook, display_pub_class=_Publisher
    )


def run(launch: Launch) -> None:
    """Run the cells that are sent, each when it comes, and send what it showed."""
    limit()
    channel = socket.socket(fileno=launch.fds[0])
    said = [_catch(1), _catch(2)]
    launch.ready()
    with channel, channel.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            lines.write(json.dumps(_ran(json.loads(line), said)) + "\n")
            lines.flush()


def _catch(number: int) -> int:
    """Let what is written to a stream, by Python or by anything else here, go to a file in memory; return it."""
    caught = os.memfd_create("said")
    os.dup2(caught, number)
    stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    setattr(sys, "stdout" if number == 1 else "stderr", stream)
    return caught


def _ran(source: str, said: list[int]) -> dict[str, Any]:
    """Run one cell; return its outputs, and whether it raised."""
    _outputs.clear()
    shell: Any = _Shell.instance()
    result = shell.run_cell(source, store_history=False)
    streams = []
    for name, caught in zip(("stdout", "stderr"), said, strict=True):
        getattr(sys, name).flush()
        size = os.fstat(caught).st_size
        if text := os.pread(caught, size, 0).decode("utf-8", "replace"):
            streams.append({"output_type": "stream", "name": name, "text": text})
        os.ftruncate(caught, 0)
        os.lseek(caught, 0, os.SEEK_SET)
    return {"outputs": [*streams, *_outputs], "raised": not result.success}
