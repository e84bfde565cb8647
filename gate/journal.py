"""A file of lines that only grows: each line is on disk before `append` returns, and a half line never counts.

A kill at any instant leaves the lines before it whole. What was half-written is cut off by the next writer, who keeps
it beside the file. One writer at a time, across processes, by a lock file.

Not here: what a line means (`memory`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gate.errors import ConfigError, quote

_WAIT_S = 10.0  # how long another writer may hold the file


class Journal:
    """The lines of one file. Use `unread` and `append` inside `locked`, which waits `wait_s` seconds for its turn.

    The path is made absolute at once: a program that changes its folder stays with its file.

    >>> journal = Journal("events.jsonl")
    >>> journal.path.name
    'events.jsonl'

    Raises `ConfigError` for what can be no path. Does not catch: a disk that says "written" and has not; a file edited
    by hand.
    """

    def __init__(self, path: str | Path, *, wait_s: float = _WAIT_S) -> None:
        try:
            self.path = Path(path).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a NUL in it; links in a circle
            raise _unusable(Path(path), error) from error
        self._wait_s = wait_s
        self._read_to = 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the file alone. Raises `ConfigError` when it cannot be had, or fails while it is held."""
        from filelock import FileLock, Timeout  # only a durable journal pays for it

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not self.path.is_file():
                raise OSError(errno.EINVAL, "it is no ordinary file")
            lock = FileLock(f"{self.path}.lock", timeout=self._wait_s).acquire()
        except Timeout as error:
            message = f"{_shown(self.path)} is held by another program for more than {self._wait_s:g} seconds."
            raise ConfigError(f"{message} Next: stop that program.") from error
        except OSError as error:
            raise _unusable(self.path, error) from error
        with lock:
            try:
                yield
            except OSError as error:
                raise _unusable(self.path, error) from error

    def unread(self) -> Iterator[str]:
        """Yield the lines added since the last look. Bad UTF-8 is replaced, so that the line is refused, not lost.

        A line counts as read once the next is asked for: one that could not be dealt with is yielded again.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            data = file.read()
        whole, newline, half = data.rpartition(b"\n")
        for line in whole.split(b"\n") if newline else ():
            if line:
                yield line.decode("utf-8", "backslashreplace")
            self._read_to += len(line) + 1
        if half:
            self._cut(half)

    def holds(self, line: str) -> bool:
        """Say whether the file has this line."""
        return self.path.exists() and line.encode("utf-8") in self.path.read_bytes().split(b"\n")

    def append(self, line: str) -> None:
        """Write one line and wait until it is on disk. `line` has no line end in it; read all of `unread` before.

        What cannot be written whole is taken back, so that a line counts exactly if `append` returned.
        """
        data = line.encode("utf-8") + b"\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        end = os.lseek(handle, 0, os.SEEK_END)
        try:
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
            self._read_to = os.lseek(handle, 0, os.SEEK_END)
        except BaseException:
            os.ftruncate(handle, end)
            raise
        finally:
            os.close(handle)

    def _cut(self, half: bytes) -> None:
        """Cut off what a killed writer left, after keeping it beside the file."""
        with Path(f"{self.path}.half").open("ab") as kept:
            kept.write(half + b"\n")
        with self.path.open("r+b") as file:
            file.truncate(self._read_to)
            os.fsync(file.fileno())


def _unusable(path: Path, error: Exception) -> ConfigError:
    reason = getattr(error, "strerror", None) or quote(str(error), 80)
    return ConfigError(f"{_shown(path)} cannot be used ({reason}). Next: check the folder and the room on the disk.")


def _shown(path: Path) -> str:
    return quote(str(path), 200)
