"""Serves the site on this machine, to look at it and to check it. Any web server will do the same for a class.

Not here: https. A browser lets a page of its own machine keep things without it, and no other.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FIRST = "lab/index.html?path=notebooks/memory/01_reproduce_the_leak.ipynb"


class _Handler(SimpleHTTPRequestHandler):
    # Said here, because Windows may say otherwise: a browser runs no module and compiles no program of another type.
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *_: object) -> None:
        """Say nothing of every file."""


class Server:
    """The site on a port. `url` is its address, with a slash at the end."""

    def __init__(self, site: Path, port: int) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(site)))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/"

    def wait(self) -> None:
        """Wait until it is stopped."""
        while self._thread.is_alive():
            self._thread.join(1)  # in steps: on Windows, Ctrl-C does not wake a thread that is waited for

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving(site: Path, port: int = 0) -> Iterator[Server]:
    """Serve a folder while the block runs; 0 is any free port. Raises `OSError` if the port is taken."""
    server = Server(site, port)
    try:
        yield server
    finally:
        server.stop()
