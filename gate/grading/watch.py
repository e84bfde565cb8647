"""A pytest plugin for the nbval process: it writes down what each cell came to, and watches over the kernel.

The kernel gets sockets in a folder instead of the network, the notebook's file is gone before the kernel starts, and
a kernel that died, or that has too many processes or too much memory, ends the run at once: nbval alone would wait.
What is written is one JSON object a line: `{"cell": ID}` when a cell begins, and with "came" and "shown" when it ended.

Not here: reading those lines (`runner`).
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

from gate.grading.words import CellCame

RECORD, SOCKETS = "GATE_RECORD", "GATE_SOCKETS"
MAX_SHOWN = 120_000
MAX_PROCESSES = 48
MAX_MEMORY = 1536 * 1024**2  # bytes, all processes of a kernel together
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
    if call.when == "setup":
        _write({"cell": item.cell["id"]})
        _watch_over(item.parent.kernel)
    if call.when == "call" or call.excinfo is not None:
        _write({"cell": item.cell["id"], "came": _came(item, call), "shown": _shown(item)})
    return report


def _came(item: Any, call: pytest.CallInfo[None]) -> CellCame:
    if item.get_closest_marker("xfail"):
        return "missing"
    if call.excinfo is None:
        return "same"
    error = call.excinfo.value
    if type(error).__name__ != "NbCellError":
        return "crashed"
    said = str(error)
    return "timeout" if said.startswith("Timeout") else "differs" if said == "Cell outputs differ" else "error"


def _shown(item: Any) -> str:
    parts = [str(out.get("text", "")) for out in item.test_outputs or () if out.get("output_type") == "stream"]
    return "".join(parts)[:MAX_SHOWN]


def _write(line: dict[str, Any]) -> None:
    with Path(os.environ[RECORD]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _watch_over(kernel: Any, watched: set[int] = set()) -> None:  # noqa: B006 - one process, one set
    """Begin to watch a kernel, once."""
    pid = kernel.km.provisioner.pid
    if pid not in watched:
        watched.add(pid)
        threading.Thread(target=_watch, args=(psutil.Process(pid),), daemon=True).start()


def _watch(kernel: psutil.Process) -> None:
    """End the run when the kernel is gone, or when it and its children use too much."""
    while (reason := too_much(kernel)) == "":
        time.sleep(_EVERY)
    _write({"ended": reason})
    kill_all(kernel)
    os._exit(3)


def too_much(kernel: psutil.Process) -> str:
    try:
        if kernel.status() == psutil.STATUS_ZOMBIE:
            return "died"
        family = _family(kernel.pid)
        if len(family) > MAX_PROCESSES:
            return "processes"
        return "memory" if sum(map(_memory, family)) > MAX_MEMORY else ""
    except psutil.NoSuchProcess:
        return "died"


def _family(pid: int) -> list[int]:
    """Return a process and all that it started; at most a few more than are allowed."""
    found = [pid]
    for one in found:
        found += _children(one)
        if len(found) > MAX_PROCESSES:
            break
    return found


def _children(pid: int) -> list[int]:
    if sys.platform != "linux":
        return [child.pid for child in psutil.Process(pid).children()]
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # it has ended
        return []


def _memory(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def kill_all(kernel: psutil.Process) -> None:
    """Kill a kernel and all that it started."""
    for pid in reversed(_family(kernel.pid)):
        try:
            psutil.Process(pid).kill()
        except psutil.Error:
            continue
