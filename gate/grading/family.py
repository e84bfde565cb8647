"""A process and all that it started: how many they are, what they use, whether that is too much, and their end.

What a process keeps in files without a name (in memory, or deleted while open) counts as its memory.

Not here: who looks (`watch`, `quick`). Not caught outside a box: a process that left its family behind.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from gate.grading.words import CellCame

MAX_PROCESSES = 48
MAX_MEMORY = 1536 * 1024**2  # bytes, of all of them together
MAX_WRITTEN = 128 * 1024**2  # bytes in the folders that a run may write to, and are not the box's own
MAX_FILES = 4096  # in them
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
    memory = sum(one[0] for one in each) + sum(dict(file for member in members for file in _nameless(member)).values())
    return Used(len(members), memory, sum(one[1] for one in each))


class Meter:
    """Says what a cell came to whose kernel has ended, or uses too much together with all that it started.

    `folders` are those of this machine that the kernel can write to: a limit for one file is none for their number.
    A cell's processor time counts from the first look at it, so that one that ends before a look costs nothing.
    """

    def __init__(self, pid: int, folders: Iterable[Path] = ()) -> None:
        self._pid, self._folders = pid, [*folders]
        self._before: float | None = None

    def begin(self) -> None:
        """Hear that a cell begins: what was used before it is not its."""
        self._before = None

    def over(self) -> CellCame | None:
        """Look, and return what the cell came to, or None while all is well."""
        now = used(self._pid)
        if now is None or now.processes > MAX_PROCESSES or now.memory > MAX_MEMORY:
            return "crashed"
        if any(_filled(folder) for folder in self._folders):
            return "crashed"
        before = self._before = now.seconds if self._before is None else self._before
        return "timeout" if now.seconds - before > MAX_SECONDS else None


def kill(pid: int) -> None:
    """Kill a process and its family, the youngest first. It is halted before, and sees nothing of their end."""
    with contextlib.suppress(psutil.Error):
        psutil.Process(pid).suspend()
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


def _filled(folder: Path) -> bool:
    """Say whether a folder holds more than a run may write. What vanishes meanwhile does not count."""
    size, number = 0, 0
    for where, folders, names in os.walk(folder):
        number += len(folders) + len(names)
        for name in names[:MAX_FILES]:
            size += _bytes(os.path.join(where, name))
        if size > MAX_WRITTEN or number > MAX_FILES:
            return True
    return False


def _bytes(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _nameless(pid: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield (which file, its bytes) for the open files of a process that no folder has; nothing but on Linux."""
    try:
        names = os.listdir(f"/proc/{pid}/fd") if sys.platform == "linux" else []
    except OSError:  # it has ended, or is private
        return
    for name in names:
        try:
            file = os.stat(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        if stat.S_ISREG(file.st_mode) and not file.st_nlink:
            yield (file.st_dev, file.st_ino), file.st_blocks * 512


def _one(pid: int) -> tuple[int, float]:
    try:
        process = psutil.Process(pid)
        times = process.cpu_times()
        return int(process.memory_info().rss), float(times.user + times.system)
    except psutil.Error:
        return 0, 0.0
