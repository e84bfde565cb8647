"""Random interleavings of calls, crashes, doubts and late tools, against a model made of the sentences of the rules."""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gate.ledgers.memory import MemoryLedger
from gate.ledgers.sqlite import SqliteLedger
from tests.fence_kit import LIMITS, Stuck, call, comment, fence, said

BUDGET = 2
KEYS = st.sampled_from(["k-0000000a", "k-0000000b", "k-0000000c", "k-0000000d"])
PAYLOADS = st.sampled_from(
    [call(), call(body="other words"), call(ticket_id="T-2"), comment(1), comment(2), comment(3, action="noop")]
)
ENDINGS = st.sampled_from(["ok", "fails", "doubt"])


class Known:
    """What the model knows of one key."""

    def __init__(self, payload: dict[str, Any], state: str, result: Any = None) -> None:
        self.payload, self.state, self.result = payload, state, result
        self.running = False

    @property
    def mutates(self) -> bool:
        return self.payload["action"] != "noop"


class Machine(RuleBasedStateMachine):
    """One ledger, one tool with effects, and what should have come of every key."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: dict[str, Known] = {}
        self.effects: Counter[str] = Counter()
        self.calls = 0
        self.stuck: tuple[str, Stuck, threading.Thread | None] | None = None
        self.ledger: Any = self.open()

    def open(self) -> Any:
        return MemoryLedger()

    def limits(self, **changes: int) -> Any:
        return LIMITS._replace(max_mutations=BUDGET, max_wall_ms=60_000)._replace(**changes)

    def others(self, key: str) -> list[Known]:
        return [known for name, known in self.keys.items() if name != key and known.mutates and known.state != "failed"]

    def expected(self, key: str, payload: dict[str, Any], *, looks: bool = False) -> set[str]:
        """Return the words with which the fence may answer; "run" when the tool must run."""
        mine, others = self.keys.get(key), self.others(key)
        if mine is not None:
            if mine.payload != payload:
                return {"fence.key_reused"}
            if mine.state == "applied":
                return {"replayed"}
            if mine.running:
                return {"fence.in_progress"}
            if mine.state == "unknown" and not looks:
                return {"fence.unknown_outcome"}
        if payload["action"] == "noop":
            return {"noop"}
        words: set[str] = set()
        for other in others:
            same_wish = other.payload == payload
            created = {payload["action"], other.payload["action"]} == {"create_ticket"}
            same_ticket = created and payload["ticket_id"] == other.payload["ticket_id"]
            if same_wish or same_ticket:
                words |= {"fence.second_create" if same_ticket else "fence.duplicate"} & self.when(other, "applied")
                words |= {"fence.unknown_outcome"} & self.when(other, "unknown")
        if words:
            return words
        if any(other.running for other in others):
            return {"fence.in_progress"}
        return {"fence.budget_exhausted"} if len(others) >= BUDGET else {"run"}

    @staticmethod
    def when(other: Known, state: str) -> set[str]:
        holds = other.state == state and not other.running
        return {"fence.second_create", "fence.duplicate", "fence.unknown_outcome"} if holds else set()

    def send(self, key: str, payload: dict[str, Any], tool: Any, lookup: Any = None) -> dict[str, Any]:
        before = len(self.ledger.audit())
        answer = fence(self.ledger, self.limits()).run(payload | {"idempotency_key": key}, tool, lookup)
        assert len(self.ledger.audit()) > before
        assert answer["ok"] == (answer["result"] is not None)
        return answer

    def tool(self, ending: str) -> Any:
        def act(payload: dict[str, Any]) -> dict[str, Any]:
            self.calls += 1
            if ending == "fails":
                return {"ok": False}
            self.effects[payload["idempotency_key"]] += 1
            if ending == "doubt":
                raise TimeoutError
            return {"ok": True, "n": self.calls}

        return act

    def settle(self, key: str, payload: dict[str, Any], ending: str) -> str:
        state = {"ok": "applied", "fails": "failed", "doubt": "unknown"}[ending]
        self.keys[key] = Known(payload, state, {"ok": True, "n": self.calls} if ending == "ok" else None)
        return {"ok": "ran", "fails": "fence.tool_failed", "doubt": "fence.unknown_outcome"}[ending]

    @rule(key=KEYS, payload=PAYLOADS, ending=ENDINGS)
    def a_call(self, key: str, payload: dict[str, Any], ending: str) -> None:
        payload = {name: item for name, item in payload.items() if name != "idempotency_key"}
        expected, calls = self.expected(key, payload), self.calls
        answer = self.send(key, payload, self.tool(ending))
        if expected == {"run"}:
            assert said(answer) == self.settle(key, payload, ending)
        else:
            assert said(answer) in expected
            assert self.calls == calls
        if said(answer) == "noop":
            self.keys[key] = Known(payload, "applied", {"ok": True})
        if said(answer) == "replayed":
            assert answer["result"] == self.keys[key].result
        assert answer["used"] == len(self.others(""))

    @precondition(lambda self: any(k.state == "unknown" and not k.running for k in self.keys.values()))
    @rule(data=st.data(), ending=ENDINGS)
    def a_call_of_unknown_outcome_with_a_lookup(self, data: st.DataObject, ending: str) -> None:
        unknown = sorted(key for key, known in self.keys.items() if known.state == "unknown" and not known.running)
        key = data.draw(st.sampled_from(unknown))
        payload, happened = self.keys[key].payload, self.effects[key] > 0
        expected = self.expected(key, payload, looks=True)
        answer = self.send(key, payload, self.tool(ending), lambda _: {"found": True} if happened else None)
        if expected != {"run"}:
            assert said(answer) in expected
        elif happened:
            assert answer["result"] == {"found": True}
            self.keys[key] = Known(payload, "applied", {"found": True})
        else:
            assert said(answer) == self.settle(key, payload, ending)

    @precondition(lambda self: self.stuck is None)
    @rule(key=KEYS, payload=PAYLOADS.filter(lambda payload: payload["action"] != "noop"), late=st.booleans())
    def a_call_whose_tool_does_not_end(self, key: str, payload: dict[str, Any], late: bool) -> None:
        payload = {name: item for name, item in payload.items() if name != "idempotency_key"}
        if self.expected(key, payload) != {"run"}:
            return
        tool, sent = Stuck(), payload | {"idempotency_key": key}
        self.keys[key] = Known(payload, "unknown" if late else "pending", {"ok": True, "late": True})
        self.keys[key].running = True
        caller = None
        if late:
            assert said(fence(self.ledger, self.limits(max_wall_ms=1)).run(sent, tool)) == "fence.timeout"
        else:
            caller = threading.Thread(target=fence(self.ledger, self.limits()).run, args=(sent, tool))
            caller.start()
        assert tool.started.wait(30)
        self.stuck = (key, tool, caller)

    @precondition(lambda self: self.stuck is not None)
    @rule()
    def the_tool_ends_at_last(self) -> None:
        assert self.stuck is not None
        key, tool, caller = self.stuck
        tool.let_go()
        if caller is not None:
            caller.join(30)
        self.effects[key] += 1
        self.keys[key].state, self.keys[key].running, self.stuck = "applied", False, None

    @invariant()
    def no_key_has_two_effects(self) -> None:
        assert all(times <= 1 for times in self.effects.values())

    @invariant()
    def what_is_called_applied_has_happened(self) -> None:
        for key, known in self.keys.items():
            if known.state == "applied" and known.mutates:
                assert self.effects[key] == 1

    @invariant()
    def the_budget_is_what_has_not_failed(self) -> None:
        assert self.ledger.used() == len(self.others(""))
        assert {entry.key: entry.state for entry in self.ledger.entries()} == {
            key: known.state for key, known in self.keys.items()
        }

    def teardown(self) -> None:
        if self.stuck is not None:
            self.the_tool_ends_at_last()


class DiskMachine(Machine):
    """The same on a file, with restarts between."""

    def open(self) -> Any:
        self.folder = tempfile.TemporaryDirectory()
        self.opened: list[SqliteLedger] = []
        return self.reopen()

    def reopen(self) -> SqliteLedger:
        self.opened.append(SqliteLedger(Path(self.folder.name, "ledger")))
        return self.opened[-1]

    @rule(happened=st.booleans())
    def the_process_dies_and_another_one_begins(self, happened: bool) -> None:
        for ledger in self.opened:
            ledger._file.close()  # the sign of life goes, whoever works: the system does that for a process that dies
        if self.stuck is not None:  # it dies just before, or just after, the effect of its tool
            key, tool, caller = self.stuck
            tool.let_go()
            if caller is not None:
                caller.join(30)
            self.effects[key] += happened
            self.keys[key].state, self.keys[key].running, self.stuck = "unknown", False, None
        self.ledger = self.reopen()

    @rule()
    def the_ledger_is_closed_and_opened_again(self) -> None:
        self.ledger.close()
        self.ledger = self.reopen()

    def teardown(self) -> None:
        super().teardown()
        self.ledger.close()
        self.folder.cleanup()


TestInMemory = Machine.TestCase
TestInMemory.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestOnDisk = DiskMachine.TestCase
TestOnDisk.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
