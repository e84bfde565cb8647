"""A process and all that it started: how many they are, what they use, whether that is too much, and their end.

Not here: who looks (`watch`, `quick`). Not caught outside a box: a process that left its family behind.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import psutil

from gate.grading.words import CellCame

MAX_PROCESSES = 48
MAX_MEMORY = 1536 * 1024**2  # bytes, of all of them together
MAX_SECONDS = 10.0  # of processor time in one cell, which does not depend on how busy the machine is


class Used(NamedTuple):
    """What a family uses: processes, bytes of memory, seconds of processor time of those that live."""

    processes: int
    memory: int
    seconds: float


def used(pid: int) -> Used | None:
    """Return what a process and its family use, or None when it has ended."""
    try:
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return None
    except psutil.NoSuchProcess:
        return None
    members = _members(pid)
    each = [_one(member) for member in members]
    return Used(len(members), sum(one[0] for one in each), sum(one[1] for one in each))


def over(pid: int, before: float) -> CellCame | None:
    """Return what a cell came to whose kernel has ended or uses too much, or None while all is well.

    `before` is the processor time that was used when the cell began.
    """
    now = used(pid)
    if now is None or now.processes > MAX_PROCESSES or now.memory > MAX_MEMORY:
        return "crashed"
    return "timeout" if now.seconds - before > MAX_SECONDS else None


def kill(pid: int) -> None:
    """Kill a process and its family, the youngest first."""
    for member in reversed(_members(pid)):
        try:
            psutil.Process(member).kill()
        except psutil.Error:
            continue


def _members(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        found += _children(one)
        if len(found) > MAX_PROCESSES:
            break
    return found


def _children(pid: int) -> list[int]:
    """Return the children of a process; on Linux without a look at every process there is."""
    try:
        if sys.platform != "linux":
            return [child.pid for child in psutil.Process(pid).children()]
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except (OSError, psutil.Error):  # it has ended
        return []


def _one(pid: int) -> tuple[int, float]:
    try:
        process = psutil.Process(pid)
        times = process.cpu_times()
        return int(process.memory_info().rss), float(times.user + times.system)
    except psutil.Error:
        return 0, 0.0
