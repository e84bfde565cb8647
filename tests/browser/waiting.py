"""Waiting for a clock in a page. Everything else waits by `expect` of playwright, or by `tests.waiting`."""

from __future__ import annotations

from playwright.sync_api import Locator, expect


def expect_ticks(timer: Locator) -> None:
    """Wait until a clock has changed twice."""
    for _ in range(2):
        expect(timer).not_to_have_text(timer.inner_text())
