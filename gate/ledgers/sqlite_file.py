"""One SQLite file opened for the ledger: write-ahead log, full sync, one short transaction at a time.

Whatever is wrong with the file (locked, broken, gone, replaced, no ledger at all) is a `LedgerError`. A forked child
opens the file anew and leaves alone what its parent had opened.

Not here: what the tables mean (`ledger`).
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import Timeout

from gate.ledger import LedgerError
from gate.ledgers.owners import Owner, is_alive, opening, sweep

_VERSION = 1
_NEXT = "Next: stop, keep the file as it is, and call a person."
_EMPTIED = (
    "{0}: this ledger has lost what it held: it is empty or gone, and keys were kept in it before. Next: stop and put "
    "it back from a copy; only if every old key may be forgotten, remove it and {1}."
)


class SqliteFile:
    """The file at `path`, its tables made by `tables` when it is new. Opened at the first transaction.

    >>> import tempfile
    >>> file = SqliteFile(Path(tempfile.mkdtemp(), "words"), "CREATE TABLE words (word TEXT);", wait_s=1)
    >>> with file.transaction() as db:
    ...     db.execute("SELECT count(*) FROM words").fetchone()
    (0,)
    >>> file.close()
    """

    def __init__(self, path: Path, tables: str, wait_s: float) -> None:
        self._path = path
        self.name = path.name
        self._tables = tables
        self._wait_s = wait_s
        self._inherited: list[object] = []
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._owner: Owner | None = None
        self._identity: tuple[int, int] | None = None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep the other threads of this process away. A forked child begins with a state of its own."""
        if self._pid != os.getpid():
            self._inherited.append((self._db, self._owner))
            self._start()
        with self._lock:
            yield

    @property
    def owner(self) -> str:
        """The id under which this process claims keys; there inside a transaction."""
        return self._owner.id if self._owner is not None else ""

    def is_alive(self, owner: str) -> bool:
        """Say whether the process of another owner id still runs."""
        return is_alive(self._folder, owner)

    def close(self, *, keep_owner: bool = False) -> None:
        """Close the file and, unless it is still needed, give up the sign of life. It opens again when it is used."""
        with self.alone():
            if self._db is not None:
                self._db.close()
            self._db = None
            if self._owner is not None and not keep_owner:
                self._owner.close()
                self._owner = self._identity = None

    def __del__(self) -> None:
        if self._pid == os.getpid():  # a forked child must not close what its parent uses
            self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the one write transaction; committed at the end, rolled back when anything is raised inside."""
        with self.connection() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection; each statement inside is a transaction of its own."""
        with self.alone():
            try:
                yield self._opened()
            except (sqlite3.Error, OSError, Timeout) as error:
                raise LedgerError(f"{self.name}: the ledger cannot be used ({error}). {_NEXT}") from error

    def _opened(self) -> sqlite3.Connection:
        if self._identity is not None and self._identity != self._identify():
            raise LedgerError(f"{self.name}: the ledger was removed or replaced while it was open. {_NEXT}")
        if self._db is None:
            self._db = self._open()
        return self._db

    @property
    def _folder(self) -> Path:
        return self._path.with_name(f"{self.name}.owners")

    def _identify(self) -> tuple[int, int]:
        status = self._path.stat()
        return status.st_dev, status.st_ino

    def _open(self) -> sqlite3.Connection:
        with opening(self._folder, self._wait_s):
            sweep(self._folder)
            if self._begun.exists() and not (self._path.exists() and self._path.stat().st_size):
                raise self._emptied()  # before SQLite sees it, which would throw away what the write-ahead log holds
            db = self._connect()
            self._identity = self._identify()
            self._owner = self._owner or Owner(self._folder)
        return db

    @property
    def _begun(self) -> Path:
        return self._folder / "begun"

    def _emptied(self) -> LedgerError:
        return LedgerError(_EMPTIED.format(self.name, self._folder.name))

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=self._wait_s, isolation_level=None, check_same_thread=False)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _VERSION):
                raise LedgerError(f"{self.name}: made by another version of the kit ({version}). Next: use that one.")
            if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise LedgerError(f"{self.name}: this SQLite file is no ledger. Next: name another file.")
            if version == 0 and self._begun.exists():
                raise self._emptied()
            for setting in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON"):
                db.execute(f"PRAGMA {setting}")
            if version == 0:
                db.executescript(f"BEGIN; {self._tables} PRAGMA user_version = {_VERSION}; COMMIT;")
            self._begun.touch()  # after the tables: a making that was cut short before it is made again
        except BaseException:
            db.close()
            raise
        return db
