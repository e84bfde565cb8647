"""A time limit that really stops a student's endless loop, in the thread that runs it.

Once the time is up, `TimedOut` is raised at the next step. Where there is an alarm (Linux, macOS, main thread) a tracer
sees to that, set only when the alarm rings: that costs nothing before, and wakes a call that waits. Elsewhere (Windows,
a browser, another thread) calls and loops are watched from the start (`turns`), on Python 3.11 by the tracer.

Not here: what a time-out means (`board`). Not caught without an alarm: one call that waits or computes outside Python,
such as `time.sleep(3600)`; it is stopped as soon as it comes back.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

from gate.lab import turns

Answer = TypeVar("Answer")

_ALARMS = hasattr(signal, "setitimer") and sys.platform != "emscripten"  # a browser has the name, and never rings
_AGAIN = 0.1  # seconds until the alarm rings again, should its first call have been swallowed


class TimedOut(BaseException):
    """The call ran past its limit. No `Exception`, so that `except Exception:` does not swallow it."""

    def __init__(self, guard: _Guard) -> None:
        super().__init__(f"did not end within {guard.seconds:g} s")
        self._guard = guard

    def __del__(self) -> None:
        # A bare `except:` inside the student's loop ends here, when it drops this exception: go on raising.
        self._guard.arm(sys._getframe().f_back)


def run_limited(call: Callable[[], Answer], seconds: float) -> Answer:
    """Return `call()`, or raise `TimedOut` when it does not end within `seconds`.

    >>> run_limited(lambda: 2 + 2, 1.0)
    4
    """
    guard = _Guard(seconds)
    try:
        try:
            guard.start()
            return call()
        finally:
            guard.stop()
    except TimedOut:
        guard.stop()  # the alarm may have rung while the first stop was under way
        raise


class _Guard:
    """One call's alarm and tracer."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds
        self.over = False
        self.tracer_before = sys.gettrace()
        self.alarm = _ALARMS and threading.current_thread() is threading.main_thread()
        self.handler_before: Any = None
        self.listening: int | None = None
        self.thread = threading.get_ident()

    def start(self) -> None:
        if self.alarm:
            self.handler_before = signal.signal(signal.SIGALRM, self.ring)
            signal.setitimer(signal.ITIMER_REAL, self.seconds, _AGAIN)
            return
        self.listening = turns.listen(self.turn)
        if self.listening is None:
            sys.settrace(self.trace)

    def stop(self) -> None:
        self.over = True
        if self.alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.handler_before)
        if self.listening is not None:
            turns.leave(self.listening)
            self.listening = None
        sys.settrace(self.tracer_before)

    def turn(self, code: CodeType, *_where: int) -> None:
        mine = threading.get_ident() == self.thread and code.co_filename != __file__
        if mine and not self.over and time.monotonic() >= self.deadline:
            raise TimedOut(self)

    def ring(self, number: int, frame: FrameType | None) -> None:
        if self.over or frame is None or frame.f_code.co_filename == __file__:
            return
        self.arm(frame)
        raise TimedOut(self)

    def arm(self, frame: FrameType | None) -> None:
        """Let the tracer see the next step of every frame of the student's, the innermost being `frame`."""
        if self.over or self.listening is not None:
            return
        sys.settrace(self.trace)
        while frame is not None and frame.f_code is not run_limited.__code__:
            frame.f_trace, frame.f_trace_opcodes = self.trace, True
            frame = frame.f_back

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self.over and time.monotonic() >= self.deadline and frame.f_code.co_filename != __file__:
            raise TimedOut(self)
        frame.f_trace_opcodes = True  # a loop that stands on one line has no line events
        return self.trace
