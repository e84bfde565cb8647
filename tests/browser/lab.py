"""A real JupyterLab and a page in it, for the browser tests.

    def test_something(lab, page):                      # fixtures of conftest.py
        notebook = page.open(lab.notebook("mine.ipynb", ["1 + 1"]))
        notebook.run_all()
        assert notebook.output(0).inner_text() == "2"

JupyterLab is driven through its own application object: its menus differ from version to version.

Not here: the server (`server`), what can be done in a notebook (`notebook`); both names can be imported from here.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request, WebSocket

from tests.browser.notebook import Notebook
from tests.browser.server import LabServer

__all__ = ["BROWSER_FLAGS", "LabPage", "LabServer", "Notebook"]

BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
_RESTORED = """() => {
    window.jupyterapp?.restored.then(() => { window.restored = true; });
    return window.restored;
}"""
_SWEEP = "%reset -f\nimport ipywidgets\nipywidgets.Widget.close_all()\ndel ipywidgets"
# A kernel that is not idle has something left to do that nobody waits for any more: it is stopped.
_CLOSE_ALL = """async ([sweep, written]) => {
    const sessions = window.jupyterapp?.serviceManager.sessions;
    if (!sessions) return;
    const kept = new Set();
    for (const panel of [...jupyterapp.shell.widgets("main")]) {
        const session = panel.sessionContext?.session;
        const serves = written.includes(session?.path) && session.kernel?.status === "idle";
        if (serves) await session.kernel.requestExecute({code: sweep, store_history: false}).done;
        if (serves) kept.add(session.id);
        panel.dispose();
    }
    await sessions.refreshRunning();
    const left = [...sessions.running()].filter((session) => !kept.has(session.id));
    await Promise.all(left.map((session) => sessions.shutdown(session.id)));
}"""


class LabPage:
    """A browser page on a `LabServer`. `outside` lists every request that left this machine: it must stay empty.

    Loading JupyterLab takes longer than anything else here, and then starting kernels. So one page serves all tests,
    and the kernel of a notebook that a test wrote (`LabServer.notebook`) is swept and serves the next one of that name:
    `open` and `close_all` leave both as they were found. A notebook of the kit has a kernel of its own.
    """

    def __init__(self, browser: Browser, server: LabServer) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 900})
        self._server = server
        self.outside: list[str] = []
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("request", self._note)
        self.page.on("websocket", self._note)

    def open(self, path: str) -> Notebook:
        """Open a notebook of the server's folder in JupyterLab, and return it when its kernel is there."""
        if not self.page.evaluate("() => Boolean(window.jupyterapp)"):
            self.page.goto(f"{self._server.url}lab?token=tests&reset")
            self.page.wait_for_function(_RESTORED)
        self.page.evaluate('(path) => void jupyterapp.commands.execute("docmanager:open", {path})', path)
        return Notebook(self.page, path)

    def close_all(self) -> None:
        """Close every notebook without a question; stop every kernel but the swept ones of notebooks tests wrote."""
        self.page.evaluate(_CLOSE_ALL, [_SWEEP, sorted(self._server.written)])
        if self.page.locator(".jp-Dialog").count():
            self.page.goto("about:blank")  # a question nobody answered: the next test loads JupyterLab anew

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def _note(self, request: Request | WebSocket) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts.hostname != "127.0.0.1":
            self.outside.append(request.url)
