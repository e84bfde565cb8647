"""The rules of the brakes: may this call run, and if not, why? Pure: rows in, one verdict out.

A ledger calls `decide` inside the one transaction that reads the rows and writes the verdict, so that every ledger
keeps the same rules. A key goes `pending → applied | failed | unknown`; `failed` gives its budget back.

Not here: where the rows are kept (`ledger`) or what runs the tool (`fence`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

State = Literal["pending", "applied", "failed", "unknown"]
Act = Literal["run", "ask", "noop", "replay", "refuse"]
Again = Literal["run", "ask", "refuse"]

FREE = "noop"
KEY = "idempotency_key"
_CREATE = "create_"
UNCERTAIN = ("pending", "unknown")
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


class Call(NamedTuple):
    """One accepted call, as the ledger sees it.

    `digest` stands for tool and payload, `intent` for the same without the key; `subject` is what a create creates,
    else None; `budget` is how many mutations the run may make; `again` what to do when this key's outcome is unknown:
    run it (the tool honours the key itself), ask the tool first, or refuse.
    """

    key: str
    run: str
    tool: str
    digest: str
    intent: str
    subject: str | None
    mutates: bool
    budget: int
    payload: str
    again: Again = "refuse"

    @classmethod
    def of(cls, value: dict[str, Any], *, tool: str, run: str, budget: int, again: Again) -> Call:
        """Return the call for a payload that the contract has accepted.

        >>> payload = {"action": "create_ticket", "ticket_id": "T-1", "idempotency_key": "k-00000001"}
        >>> Call.of(payload, tool="ticket", run="main", budget=3, again="refuse").subject
        '["ticket","ticket","T-1"]'
        """
        action = value["action"]
        noun = action.removeprefix(_CREATE) if action.startswith(_CREATE) else ""
        created = value.get(f"{noun}_id")
        wish = {name: item for name, item in value.items() if name != KEY}
        return cls(
            key=value[KEY],
            run=run,
            tool=tool,
            digest=_digest([tool, value]),
            intent=_digest([tool, wish]),
            subject=None if created is None else canonical([tool, noun, created]),
            mutates=action != FREE,
            budget=budget,
            payload=canonical(value),
            again=again,
        )


class Entry(NamedTuple):
    """What a ledger holds of one key. `running` is true while a live worker may still be acting for it."""

    key: str
    run: str
    digest: str
    intent: str
    subject: str | None
    mutates: bool
    state: State
    running: bool
    result: str | None


class Verdict(NamedTuple):
    """What to do with a call, what to write for its key (None: nothing), and which other key is in the way.

    `ask` is `run` after asking the tool whether it has seen the key. `used` is the budget spent once this is written.
    """

    act: Act
    write: State | None = None
    code: str = ""
    other: str = ""
    result: str | None = None
    used: int = 0


def decide(call: Call, mine: Entry | None, others: Sequence[Entry], used: int) -> Verdict:
    """Return the verdict on `call`, given the entry of its key, the rival entries and the budget that others spent.

    `others` are mutations that have not failed: those of the same run that are unsettled or have the same intent, and
    those of any run with the same subject.

    >>> call = Call("k-00000001", "main", "ticket", "d", "i", None, True, 1, "{}")
    >>> decide(call, None, [], 0).act, decide(call, None, [], 1).code
    ('run', 'fence.budget_exhausted')

    Does not catch: the same wish in other words under a fresh key (only a create is refused then, by its subject).
    """
    held = used + (mine is not None and mine.mutates and mine.state != "failed")
    if mine is not None:
        answer = _same_key(call, mine)
        if answer is not None:
            return answer._replace(used=held)
    if not call.mutates:
        return Verdict("noop", "applied", used=used)
    refusal = _rivals(call, others)
    if refusal is None and used >= call.budget:
        refusal = Verdict("refuse", code="fence.budget_exhausted")
    if refusal is not None:
        return refusal._replace(used=held)
    uncertain = mine is not None and mine.state != "failed"
    return Verdict(call.again if uncertain else "run", "pending", used=used + 1)


def canonical(value: Any) -> str:
    """Return a JSON value as one text, the same whatever the order of its keys."""
    return _CANONICAL(value)


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _same_key(call: Call, mine: Entry) -> Verdict | None:
    if mine.digest != call.digest:
        return Verdict("refuse", code="fence.key_reused")
    if mine.state == "applied":
        return Verdict("replay", result=mine.result)
    if mine.running:
        return Verdict("refuse", code="fence.in_progress")
    if mine.state != "failed" and call.again == "refuse":  # pending, and nobody works on it: its process died
        return Verdict("refuse", "unknown", "fence.unknown_outcome")
    return None


def _rivals(call: Call, others: Sequence[Entry]) -> Verdict | None:
    for other in others:
        created = call.subject is not None and other.subject == call.subject
        wished = other.run == call.run and other.intent == call.intent
        if created and other.state == "applied":
            return Verdict("refuse", code="fence.second_create", other=other.key)
        if wished and other.state == "applied":
            return Verdict("refuse", code="fence.duplicate", other=other.key)
        if (created or wished) and not other.running:
            return Verdict("refuse", code="fence.unknown_outcome", other=other.key)
    for other in others:
        if other.running and (other.run == call.run or other.subject == call.subject):
            return Verdict("refuse", code="fence.in_progress", other=other.key)
    return None
