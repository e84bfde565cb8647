"""One Redis server as the home of a ledger: vetted for what it keeps, and written in transactions that see no others.

Whatever is wrong with the server (away, read-only, no durable log, emptied, a key of another kind) is a `LedgerError`.

Not here: what the keys mean (`ledgers.redis`). Not caught: a failover to a replica, which may lack the last writes.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import quote

from gate.errors import ConfigError, clip
from gate.ledger import LedgerError

try:
    from redis import Redis, exceptions
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as missing:
    raise ConfigError('the Redis ledger needs the package redis. Next: pip install "gate-lab[scale]".') from missing

Made = TypeVar("Made")
Pipe = Any  # a pipeline of redis: what it answers has no useful types

_VERSION = "1"
_PAUSE_S = 0.02
_JITTER = random.Random()  # its own, so that nobody who seeds or watches the shared one is disturbed
_KEEPS = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
_KINDS = {"ledger": "hash", "keys": "set", "audit": "stream"}
_NEXT = "Next: stop, leave the server as it is, and call a person."
_PASSING = (exceptions.WatchError, exceptions.ConnectionError, exceptions.TimeoutError)
_REFUSED = (exceptions.AuthenticationError, exceptions.AuthorizationError)


class RedisServer:
    """The keys under `name` on the server at `url`; nothing is sent before `check` or the first transaction.

    Raises `ConfigError` when `url` is no address of a Redis server.
    """

    def __init__(self, url: str, name: str, *, wait_s: float, create: bool, vouched: bool) -> None:
        self.name = f"Redis ledger {name}"
        self._prefix, self._wait_s = name, wait_s
        self._create, self._vouched = create, vouched
        self._identity = ""
        self._vetted = False
        once = Retry(NoBackoff(), 0)  # what was cut short is tried again here, where it is known what was tried
        options: dict[str, Any] = {"socket_timeout": wait_s, "socket_connect_timeout": wait_s, "retry": once}
        try:
            self.client: Any = Redis.from_url(url, decode_responses=True, **options)
        except ValueError:  # its text may hold a piece of the password
            raise ConfigError(
                f"{self.name}: the address cannot be read. Next: write it as redis://host:6379/0, rediss:// or unix://."
            ) from None

    def key(self, *parts: str) -> str:
        """Return the name of a key on the server; no two lists of parts have the same."""
        return ":".join([self._prefix, *(quote(part, safe="") for part in parts)])

    def check(self) -> None:
        """Look now whether the ledger can be used. Raises `LedgerError`."""
        self.transaction(lambda pipe: None)

    def transaction(self, work: Callable[[Pipe], Made], *watched: str) -> Made:
        """Call `work(pipe)`: it reads, says `pipe.multi()`, writes, and is called anew when a watched key changed.

        An answer that was lost leads to a new try, too: `work` must know its own writes. After `wait_s` of trying
        `LedgerError` is raised, and nobody knows whether the last try was written.
        """
        until = time.monotonic() + self._wait_s
        while True:
            try:
                with self.client.pipeline() as pipe:
                    if watched:
                        pipe.watch(*watched)
                    self._open(pipe)
                    made = work(pipe)
                    pipe.execute()
                    return made
            except (exceptions.RedisError, OSError) as error:
                lost = error.__context__ if isinstance(error, exceptions.WatchError) else error
                self._vetted = self._vetted and lost is None  # it may come back with other settings
                if not isinstance(error, _PASSING) or isinstance(error, _REFUSED) or time.monotonic() > until:
                    said = str(lost or "too many others write at once").rpartition("caused error: ")[2]
                    reason = clip(" ".join(said.split()).rstrip("."), 120)
                    raise LedgerError(f"{self.name}: the server cannot be used ({reason}). {_NEXT}") from error
            time.sleep(_JITTER.uniform(0, _PAUSE_S))

    def close(self, *, drop: str) -> None:
        """Give the connections back, and the key `drop` away; they are made again when they are needed."""
        with suppress(exceptions.RedisError, OSError):
            self.client.delete(drop)
        self.client.close()

    def _open(self, pipe: Pipe) -> None:
        """Vet the server once, and see each time that the ledger is the one that was there before."""
        if not self._vetted:
            self._vet()
        ledger = self.key("ledger")
        version, identity = self.client.hmget(ledger, "version", "id")
        if identity is None and self._create and not self._identity:
            self.client.hset(ledger, "version", _VERSION)
            self.client.hsetnx(ledger, "id", secrets.token_hex(8))
            raise exceptions.WatchError("the ledger was made just now, by this process or by another")
        if identity is None or self._identity not in ("", identity):
            raise LedgerError(
                f"{self.name}: there is no ledger here, or another one than before. Next: for a new one open it once "
                "with create=True; if keys were kept here, stop and bring the server's data back."
            )
        if version != _VERSION:
            raise LedgerError(f"{self.name}: made by another version of the kit ({version}). Next: use that one.")
        self._identity, self._vetted = identity, True

    def _vet(self) -> None:
        for part, kind in _KINDS.items():
            found = self.client.type(self.key(part))
            if found not in (kind, "none"):
                raise LedgerError(f"{self.name}: the key {self.key(part)} is a {found}, no {kind}. {_NEXT}")
        for setting, wanted in () if self._vouched else _KEEPS.items():
            try:
                found = self.client.config_get(setting).get(setting)
            except exceptions.ResponseError as error:
                raise LedgerError(
                    f"{self.name}: the server does not say what it keeps ({clip(str(error), 80)}). Next: allow CONFIG "
                    f"GET, or see to {setting} {wanted} yourself and say vouched=True."
                ) from error
            if found != wanted:
                raise LedgerError(
                    f"{self.name}: {setting} is {found}, so the server may forget what it acknowledged. "
                    f"Next: set {setting} {wanted}."
                )
