"""A ledger in one SQLite file, safe across threads, processes and `kill -9`.

`SqliteLedger` writes every decision and every outcome in one transaction with its audit row, on the disk before it
answers. Whatever is wrong with the file is a `LedgerError`, which the fence turns into a block.

Not here: the rules (`brakes.rules`). Rows are never deleted: begin a new file when the old keys may be forgotten.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from gate.brakes.rules import Call, Entry, State, Verdict, decide
from gate.errors import clip
from gate.ledger import EVENTS, Event, LedgerError
from gate.ledgers.sqlite_file import SqliteFile

_TABLES = """
CREATE TABLE calls (
    key TEXT PRIMARY KEY, run TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL, intent TEXT NOT NULL,
    subject TEXT, mutates INTEGER NOT NULL, state TEXT NOT NULL, owner TEXT, result TEXT,
    CHECK (state IN ('pending', 'applied', 'failed', 'unknown'))
) WITHOUT ROWID;
CREATE INDEX spent ON calls (run, state) WHERE mutates;
CREATE INDEX intents ON calls (run, intent) WHERE mutates;
CREATE INDEX subjects ON calls (subject) WHERE subject IS NOT NULL;
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
    run TEXT NOT NULL, tool TEXT NOT NULL, key TEXT, event TEXT NOT NULL, code TEXT NOT NULL, note TEXT NOT NULL
);
"""
_ENTRY = "SELECT key, run, digest, intent, subject, mutates, state, owner, result FROM calls"
_RIVALS = " UNION ".join(
    f"{_ENTRY} WHERE {condition} AND key <> :key"
    for condition in (
        "mutates AND run = :run AND state IN ('pending','unknown')",
        "mutates AND run = :run AND intent = :intent AND state IN ('pending','applied','unknown')",
        "subject = :subject AND state IN ('pending','applied','unknown')",
    )
)
_NOTE = 400


class SqliteLedger:
    """A ledger in one SQLite file, made and opened at the first use.

    `wait_s` is how long to wait for another writer. Beside the file lies a folder `<file>.owners` with one empty file
    a live process, which tells a slow tool from a dead one, and one that says that the ledger was begun: a file that
    is empty or gone after that is refused, for its keys are forgotten.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, SqliteLedger(f"{folder}/ledger.sqlite") as ledger:
    ...     ledger.claim(Call("k-00000001", "main", "ticket", "d", "i", None, True, 1, "{}")).act
    'run'

    Does not catch: a file that was restored from a backup or is shared between machines.
    """

    def __init__(self, path: str | os.PathLike[str], *, wait_s: float = 5.0) -> None:
        self._file = SqliteFile(Path(path).absolute(), _TABLES, wait_s)
        self._live: set[tuple[str, str]] = set()  # (owner, key) of the workers of this process
        self._closed = False

    def __enter__(self) -> SqliteLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. A worker that still runs holds its key until it has written what it came to."""
        with self._file.alone():
            self._closed = True
            self._file.close(keep_owner=any(owner == self._file.owner for owner, _ in self._live))

    def claim(self, call: Call) -> Verdict:
        """Decide whether the call may run, and write the decision and its audit row."""
        verdict = None
        try:
            with self._file.transaction() as db:
                self._closed = False
                mine = [self._entry(row) for row in db.execute(f"{_ENTRY} WHERE key = ?", (call.key,))]
                rivals = db.execute(_RIVALS + " ORDER BY key", call._asdict()) if call.mutates else ()
                others = [self._entry(row) for row in rivals]
                verdict = decide(call, mine[0] if mine else None, others, _spent(db, call.run, call.key))
                self._write(db, call, verdict)
                _audit(db, Event(call.run, call.tool, call.key, EVENTS[verdict.act], verdict.code, call.payload))
        except BaseException:
            if verdict is not None and verdict.write == "pending":  # it was not written, so nothing will run
                self._live.discard((self._file.owner, call.key))
            raise
        return verdict

    def _write(self, db: sqlite3.Connection, call: Call, verdict: Verdict) -> None:
        if verdict.act in ("run", "ask", "noop"):
            owner = self._file.owner if verdict.write == "pending" else None
            if owner is not None:
                self._live.add((owner, call.key))  # before the commit: nobody may think it dead in between
            columns = ":key, :run, :tool, :digest, :intent, :subject, :mutates, :state, :owner, NULL"
            row = call._asdict() | {"state": verdict.write, "owner": owner}
            db.execute(f"INSERT OR REPLACE INTO calls VALUES ({columns})", row)
        elif verdict.write is not None:
            db.execute("UPDATE calls SET state = ?, owner = NULL WHERE key = ?", (verdict.write, call.key))

    def settle(self, event: Event, result: str | None = None) -> None:
        """Write what the worker of a claimed key came to."""
        with self._file.alone():  # no claim in between: the end of the next worker of the key is not this one's
            try:
                with self._file.transaction() as db:
                    written = db.execute(
                        "UPDATE calls SET state = ?, owner = NULL, result = ? WHERE key = ? AND owner = ?",
                        (event.event, result, event.key, self._file.owner),
                    ).rowcount
                    if written != 1:
                        raise LedgerError(f"{self._file.name}: this process no longer holds the claim of the key.")
                    _audit(db, event)
            finally:  # the worker has ended, written or not
                self._live -= {held for held in self._live if held[1] == event.key}
                if self._closed:
                    self.close()

    def doubt(self, event: Event) -> State:
        """Write that a claimed key's worker is late, unless it has settled meanwhile; return the state that stands."""
        with self._file.transaction() as db:
            db.execute(
                "UPDATE calls SET state = 'unknown' WHERE key = ? AND owner = ? AND state = 'pending'",
                (event.key, self._file.owner),
            )
            state: State = db.execute("SELECT state FROM calls WHERE key = ?", (event.key,)).fetchone()[0]
            _audit(db, event._replace(event=state))
        return state

    def record(self, event: Event) -> None:
        """Write the audit row of a call that never came as far as a claim."""
        with self._file.connection() as db:
            _audit(db, event)

    def entries(self) -> list[Entry]:
        """Return every key and what it came to. A pending one that nobody works on any more counts as unknown."""
        with self._file.transaction() as db:
            rows = [self._entry(row) for row in db.execute(f"{_ENTRY} ORDER BY key")]
        return [row._replace(state="unknown") if row.state == "pending" and not row.running else row for row in rows]

    def audit(self) -> list[Event]:
        """Return the audit rows, oldest first."""
        with self._file.transaction() as db:
            rows = db.execute("SELECT run, tool, key, event, code, note FROM audit ORDER BY seq").fetchall()
        return [Event(*row) for row in rows]

    def used(self, run: str = "main") -> int:
        """Return how much of its budget a run has spent: every mutation that has not failed."""
        with self._file.transaction() as db:
            return _spent(db, run, "")

    def _entry(self, row: Any) -> Entry:
        key, run, digest, intent, subject, mutates, state, owner, result = row
        ours = owner == self._file.owner
        running = owner is not None and ((owner, key) in self._live if ours else self._file.is_alive(owner))
        return Entry(key, run, digest, intent, subject, bool(mutates), state, running, result)


def _spent(db: sqlite3.Connection, run: str, but: str) -> int:
    query = "SELECT count(*) FROM calls WHERE mutates AND run = ? AND state <> 'failed' AND key <> ?"
    return int(db.execute(query, (run, but)).fetchone()[0])


def _audit(db: sqlite3.Connection, event: Event) -> None:
    row = event._replace(note=clip(event.note, _NOTE))
    db.execute("INSERT INTO audit (run, tool, key, event, code, note) VALUES (?, ?, ?, ?, ?, ?)", row)
