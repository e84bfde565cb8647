"""A ledger in memory: the same rules and rows as the one on disk, for one process, and gone when it ends.

For notebooks, tests and fuzzing. Not here: anything that survives; a tool that moves money needs `SqliteLedger`.
"""

from __future__ import annotations

import threading
from collections import defaultdict

from gate.brakes.rules import Call, Entry, State, Verdict, decide
from gate.ledger import EVENTS, Event, LedgerError

_SETTLED: dict[str, State] = {"applied": "applied", "failed": "failed", "unknown": "unknown"}


class MemoryLedger:
    """Keeps keys and audit rows in dicts, under one lock.

    >>> call = Call("k-00000001", "main", "ticket", "d", "i", None, True, 1, "{}")
    >>> ledger = MemoryLedger()
    >>> ledger.claim(call).act, ledger.claim(call).code
    ('run', 'fence.in_progress')
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[str, Entry] = {}
        self._runs: defaultdict[str, set[str]] = defaultdict(set)
        self._subjects: defaultdict[str, set[str]] = defaultdict(set)
        self._events: list[Event] = []

    def claim(self, call: Call) -> Verdict:
        """Decide whether the call may run, and keep the decision and its audit row."""
        with self._lock:
            mine = self._entries.get(call.key)
            others = self._spent(call.run, call.key)
            created = [self._entries[key] for key in self._subjects.get(call.subject or "", ()) if key != call.key]
            rivals = [*others, *(entry for entry in created if entry.state != "failed" and entry.run != call.run)]
            verdict = decide(call, mine, sorted(rivals), len(others))
            if verdict.act in ("run", "ask", "noop") and verdict.write is not None:
                written = (call.key, call.run, call.digest, call.intent, call.subject, call.mutates)
                self._put(Entry(*written, verdict.write, verdict.write == "pending", None))
            elif mine is not None and verdict.write is not None:
                self._put(mine._replace(state=verdict.write, running=False))
            self._events.append(Event(call.run, call.tool, call.key, EVENTS[verdict.act], verdict.code, call.payload))
        return verdict

    def settle(self, event: Event, result: str | None = None) -> None:
        """Keep what the worker of a claimed key came to. Raises `LedgerError` when nobody holds the key."""
        with self._lock:
            entry = self._entries.get(event.key or "")
            if entry is None or not entry.running:
                raise LedgerError("nobody holds the claim of the key.")
            self._put(entry._replace(state=_SETTLED[event.event], running=False, result=result))
            self._events.append(event)

    def doubt(self, event: Event) -> State:
        """Keep that a claimed key's worker is late, unless it has settled meanwhile; return the state that stands."""
        with self._lock:
            entry = self._entries[event.key or ""]
            entry = entry._replace(state="unknown") if entry.state == "pending" else entry
            self._put(entry)
            self._events.append(event._replace(event=entry.state))
        return entry.state

    def record(self, event: Event) -> None:
        """Keep the audit row of a call that never came as far as a claim."""
        self._events.append(event)

    def entries(self) -> list[Entry]:
        """Return every key and what it came to."""
        return sorted(self._entries.values())

    def audit(self) -> list[Event]:
        """Return the audit rows, oldest first."""
        return list(self._events)

    def used(self, run: str = "main") -> int:
        """Return how much of its budget a run has spent: every mutation that has not failed."""
        with self._lock:
            return len(self._spent(run, ""))

    def _spent(self, run: str, but: str) -> list[Entry]:
        held = (self._entries[key] for key in self._runs[run] if key != but)
        return [entry for entry in held if entry.mutates and entry.state != "failed"]

    def _put(self, entry: Entry) -> None:
        before = self._entries.get(entry.key)
        if before is not None:
            self._runs[before.run].discard(entry.key)
        self._entries[entry.key] = entry
        self._runs[entry.run].add(entry.key)
        if entry.subject is not None:
            self._subjects[entry.subject].add(entry.key)
