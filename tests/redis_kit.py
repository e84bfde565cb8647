"""A real `redis-server` for the tests, with a folder and a socket of its own.

On a machine that has none, what needs it is left out, and pytest's header says so (`conftest`).
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import AuthenticationError, ConnectionError

from gate.ledgers.redis import RedisLedger

DURABLE = {"appendonly": "yes", "appendfsync": "always"}


class Server:
    """One server on its append-only log, to be killed and started again."""

    def __init__(self, **settings: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="gate-redis-")  # a socket's path must be short
        self.url = f"unix://{self._folder.name}/socket"
        self._settings = DURABLE | settings
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, on what its log holds, and wait until it answers."""
        binary = shutil.which("redis-server")
        assert binary, "no redis-server here. Next: install redis-server"
        fixed = {"port": "0", "unixsocket": f"{self._folder.name}/socket", "save": "", "dir": self._folder.name}
        options = [word for name, value in (fixed | self._settings).items() for word in (f"--{name}", value)]
        with Path(self._folder.name, "log").open("ab") as log:
            self._process = subprocess.Popen([binary, *options], stdout=log, stderr=log)
        until = time.monotonic() + 30
        while True:
            try:
                with self.client() as client:
                    client.ping()
                    return
            except AuthenticationError:
                return
            except ConnectionError:
                if time.monotonic() > until or self._process.poll() is not None:
                    self.kill()
                    raise AssertionError(self.log()) from None
                time.sleep(0.01)

    def log(self) -> str:
        return Path(self._folder.name, "log").read_text(encoding="utf-8")

    def kill(self) -> None:
        """End it as `kill -9` does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def close(self) -> None:
        """End it, and remove what it kept."""
        self.kill()
        self._folder.cleanup()

    def client(self) -> Any:
        return Redis.from_url(self.url, decode_responses=True)

    def ledger(self, name: str = "", **options: Any) -> RedisLedger:
        """Open a ledger, a new one unless it is named."""
        options = {"create": True, "wait_s": 30.0} | options
        return RedisLedger(self.url, name or f"test-{secrets.token_hex(6)}", **options)
