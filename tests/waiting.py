"""Waiting in a test for what another thread, process or kernel does: never without an end."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], object], seconds: float = 30) -> None:
    """Wait until something holds. Raises `AssertionError` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.005)
