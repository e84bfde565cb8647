"""What the fence's tests share: the ticket contract, plain limits, a call to start from, and a tool that counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from gate.fence import THREAD, ToolFence
from gate.ledger import Ledger
from gate.ledgers.memory import MemoryLedger
from gate.limits import Limits
from gate.registry import load_contracts

CONTRACT = load_contracts().input("ticket")
assert CONTRACT is not None
LIMITS = Limits(3, 2000, ("add_comment", "create_ticket", "noop"), 2, 2000, 65536)


def call(**changes: Any) -> dict[str, Any]:
    """Return a valid create_ticket call with some fields changed; a field that is None is left out."""
    payload = {"action": "create_ticket", "ticket_id": "T-1", "body": "broken", "idempotency_key": "k-00000001"}
    return {name: value for name, value in (payload | changes).items() if value is not None}


def comment(number: int, **changes: Any) -> dict[str, Any]:
    """Return a valid add_comment call; its key and body carry the number."""
    key, body = f"c-{number:08}", f"comment {number}"
    return call(**{"action": "add_comment", "body": body, "idempotency_key": key} | changes)


class Place(NamedTuple):
    """A folder for one test; `open` opens its ledger once more, or one of another name; `code` does it elsewhere."""

    folder: Path
    open: Callable[..., Any]
    code: str = ""


class Tool:
    """Counts how often it runs and numbers its results; `answers` are returned or raised instead, one a run."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.seen: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    @property
    def runs(self) -> int:
        return len(self.seen)

    def __call__(self, payload: dict[str, Any]) -> Any:
        with self._lock:
            self.seen.append(payload)
            answer = self.answers.pop(0) if self.answers else {"ok": True, "n": self.runs}
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Stuck:
    """A tool that starts and does not end before it is let go."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.free = threading.Event()

    def __call__(self, payload: dict[str, Any]) -> dict[str, Any]:
        self.started.set()
        assert self.free.wait(30)
        return {"ok": True, "late": True}

    def let_go(self) -> None:
        """Let the tool end, and wait until its worker has written what it came to."""
        self.free.set()
        for worker in threading.enumerate():
            if worker.name == THREAD:
                worker.join(30)


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def fence(ledger: Ledger | None = None, limits: Limits = LIMITS, **options: Any) -> ToolFence:
    """Return a fence around the ticket tool, over a ledger in memory unless one is given."""
    assert CONTRACT is not None
    return ToolFence(CONTRACT, limits, ledger or MemoryLedger(), **options)


def said(answer: dict[str, Any]) -> str:
    """Return an answer in a word: ran, replayed, noop, or the codes of its refusal."""
    codes = " ".join(found["code"] for found in answer["findings"])
    if answer["replayed"]:
        return "replayed" if codes == "fence.duplicate" else codes
    return codes or {"applied": "ran", "noop": "noop"}[answer["state"]]
