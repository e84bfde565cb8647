"""What all tests share."""

from __future__ import annotations

import pytest

from start.browser import find_browser


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser that the tests drive. A machine without one fails here, and is told what to do."""
    path = find_browser()
    assert path, "no Chromium, Chrome or Edge here. Next: install chromium, or set GATE_CHROMIUM to the browser's path"
    return path
