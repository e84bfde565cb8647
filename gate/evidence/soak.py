"""A soak of the fence: valid calls, and the moves with which a confused agent spoils them, counted and checked.

After each call that ran, one move follows: the same call again, its key with another payload, its content under a fresh
key. Every seventh tool call fails and is retried. Runs begin anew when their budget is spent.

Not here: payloads that the contract refuses (`fuzz` sends them through `send`).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from gate.brakes.rules import FREE, KEY
from gate.contract import Contract
from gate.evidence.strings import drawn
from gate.fence import ToolFence
from gate.ledgers.memory import MemoryLedger
from gate.limits import load_limits
from gate.payload import Raw

Answer = dict[str, Any]
_FAILS = 7
_MINUTE = 60_000


def can_guard(contract: Contract) -> bool:
    """Say whether a contract is one that the fence can guard: an input with an action and a key."""
    fields = contract.schema.get("properties", {})
    return contract.side == "input" and "enum" in fields.get("action", {}) and "pattern" in fields.get(KEY, {})


class Soak:
    """A fence over a ledger in memory, a tool that keeps its own list of effects, and a clock that only the tool moves.

    `surprises` lists what the fence should not have done: it stays empty, or the fence has a fault.
    """

    def __init__(self, contract: Contract, rng: random.Random) -> None:
        fields = contract.schema["properties"]
        limits = load_limits()._replace(allowed_actions=tuple(fields["action"]["enum"]), max_wall_ms=_MINUTE)
        self._now = 0.0
        ledger, clock = MemoryLedger(), lambda: self._now
        self._first = ToolFence(contract, limits, ledger, run="1", clock=clock, start=lambda work: work())
        self._fence, self._runs = self._first, 1
        self._key_pattern, self._rng = fields[KEY]["pattern"], rng
        self._calls = self._made = 0  # calls of the tool in all, and effects in this run
        self.max_bytes = min(contract.max_bytes, limits.max_payload_bytes)
        self.effects: Counter[str] = Counter()
        self._created: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.duplicate_spent = self.noop_ms = 0
        self.surprises: list[str] = []

    @property
    def sent(self) -> int:
        """How many payloads were sent."""
        return sum(self.counts.values())

    def send(self, payload: Raw) -> Answer:
        """Send one payload through the fence and count what became of it."""
        answer = self._fence.run(payload, self._tool)
        self.counts["duplicate" if answer["replayed"] else answer["state"]] += 1
        if answer["state"] == FREE:
            self.noop_ms += answer["wall_ms"]
            self._expect(answer["wall_ms"] == 0, "a noop took time", answer)
        if "fence.budget_exhausted" in _codes(answer):
            self._expect(answer["used"] == answer["budget"], "a budget that was not spent was called exhausted", answer)
            self._runs, self._made = self._runs + 1, 0
            self._fence = self._first.for_run(str(self._runs))
        return answer

    def refused(self, payload: Raw) -> list[str]:
        """Send one payload and return the codes with which the contract refused it; none when it came to the fence."""
        return [code for code in _codes(self.send(payload)) if not code.startswith("fence.")]

    def play(self, value: dict[str, Any]) -> list[str]:
        """Send one valid call and, if it ran, spoil it; return the codes with which the contract refused it, if any."""
        call = value | {KEY: self._fresh_key()}
        first = answer = self.send(json.dumps(call))
        if answer["state"] == "failed":
            answer = self.send(json.dumps(call))
            self._expect(answer["state"] == "applied", "a retry with the same key did not run", answer)
        if answer["state"] == "applied":
            self._rng.choice((self._again, self._reuse, self._refresh))(call, answer)
        return [code for code in _codes(first) if not code.startswith("fence.")]

    def _again(self, call: dict[str, Any], first: Answer) -> None:
        answer = self.send(call)
        spent = (answer["used"] or 0) - first["used"]
        self.duplicate_spent += spent
        good = answer["replayed"] and answer["result"] == first["result"] and spent == 0
        self._expect(good, "a duplicate did not get the first result for free", answer)

    def _reuse(self, call: dict[str, Any], _: Answer) -> None:
        answer = self.send(call | {"action": FREE})
        foreign = [code for code in _codes(answer) if code != "fence.key_reused" and not code.startswith("schema.")]
        self._expect(not answer["ok"] and not foreign, "a key was taken for another payload", answer)

    def _refresh(self, call: dict[str, Any], _: Answer) -> None:
        answer = self.send(call | {KEY: self._fresh_key()})
        refused = _codes(answer) in (["fence.duplicate"], ["fence.second_create"])
        self._expect(refused, "a fresh key paid twice", answer)

    def _tool(self, payload: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        self._now += 0.001
        if self._calls % _FAILS == 0:
            raise ConnectionRefusedError
        self.effects[payload[KEY]] += 1
        self._made += 1
        self._created.update(_creates(payload))
        for wrong, words in (
            (self.effects[payload[KEY]] > 1, "one key had two effects"),
            (self._made > self._first.limits.max_mutations, "a run had more effects than its budget"),
            (any(self._created[made] > 1 for made in _creates(payload)), "one thing was created twice"),
        ):
            if wrong:
                self.surprises.append(words)
        return {"ok": True, "n": self._calls}

    def _fresh_key(self) -> str:
        return drawn(self._key_pattern, self._rng)

    def _expect(self, holds: bool, words: str, answer: Answer) -> None:
        if not holds:
            self.surprises.append(f"{words}: {_codes(answer)}")

    def report(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            **{word: self.counts[word] for word in ("applied", "blocked", "duplicate", "failed", FREE, "unknown")},
            "runs": self._runs,
            "effects": sum(self.effects.values()),
            "duplicate_spent": self.duplicate_spent,
            "noop_wall_ms": self.noop_ms,
        }


def _creates(payload: dict[str, Any]) -> list[str]:
    """Return what a call creates, if it does: `create_ticket` the ticket of its `ticket_id`."""
    verb, _, noun = payload["action"].partition("_")
    named = verb == "create" and f"{noun}_id" in payload
    return [json.dumps([noun, payload[f"{noun}_id"]])] if named else []


def _codes(answer: Answer) -> list[str]:
    return [found["code"] for found in answer["findings"]]
