"""Does a process that claimed a key, perhaps on another machine, still run? What a lease on the server can say of it.

The lease is a key that the server drops by its own clock unless it is renewed, so no two machines' clocks are ever
compared. That it is there proves life. That it ran out proves nothing: the worker may be cut off or asleep, and act
yet.

Not here: what follows for a key (`ledgers.redis`).
"""

from __future__ import annotations

import secrets
import threading
from contextlib import suppress

from gate.ledger import LedgerError
from gate.ledgers.redis_server import Pipe, RedisServer

_RENEWALS = 3  # a lease is renewed so often before it would run out


class Lease:
    """One open ledger's sign of life. It begins with the first claim (`renew`) and is kept up by a thread (`keep`)."""

    def __init__(self, server: RedisServer, lease_s: float) -> None:
        self.id = secrets.token_hex(8)
        self._server = server
        self._lease_s = lease_s
        self._lock = threading.Lock()
        self._given_up: threading.Event | None = None

    @property
    def key(self) -> str:
        """The name of the lease on the server."""
        return self._server.key("owner", self.id)

    def renew(self, pipe: Pipe) -> None:
        """Make the lease last from now on, with whatever else the pipe writes."""
        pipe.set(self.key, "runs", px=round(self._lease_s * 1000))

    def keep(self) -> None:
        """Renew the lease from now on, until it is given up or the process ends."""
        with self._lock:
            if self._given_up is None:
                self._given_up = threading.Event()
                arguments = (self._given_up,)
                threading.Thread(target=self._keep_up, args=arguments, name="gate lease", daemon=True).start()

    def _keep_up(self, given_up: threading.Event) -> None:
        while not given_up.wait(self._lease_s / _RENEWALS):
            with suppress(LedgerError):  # the server is away; it is asked again
                self._server.transaction(self.renew)

    def give_up(self) -> None:
        """Renew the lease no more; it then runs out, or is dropped by whoever has no worker left."""
        with self._lock:
            if self._given_up is not None:
                self._given_up.set()
                self._given_up = None


def is_alive(pipe: Pipe, server: RedisServer, owner: str) -> bool:
    """Say whether an owner's lease is there."""
    return bool(pipe.exists(server.key("owner", owner)))
