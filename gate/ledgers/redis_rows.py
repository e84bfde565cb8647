"""The rows of a ledger on a Redis server: one key a call, sets in which the rules look for rivals, an audit stream.

Not here: what is written when (`ledgers.redis`), and in which transaction (`ledgers.redis_server`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from gate.brakes.rules import UNCERTAIN, State
from gate.errors import clip
from gate.ledger import Event, LedgerError
from gate.ledgers.redis_server import Pipe, RedisServer

_NOTE = 400
Names = set[tuple[str, ...]]


@dataclass(frozen=True)
class Row:
    """One key as it is kept. `token` names the claim that wrote it, `held` says that its worker has not settled."""

    key: str
    run: str
    tool: str
    digest: str
    intent: str
    subject: str | None
    mutates: bool
    state: State
    token: str
    held: bool
    result: str | None = None

    @classmethod
    def read(cls, text: str | None) -> Row:
        try:
            return cls(**json.loads(text or ""))
        except (ValueError, TypeError) as error:
            raise LedgerError("Redis ledger: a row is gone or cannot be read. Next: stop and call a person.") from error

    @property
    def owner(self) -> str:
        return self.token.partition("/")[0]

    def sets(self) -> Names:
        """Return the sets in which the rules look for this key."""
        if not self.mutates or self.state == "failed":
            return set()
        found: Names = {("spent", self.run), ("intent", self.run, self.intent)}
        if self.state in UNCERTAIN:
            found.add(("open", self.run))
        if self.subject is not None:
            found.add(("subject", self.subject))
        return found


class Rows:
    """Reads and writes rows through a pipe. A damaged row is a `LedgerError`."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server

    def one(self, pipe: Pipe, key: str) -> Row | None:
        """Return the row of a key, if it was ever claimed."""
        text = pipe.get(self._server.key("call", key))
        return None if text is None else Row.read(text)

    def all_in(self, pipe: Pipe, names: Names, but: str = "") -> list[Row]:
        """Return the rows whose keys are in any of the sets, sorted by key; `but` is left out."""
        keys = sorted(set(pipe.sunion([self._server.key(*name) for name in sorted(names)])) - {but})
        texts = pipe.mget([self._server.key("call", key) for key in keys]) if keys else []
        return [Row.read(text) for text in texts]

    def spent(self, pipe: Pipe, run: str, but: str) -> int:
        """Return how many mutations of a run have not failed, without that of the key `but`."""
        name = self._server.key("spent", run)
        return int(pipe.scard(name)) - int(pipe.sismember(name, but))

    def put(self, pipe: Pipe, before: Row | None, row: Row) -> None:
        """Write a row in the place of the one before it."""
        old, new = set() if before is None else before.sets(), row.sets()
        for name in sorted(old - new):
            pipe.srem(self._server.key(*name), row.key)
        for name in sorted((new | {("keys",)}) - old):
            pipe.sadd(self._server.key(*name), row.key)
        pipe.set(self._server.key("call", row.key), json.dumps(asdict(row)))
        pipe.hincrby(self._server.key("ledger"), "turn", 1)  # whoever decides meanwhile decides anew

    def audit(self, pipe: Pipe, event: Event) -> None:
        """Write an audit row; the server adds the time."""
        row = event._replace(note=clip(event.note, _NOTE))._asdict()
        pipe.xadd(self._server.key("audit"), {name: text for name, text in row.items() if text is not None})

    def audited(self, pipe: Pipe) -> list[Event]:
        """Return the audit rows, oldest first."""
        return [Event(**{"key": None} | row) for _, row in pipe.xrange(self._server.key("audit"))]
