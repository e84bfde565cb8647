"""Is the process that claimed a key still alive? Asked of the operating system, never of a clock.

Each open ledger holds a lock on a file of its own; the system drops the lock when the process ends, however it ends
(`kill -9` included). So no lease can run out under a slow tool, and no clock has to agree with another.

Not here: several machines. A lock on a network disk may not hold; keep the ledger on a local one.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from filelock import FileLock, Timeout


class Owner:
    """One open ledger's sign of life. `folder` lies beside the ledger file; raises OSError when it cannot be used.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> owner = Owner(folder)
    >>> is_alive(folder, owner.id), owner.close(), is_alive(folder, owner.id)
    (True, None, False)
    """

    def __init__(self, folder: Path) -> None:
        self.id = secrets.token_hex(8)
        self._path = folder / f"{self.id}.lock"
        self._lock = _lock(self._path)
        self._lock.acquire(timeout=0)

    def close(self) -> None:
        """Give up the sign of life; keys still held under it become unknown."""
        self._lock.release()
        self._path.unlink(missing_ok=True)


def opening(folder: Path, wait_s: float) -> FileLock:
    """Return the lock under which a ledger is opened, so that only one process at a time makes tables or sweeps.

    Entering it raises filelock.Timeout after `wait_s` seconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return _lock(folder / "opening", wait_s)


def is_alive(folder: Path, owner: str) -> bool:
    """Say whether the process behind an owner id still runs. A file that is gone counts as an owner that is gone."""
    path = folder / f"{owner}.lock"
    if not path.exists():
        return False
    probe = _lock(path)
    try:
        probe.acquire(timeout=0)
    except Timeout:
        return True
    probe.release()
    return False


def sweep(folder: Path) -> None:
    """Remove the files of dead owners. Only inside `opening`: a file must not be swept before it is locked."""
    for path in folder.glob("*.lock"):
        if not is_alive(folder, path.stem):
            path.unlink(missing_ok=True)


def _lock(path: Path, wait_s: float = 0) -> FileLock:
    return FileLock(path, timeout=wait_s, thread_local=False, fallback_to_soft=False)
