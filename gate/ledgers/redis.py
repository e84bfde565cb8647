"""A ledger on a Redis server, for agents on several machines: the same rules and rows as the one on disk.

Every method is one transaction: `WATCH`, the pure rules, `MULTI`/`EXEC` with the audit row. Needs the extra `scale`.

Not here: the rules (`brakes.rules`), the server (`ledgers.redis_server`), who is alive (`ledgers.lease`).
"""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from typing import Any

from gate.brakes.rules import Call, Entry, State, Verdict, decide
from gate.ledger import EVENTS, Event, LedgerError
from gate.ledgers.lease import Lease, is_alive
from gate.ledgers.redis_rows import Names, Row, Rows
from gate.ledgers.redis_server import Pipe, RedisServer


class RedisLedger:
    """A ledger named `name` on the server at `url`, checked at once: what is wrong with it is raised as `LedgerError`.

        RedisLedger("redis://user:password@host:6379/0", create=True)     # once, by a person; then without `create`

    A server that is empty where a ledger should be is refused, for its keys are forgotten; so is one that may forget
    what it acknowledged (`appendonly yes`, `appendfsync always`, `maxmemory-policy noeviction`). `vouched=True` takes
    your word for these, where the server will not tell. `wait_s` is how long to try again when the server is away or
    others write at once.

    A worker's key is held under a lease of `lease_s`, renewed while its process runs. A lease that ran out makes the
    key `unknown`, never free: the worker may act yet, and asking the tool about it proves nothing. Only a tool that
    honours the key itself (`keyed=True`) runs again, or any tool once a person has said `let_go`.

    Does not catch: a failover to a replica, or data brought back from an old copy. `ConfigError` without `redis`.
    """

    def __init__(
        self,
        url: str,
        name: str = "gate",
        *,
        create: bool = False,
        vouched: bool = False,
        wait_s: float = 5.0,
        lease_s: float = 30.0,
    ) -> None:
        self._server = RedisServer(url, name, wait_s=wait_s, create=create, vouched=vouched)
        self._rows = Rows(self._server)
        self._lease_s = lease_s
        self._start()
        self._server.check()

    def _start(self) -> None:
        """Begin with a lease of its own, as a forked child must."""
        self._pid = os.getpid()
        self._lease = Lease(self._server, self._lease_s)
        self._live: dict[str, str] = {}  # the workers of this process: the token of each claim, and its key
        self._closed = False

    def __enter__(self) -> RedisLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pid", None) == os.getpid():  # a forked child must not end its parent's lease
            self.close()

    def close(self) -> None:
        """Give up the lease and the connections. A worker that still runs holds its key until it has settled."""
        self._closed = True
        if not self._live:
            self._lease.give_up()
            self._server.close(drop=self._lease.key)

    def claim(self, call: Call) -> Verdict:
        """Decide whether the call may run, and write the decision and its audit row."""
        if self._pid != os.getpid():
            self._start()
        self._closed = False
        self._lease.keep()
        made: dict[str, Verdict] = {}

        def work(pipe: Pipe) -> str:
            mine = self._rows.one(pipe, call.key)
            if mine is not None and mine.token in made:
                return mine.token  # an earlier try was written, and its answer was lost
            token = f"{self._lease.id}/{secrets.token_hex(8)}"
            made[token] = verdict = self._decide(pipe, call, mine)
            if verdict.write == "pending":
                self._live[token] = call.key  # before it is written: nobody may think it dead in between
            pipe.multi()
            self._write(pipe, call, mine, verdict, token)
            self._rows.audit(
                pipe, Event(call.run, call.tool, call.key, EVENTS[verdict.act], verdict.code, call.payload)
            )
            return token

        written = ""
        try:
            written = self._server.transaction(work, self._server.key("ledger"))
        finally:
            for token in made.keys() - {written}:
                self._live.pop(token, None)
        return made[written]

    def settle(self, event: Event, result: str | None = None) -> None:
        """Write what the worker of a claimed key came to."""
        key = event.key or ""
        mine = {token for token, held in self._live.copy().items() if held == key}
        state: Any = event.event

        def work(pipe: Pipe) -> None:
            row = self._rows.one(pipe, key)
            if row is None or row.token not in mine:
                raise LedgerError(f"{self._server.name}: this process no longer holds the claim of the key.")
            if row.held:  # else an earlier try was written, and its answer was lost
                pipe.multi()
                self._rows.put(pipe, row, replace(row, state=state, held=False, result=result))
                self._rows.audit(pipe, event)

        try:
            self._server.transaction(work, self._server.key("call", key))
        finally:  # the worker has ended, written or not
            for token in mine:
                self._live.pop(token, None)
            if self._closed:
                self.close()

    def doubt(self, event: Event) -> State:
        """Write that a claimed key's worker is late, unless it has settled meanwhile; return the state that stands."""

        def work(pipe: Pipe) -> State:
            row = self._rows.one(pipe, event.key or "")
            if row is None:
                raise LedgerError(f"{self._server.name}: the key was never claimed.")
            late = row.state == "pending" and row.token in self._live
            state: State = "unknown" if late else row.state
            pipe.multi()
            self._rows.put(pipe, row, replace(row, state=state))
            self._rows.audit(pipe, event._replace(event=state))
            return state

        return self._server.transaction(work, self._server.key("call", event.key or ""))

    def let_go(self, key: str) -> None:
        """Say, as a person who has seen to it, that the worker whose lease ran out will never act again.

        After it a `lookup` may settle the key, as after the death of a process on one machine. Raises `LedgerError`
        when the worker shows signs of life.
        """

        def work(pipe: Pipe) -> None:
            row = self._rows.one(pipe, key)
            if row is None or self._standing(pipe, row) == "running":
                raise LedgerError(f"{self._server.name}: no lease ran out on this key. Next: wait for its worker.")
            if row.held:
                pipe.multi()
                self._rows.put(pipe, row, replace(row, state="unknown", held=False))
                self._rows.audit(pipe, Event(row.run, row.tool, key, "unknown", "", "let go by a person"))

        self._server.transaction(work, self._server.key("call", key))

    def record(self, event: Event) -> None:
        """Write the audit row of a call that never came as far as a claim."""
        self._server.transaction(lambda pipe: self._rows.audit(pipe, event))

    def entries(self) -> list[Entry]:
        """Return every key and what it came to. A pending one that nobody surely works on counts as unknown."""
        client = self._server.client
        rows = self._server.transaction(
            lambda pipe: [self._entry(client, row) for row in self._rows.all_in(client, {("keys",)})]
        )
        return [row._replace(state="unknown") if row.state == "pending" and not row.running else row for row in rows]

    def audit(self) -> list[Event]:
        """Return the audit rows, oldest first."""
        return self._server.transaction(lambda pipe: self._rows.audited(self._server.client))

    def used(self, run: str = "main") -> int:
        """Return how much of its budget a run has spent: every mutation that has not failed."""
        return self._server.transaction(lambda pipe: self._rows.spent(self._server.client, run, but=""))

    def _decide(self, pipe: Pipe, call: Call, mine: Row | None) -> Verdict:
        if mine is not None and self._standing(pipe, mine) == "lapsed" and call.again == "ask":
            call = call._replace(again="refuse")
        wanted: Names = {("open", call.run), ("intent", call.run, call.intent)}
        if call.subject is not None:
            wanted.add(("subject", call.subject))
        rivals = self._rows.all_in(pipe, wanted, but=call.key) if call.mutates else []
        others = [self._entry(pipe, row) for row in rivals]
        used = self._rows.spent(pipe, call.run, but=call.key)
        return decide(call, None if mine is None else self._entry(pipe, mine), others, used)

    def _write(self, pipe: Pipe, call: Call, mine: Row | None, verdict: Verdict, token: str) -> None:
        if verdict.act in ("run", "ask", "noop") and verdict.write is not None:
            about = (call.key, call.run, call.tool, call.digest, call.intent, call.subject, call.mutates)
            self._rows.put(pipe, mine, Row(*about, verdict.write, token, held=verdict.write == "pending"))
            self._lease.renew(pipe)
        elif verdict.write is not None and mine is not None:
            held = mine.held and mine.owner != self._lease.id  # ours has ended; another's may act yet
            self._rows.put(pipe, mine, replace(mine, state=verdict.write, held=held))

    def _entry(self, pipe: Pipe, row: Row) -> Entry:
        about = (row.key, row.run, row.digest, row.intent, row.subject, row.mutates, row.state)
        return Entry(*about, self._standing(pipe, row) == "running", row.result)

    def _standing(self, pipe: Pipe, row: Row) -> str:
        """Say what is known of a key's worker: it is `running`, it `ended`, or its lease `lapsed` and nobody knows."""
        if not row.held:
            return "ended"
        if row.owner == self._lease.id:
            return "running" if row.token in self._live else "ended"
        return "running" if is_alive(pipe, self._server, row.owner) else "lapsed"
