"""The built site in a browser page, for the tests of `make lite`.

Not here: what can be done in a notebook (`tests.browser.notebook`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request

from lite.serve import FIRST
from tests.browser.notebook import Notebook

# A host that is not ours is not even looked up: what needs it fails here, as it would in a room without a network.
NO_HTTPS = "lab.test"  # this machine under another name: to a browser a page from elsewhere
NO_OUTSIDE = f"--host-resolver-rules=MAP {NO_HTTPS} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
SECONDS = 120  # a browser on a busy machine is slow, not wrong
_OPEN = """async (path) => {
    await jupyterapp.restored;
    await jupyterapp.commands.execute("docmanager:open", {path});
}"""
_CLOSE_ALL = """async () => {
    for (const panel of [...jupyterapp.shell.widgets("main")]) panel.dispose();
    await jupyterapp.serviceManager.sessions.shutdownAll();
}"""
_DOWNLOAD = """async (path) => {
    await jupyterapp.commands.execute("filebrowser:go-to-path", {path});
    await jupyterapp.commands.execute("filebrowser:download");
}"""
_GET = """async (path) => {
    const contents = jupyterapp.serviceManager.contents;
    const found = await contents.get(path, {content: true}).catch(() => null);
    return found && (found.format === "base64" ? atob(found.content) : found.content);
}"""


class SitePage:
    """A browser with an empty memory on the site. `outside` lists every request to another place: it must stay empty.

    Requests of the page, its workers and its service worker are all seen.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        self.context.set_default_timeout(SECONDS * 1000)
        self.outside: list[str] = []
        self.asked = 0
        self._host = urlsplit(address).hostname
        self.context.on("request", self._note)
        self.page: Page = self.context.new_page()
        self.page.goto(address + FIRST)

    def first(self) -> Notebook:
        """Return the notebook that the site opens by itself."""
        return Notebook(self.page)

    def open(self, path: str) -> Notebook:
        """Open a notebook of the site."""
        self.page.evaluate(_OPEN, path)
        return Notebook(self.page)

    def read(self, path: str) -> Any:
        """Return the JSON in a file that the browser keeps, {} if it is not there."""
        found = self.page.evaluate(_GET, path)
        return json.loads(found) if isinstance(found, str) else found or {}

    def has(self, path: str) -> bool:
        """Say whether the browser keeps a file."""
        return self.page.evaluate(_GET, path) is not None

    def download(self, path: str, to: Path) -> Path:
        """Download a file as the file browser's menu does, and return where it was saved."""
        with self.page.expect_download() as download:
            self.page.evaluate(_DOWNLOAD, path)
        download.value.save_as(to)
        return to

    def close_all(self) -> None:
        """Close every notebook and stop every kernel."""
        self.page.evaluate(_CLOSE_ALL)

    def close(self) -> None:
        """Close the browser's window; what it kept is gone with it."""
        self.context.close()

    def _note(self, request: Request) -> None:
        self.asked += 1
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts.hostname != self._host:
            self.outside.append(request.url)
