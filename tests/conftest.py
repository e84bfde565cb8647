"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

from start.browser import find_browser

# The same examples each time, and no example fails for being slow on a busy machine.
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.load_profile("gate")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser that the tests drive. A machine without one fails here, and is told what to do."""
    path = find_browser()
    assert path, "no Chromium, Chrome or Edge here. Next: install chromium, or set GATE_CHROMIUM to the browser's path"
    return path
