"""A pytest plugin for the nbval process: it writes down what each cell came to, and watches over the kernel.

The kernel gets sockets in a folder instead of the network, the notebook's file is gone before the kernel starts, and
a kernel that died, or that has too many processes or too much memory, ends the run at once: nbval alone would wait.
What is written is one JSON object a line for each cell that ended, however it did.

Not here: reading those lines (`runner`).
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

from gate.grading import family
from gate.grading.words import CellCame

RECORD, SOCKETS = "GATE_RECORD", "GATE_SOCKETS"
MAX_SHOWN = 120_000
_EVERY = 0.05


def pytest_configure(config: pytest.Config) -> None:
    """Let nbval start kernels that are talked to through the folder in `GATE_SOCKETS`."""
    import nbval.kernel
    from jupyter_client.manager import KernelManager

    class OverSockets(KernelManager):
        def __init__(self, **options: Any) -> None:
            folder = Path(os.environ[SOCKETS])
            file = str(folder / "kernel.json")
            super().__init__(transport="ipc", ip=str(folder / "kernel"), connection_file=file, **options)

    if os.name == "posix":
        nbval.kernel.KernelManager = OverSockets


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remove the notebook, which nbval has read by now."""
    for path in {item.path for item in session.items}:
        path.unlink()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Write down what a cell came to."""
    report = yield
    if call.when == "setup" and call.excinfo is None:
        if not _watches:
            _hear(item.parent.kernel)
            _watches.append(_Watch(item.parent.kernel))
            _watches[0].start()
        _watches[0].begin(item.cell["id"])
    if call.when == "call" or call.excinfo is not None:
        _write({"cell": item.cell["id"], "came": _came(item, call), "shown": _shown(item)})
    return report


def _came(item: Any, call: pytest.CallInfo[None]) -> CellCame:
    if item.get_closest_marker("xfail") or (call.excinfo and isinstance(call.excinfo.value, pytest.skip.Exception)):
        return "missing"
    if call.excinfo is None:
        return "same" if _replies[-1:] == ["ok"] else "error"
    error = call.excinfo.value
    if type(error).__name__ != "NbCellError":
        return "crashed"
    said = str(error)
    return "timeout" if said.startswith("Timeout") else "differs" if said == "Cell outputs differ" else "error"


def _hear(kernel: Any) -> None:
    """Note what the kernel replies to each cell. nbval looks at what is shown only, and an error may not be shown."""
    get_message = kernel.get_message

    def heard(*args: Any, **options: Any) -> Any:
        message = get_message(*args, **options)
        if message["msg_type"] == "execute_reply":
            _replies.append(message["content"]["status"])
        return message

    kernel.get_message = heard


def _shown(item: Any) -> str:
    parts = [str(out.get("text", "")) for out in item.test_outputs or () if out.get("output_type") == "stream"]
    return "".join(parts)[:MAX_SHOWN]


def _write(line: dict[str, Any]) -> None:
    with Path(os.environ[RECORD]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


class _Watch(threading.Thread):
    """Ends the run when the kernel is gone, or when it and all that it started use too much in one cell."""

    def __init__(self, kernel: Any) -> None:
        super().__init__(daemon=True)
        self._pid, self._cell = int(kernel.km.provisioner.pid), ""
        self._meter = family.Meter(self._pid, [Path(os.environ[SOCKETS])])

    def begin(self, cell: str) -> None:
        """Hear that a cell begins."""
        self._cell = cell
        self._meter.begin()

    def run(self) -> None:
        while (came := self._meter.over() or _flooded()) is None:
            time.sleep(_EVERY)
        _write({"cell": self._cell, "came": came})
        family.kill(self._pid)
        os._exit(3)


def _flooded() -> CellCame | None:
    """Say whether what the kernel showed fills up this process, which has to take it in."""
    return "crashed" if psutil.Process().memory_info().rss > family.MAX_MEMORY else None


_watches: list[_Watch] = []  # one kernel, one watch
_replies: list[str] = []
