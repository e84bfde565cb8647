"""The site on a port of this machine, and one browser. `make lite ARGS=--check` builds the site and runs these tests.

They stand apart from `make test`: the site's parts take a network the first time, and a kernel takes its time to start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from gate.files import HOME
from lite.serve import Server, serving
from tests.browser.lab import BROWSER_FLAGS
from tests.lite.site_page import NO_OUTSIDE, SECONDS, SitePage


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    site = Path(os.environ.get("GATE_LITE_SITE", HOME / "dist" / "lite"))
    assert (site / "lab" / "index.html").exists(), "there is no site. Next: make lite ARGS=--check"
    with serving(site) as started:
        yield started


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    expect.set_options(timeout=SECONDS * 1000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=[*BROWSER_FLAGS, NO_OUTSIDE])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[SitePage]:
    """A window of a browser that was never here. Whatever a test does, nothing outside the site may be asked."""
    opened = SitePage(browser, server.url)
    yield opened
    opened.close()
    assert opened.asked > 100 and opened.outside == []
