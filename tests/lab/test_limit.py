"""Rules of the time limit: an endless loop ends, in any thread, and nothing of the limit stays behind."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gate.lab.limit import TimedOut, run_limited

SHORT = 0.1


def loops() -> None:
    while True:
        pass


def loops_on_one_line() -> int:
    return sum(1 for _ in iter(int, 1))


def swallows_exceptions() -> None:
    while True:
        try:
            raise ValueError
        except Exception:
            continue


def swallows_everything() -> None:
    while True:
        try:
            for number in range(100_000):
                number * number
            raise ValueError
        except:  # noqa: E722 - what students write
            continue


def swallows_everything_twice() -> None:
    while True:
        with contextlib.suppress(BaseException):
            swallows_everything()


ENDLESS = [loops, loops_on_one_line, swallows_exceptions, swallows_everything, swallows_everything_twice]


def in_a_thread(call: Callable[[], Any]) -> BaseException | None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            run_limited(call, SHORT)
        except TimedOut as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return raised[0] if raised else None


@pytest.mark.parametrize("endless", ENDLESS)
def test_stops_an_endless_loop(endless: Callable[[], Any]) -> None:
    with pytest.raises(TimedOut, match=r"did not end within 0\.1 s"):
        run_limited(endless, SHORT)


@pytest.mark.parametrize("endless", ENDLESS)
def test_stops_an_endless_loop_in_another_thread_where_there_is_no_alarm(endless: Callable[[], Any]) -> None:
    assert isinstance(in_a_thread(endless), TimedOut)


def test_wakes_a_call_that_waits_where_there_is_an_alarm_and_stops_it_afterwards_elsewhere() -> None:
    pause = 60.0 if hasattr(signal, "setitimer") else 0.3

    def waits() -> None:
        time.sleep(pause)
        loops()

    began = time.monotonic()
    with pytest.raises(TimedOut):
        run_limited(waits, SHORT)
    assert time.monotonic() - began < 30


def test_returns_what_the_call_returns_and_raises_what_it_raises() -> None:
    assert run_limited(lambda: 2 + 2, 5) == 4
    with pytest.raises(ValueError, match="invalid literal"):
        run_limited(lambda: int("gone"), 5)


def test_leaves_no_tracer_and_no_alarm_behind() -> None:
    before = sys.gettrace(), signal.getsignal(signal.SIGINT)
    for endless in (loops, swallows_everything):
        with pytest.raises(TimedOut):
            run_limited(endless, SHORT)
    assert (sys.gettrace(), signal.getsignal(signal.SIGINT)) == before
    if hasattr(signal, "setitimer"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert sum(range(100_000)) == 4_999_950_000  # and nothing is raised any more
