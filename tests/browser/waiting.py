"""Waiting for what no page shows, and for a clock. Everything else waits by `expect` of playwright."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Locator, expect


def wait_until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something holds that no page shows, such as what a kernel has saved."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)


def expect_ticks(timer: Locator) -> None:
    """Wait until a clock has changed twice."""
    for _ in range(2):
        expect(timer).not_to_have_text(timer.inner_text())
