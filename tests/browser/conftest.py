"""One JupyterLab and one browser page for all browser tests; each begins with nothing open and an empty `work/`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.lab import BROWSER_FLAGS, LabPage, LabServer


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=BROWSER_FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab_server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


@pytest.fixture
def lab(lab_server: LabServer) -> LabServer:
    """The shared JupyterLab, with nothing saved in `work/` yet."""
    lab_server.reset()
    return lab_server


@pytest.fixture(scope="session")
def lab_page(browser: Browser, lab_server: LabServer) -> Iterator[LabPage]:
    opened = LabPage(browser, lab_server)
    yield opened
    opened.close()


@pytest.fixture
def page(lab_page: LabPage, lab: LabServer) -> Iterator[LabPage]:
    """The shared page, with nothing open. Whatever a test does, no request may leave this machine."""
    lab_page.outside.clear()
    yield lab_page
    lab_page.close_all()
    assert lab_page.outside == []
