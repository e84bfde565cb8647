"""Runs one try in a process of its own, so that an endless loop, an exit or a hog costs this try and no other.

Where there is `fork` (Linux, macOS) the child has a limit of processor time, which does not depend on how busy the
machine is, and a longer one on the clock for a child that only waits. Elsewhere the try runs in this process under the
tracer of `lab.limit`, and an exit of the process costs the rest of the notebook.

Not here: limits for the whole kernel (`grading.kernel`, `grading.watch`).
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from os import urandom  # here, so that it stays the system's

from gate.grading.observe.canonical import MAX_CHARS, canonical
from gate.lab.limit import TimedOut, run_limited

CPU_SECONDS = 3
SECONDS = 8.0
_MARK = 16  # bytes
MAX_ENDED = 2  # tries of one exercise that may run into a limit; the others are then not tried

TIMEOUT = canonical({"ended": "timeout"})
_ended: dict[str, int] = {}
CAN_FORK = hasattr(os, "fork") and sys.platform != "emscripten"


def apart(exercise: str, call: Callable[[], str]) -> str:
    """Return what `call` returns, or an observation of how it ended: `{"ended": "timeout"}`, `exit`, `untried`."""
    if _ended.get(exercise, 0) >= MAX_ENDED:
        return canonical({"ended": "untried"})
    told = limited(call)
    if told == TIMEOUT:
        _ended[exercise] = _ended.get(exercise, 0) + 1
    return told


def limited(call: Callable[[], str]) -> str:
    """Return what `call` returns, or an observation of how it ended: `{"ended": "timeout"}`, `exit`."""
    return _forked(call) if CAN_FORK else _traced(call)


def _traced(call: Callable[[], str]) -> str:
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return run_limited(call, SECONDS)
    except TimedOut:
        return TIMEOUT


def _forked(call: Callable[[], str]) -> str:
    # What is tried has the pipe too. Only what begins with a mark that it was not given is the observer's word.
    mark = urandom(_MARK)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a kernel has threads; the child uses none of them
        child = os.fork()
    if child == 0:
        _in_child(call, mark, reading, writing)
    os.close(writing)
    try:
        data, in_time = _read(reading)
    finally:
        os.close(reading)
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    used_up = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    if not in_time or (not data and used_up):
        return TIMEOUT
    if not data.startswith(mark):
        return canonical({"ended": "exit"})
    return data.removeprefix(mark).decode("utf-8", "replace")


def _in_child(call: Callable[[], str], mark: bytes, reading: int, writing: int) -> None:
    """Run the call, write what it returns, and end without any of the parent's clean-up."""
    try:
        os.setsid()
        os.close(reading)
        _limit_cpu()
        _be_silent()
        data = mark + call().encode("utf-8")
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _be_silent() -> None:
    """Let nothing that is written here be shown, by whoever kept a stream from before either: a log has one."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, TypeError):
            stream.write = len  # type: ignore[method-assign]
            stream.flush = lambda: None  # type: ignore[method-assign]
    sys.stdout = sys.stderr = io.StringIO()


def _limit_cpu() -> None:
    import resource  # not on every system that can be imported on

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))  # a child's own time begins at nothing


def _read(reading: int) -> tuple[bytes, bool]:
    """Return what comes through the pipe until it is closed, and whether that was in time and not too much."""
    data, deadline = b"", time.monotonic() + SECONDS
    while len(data) <= 4 * MAX_CHARS:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return data, False
        piece = os.read(reading, 65_536)
        if not piece:
            return data, True
        data += piece
    return b"", True
