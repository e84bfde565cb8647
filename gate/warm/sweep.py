"""A server in a box of its own: nothing that it forked can look into it, and nothing of one run is left for the next.

Not here: the box. Outside of one, `sweep` refuses.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import time
from collections.abc import Collection, Iterable
from pathlib import Path

_FIRST = 2  # the process id of who is started in a new process namespace, beside the one that keeps it
_DUMPABLE = 4  # PR_SET_DUMPABLE
_SECONDS = 5.0


def be_private(private: bool = True) -> None:
    """Let no other process of this user read or write this one's memory, or let it."""
    ctypes.CDLL(None).prctl(_DUMPABLE, int(not private), 0, 0, 0)


def sweep(folders: Iterable[str]) -> str:
    """End all other processes of this box, empty what they share, and folders; return what could not be done, else "".

    A folder that holds another of them, or what is bound into the box, stays; what it holds beside is emptied.
    """
    if os.getpid() != _FIRST:
        return "this server is in no box of its own"
    if not _end_all():
        return "a process does not end"
    if not _end_shared():
        return "memory that was shared does not go"
    paths = [Path(folder) for folder in folders]
    bound = _mounted() - set(paths)
    kept = {*paths, *(parent for path in (*paths, *bound) for parent in path.parents)}
    return next((f"{path} cannot be emptied" for path in paths if not _empty(path, kept, bound)), "")


def _mounted() -> set[Path]:
    """Return where something is mounted in this box: a kit that lies below /tmp is bound into what is swept."""
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    places = (re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), line.split()[4]) for line in lines)
    return {Path(os.fsdecode(place)) for place in places}


def _end_all() -> bool:
    end = time.monotonic() + _SECONDS
    while others := [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _runs(pid)]:
        os.kill(-1, signal.SIGKILL)  # all but this process and the first of the box
        if time.monotonic() > end:
            return False
        time.sleep(0.001 * len(others[:10]))
    return True


def _end_shared() -> bool:
    """Remove memory, messages and locks of System V: they stay without a process, and count as nobody's."""
    system, ends = ctypes.CDLL(None), {"shm": "shmctl", "msg": "msgctl", "sem": "semctl"}
    for kind, end in ends.items():
        for id in _shared(kind):
            getattr(system, end)(id, 0, 0, None)  # IPC_RMID is 0, and stands third for a set of locks
    return not any(map(_shared, ends))


def _shared(kind: str) -> list[int]:
    try:
        lines = Path(f"/proc/sysvipc/{kind}").read_text(encoding="ascii").splitlines()[1:]
    except OSError:  # a system without them
        return []
    return [int(line.split()[1]) for line in lines]


def _runs(pid: int) -> bool:
    if pid in (1, os.getpid()):
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2][:1]
    except OSError:
        return False
    return state not in ("Z", "X")


def _empty(folder: Path, kept: Collection[Path], bound: Collection[Path]) -> bool:
    for path in folder.iterdir():
        if path in bound:
            continue
        if path in kept:
            _empty(path, kept, bound)
        elif path.is_dir() and not path.is_symlink():
            _unlock(path)
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()
    return all(path in kept or path in bound for path in folder.iterdir())


def _unlock(folder: Path) -> None:
    """Make a folder, and those in it, such that they can be emptied."""
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                _unlock(path)
