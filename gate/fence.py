"""The fence around a tool with side effects: one key, one mutation, a budget and a clock.

`ToolFence.run` judges the payload, lets the ledger decide in one transaction whether the tool may run, runs it on a
thread of its own and writes what it came to. A refusal is a value; the tool never sees a refused payload. Every path
leaves an audit row.

Not here: the rules (`brakes.rules`), the rows (`ledger`), what a tool's answer means (`outcomes`).
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from gate.brakes.outcomes import Lookup, Mutate, Outcome, attempt
from gate.brakes.rules import FREE, KEY, Again, Call, Verdict, canonical
from gate.brakes.words import answer, reason, shown, too_large
from gate.contract import Contract
from gate.decision import Decision, block
from gate.errors import ConfigError, finding, quote
from gate.ledger import Event, Ledger, LedgerError, ask
from gate.limits import Limits, limits_from

THREAD = "gate tool"
_DAMAGED = "The first result of this key is damaged."
_CODES = {"applied": "", "failed": "fence.tool_failed", "unknown": "fence.unknown_outcome"}


def on_a_thread(work: Callable[[], None]) -> None:
    """Begin `work` on a thread of its own, which does not keep the process from ending."""
    Thread(target=work, name=THREAD, daemon=True).start()


class ToolFence:
    """Guards one tool. `contract` is its input contract, `limits` a `Limits` or the plain object of a limits file.

    The contract needs `action`, an enum, and a required `idempotency_key` with a pattern. `noop` never runs the tool;
    `create_x` may happen once for each `x_id`. `run` names the agent run whose budget is spent: a restart with the same
    name goes on where it was. `keyed=True` promises that the tool itself honours the key, so that a call of unknown
    outcome may run again under it. `start` begins the tool's work; where there are no threads, `lambda work: work()`
    does, and a slow tool is only found out when it has ended. Raises `ConfigError` when contract and limits do not fit.

    >>> from gate.limits import load_limits
    >>> from gate.ledgers.memory import MemoryLedger
    >>> from gate.registry import load_contracts
    >>> fence = ToolFence(load_contracts().input("ticket"), load_limits(), MemoryLedger())
    >>> call = {"action": "create_ticket", "ticket_id": "T-1", "body": "broken", "idempotency_key": "k-00000001"}
    >>> [fence.run(call, lambda payload: {"n": n})["result"] for n in (1, 2)]
    [{'n': 1}, {'n': 1}]

    Does not catch: an effect that a tool had before it raised an exception without a sign of doubt (let it raise
    `OutcomeUnknown`; the rule is in `outcomes`).
    """

    def __init__(
        self,
        contract: Contract,
        limits: Limits | Mapping[str, Any],
        ledger: Ledger,
        *,
        run: str = "main",
        keyed: bool = False,
        clock: Callable[[], float] = time.monotonic,
        start: Callable[[Callable[[], None]], None] = on_a_thread,
    ) -> None:
        self.limits = limits if isinstance(limits, Limits) else limits_from(limits)
        _vet(contract, self.limits)
        self._contract = contract
        self._ledger = ledger
        self._run = run
        self._keyed = keyed
        self._clock = clock
        self._start = start

    def for_run(self, run: str) -> ToolFence:
        """Return the same fence, over the same ledger, spending the budget of another run."""
        other = copy.copy(self)
        other._run = run
        return other

    def run(self, payload: Any, mutate: Mutate, lookup: Lookup | None = None) -> dict[str, Any]:
        """Judge `payload`, run `mutate(copy)` at most once for its key, and return what it came to.

        After an unknown outcome (a crash, a doubtful error) only the same key with the same payload may try again, and
        only when that cannot act twice: the fence is `keyed`, or `lookup(copy)` returns the result that the tool has
        for the key, or None when the tool never saw it. Otherwise it stays `fence.unknown_outcome` until a person has
        looked and answers with `lookup=lambda payload: None`, or with the result that was found.

        Returns plain JSON types: `ok` (a result stands), `outcome` (allow or block), `state` (applied, failed, unknown,
        noop or blocked), `key`, `result`, `replayed`, `findings`, `used` and `budget` of mutations, `wall_ms`. Whatever
        payload, tool and ledger do, nothing is raised.
        """
        decision = self._judge(payload)
        if decision.value is None:
            return self._turn_away(payload, decision)
        call = self._call(decision.value, lookup)
        say = partial(answer, key=call.key, budget=self.limits.max_mutations)
        try:
            verdict = ask(self._ledger.claim, call)
        except LedgerError as error:
            return say("blocked", [reason("fence.unavailable", str(error))])
        if verdict.act == "refuse":
            return say("blocked", [reason(verdict.code, other=verdict.other)], verdict=verdict)
        if verdict.act in ("noop", "replay"):
            result = _first_result(verdict) if call.mutates else {"ok": True}
            if result is None:
                return say("blocked", [reason("fence.unavailable", _DAMAGED)], verdict=verdict)
            said = [reason("fence.duplicate")] if verdict.act == "replay" else []
            return say("applied" if call.mutates else FREE, said, result=result, verdict=verdict)
        return self._execute(call, verdict, mutate, lookup if verdict.act == "ask" else None)

    def _judge(self, payload: Any) -> Decision:
        limit = self.limits.max_payload_bytes
        if type(payload) in (str, bytes) and _size(payload) > limit:
            return too_large(limit)
        decision = self._contract.judge(payload)
        if decision.value is None:
            return decision
        if type(payload) not in (str, bytes) and _size(canonical(decision.value)) > limit:
            return too_large(limit)
        if decision.value["action"] in self.limits.allowed_actions:
            return decision
        hint = f"send one of {', '.join(self.limits.allowed_actions)}."
        return block("fence", [finding("schema.enum", "/action", "this action is not allowed in this run.", hint)])

    def _turn_away(self, payload: Any, decision: Decision) -> dict[str, Any]:
        findings, codes = list(decision.findings), decision.codes
        told = " ".join(dict.fromkeys(codes))
        try:
            note = shown(payload, codes)
            ask(self._ledger.record, Event(self._run, self._contract.tool, None, "blocked", told, note))
        except LedgerError as error:
            findings.append(reason("fence.unavailable", str(error)))
        return answer("blocked", findings, budget=self.limits.max_mutations)

    def _call(self, value: dict[str, Any], lookup: Lookup | None) -> Call:
        again: Again = "ask" if lookup is not None else "run" if self._keyed else "refuse"
        budget = self.limits.max_mutations
        return Call.of(value, tool=self._contract.tool, run=self._run, budget=budget, again=again)

    def _execute(self, call: Call, verdict: Verdict, mutate: Mutate, lookup: Lookup | None) -> dict[str, Any]:
        """Run the tool so that a slow one can be left behind: it settles its key itself, whenever it ends."""
        box: SimpleQueue[Outcome] = SimpleQueue()

        turn = Lock()  # taken by the work when it begins, or when it could not be started: never by both

        def work() -> None:
            if turn.acquire(blocking=False):
                box.put(self._settle(call, attempt(mutate, json.loads(call.payload), lookup)))

        limit = self.limits.max_wall_ms
        started = self._clock()
        try:
            self._start(work)
        except Exception:  # no thread to be had; when the work has begun all the same, its answer is waited for
            if turn.acquire(blocking=False):
                box.put(self._settle(call, Outcome("failed", message="No thread could be started.")))
        try:
            outcome = box.get(timeout=limit / 1000)
        except Empty:
            outcome = None
        wall_ms = max(0, round((self._clock() - started) * 1000))
        if outcome is None or wall_ms > limit:
            return self._late(call, verdict, wall_ms)
        return self._in_time(call, verdict, outcome, wall_ms)

    def _settle(self, call: Call, outcome: Outcome) -> Outcome:
        note = outcome.note or outcome.message
        event = Event(call.run, call.tool, call.key, outcome.state, _CODES[outcome.state], note)
        try:
            ask(self._ledger.settle, event, None if outcome.result is None else json.dumps(outcome.result))
        except LedgerError as error:
            return Outcome("pending", message=f"What the tool came to could not be written. {error}")
        return outcome

    def _in_time(self, call: Call, verdict: Verdict, outcome: Outcome, wall_ms: int) -> dict[str, Any]:
        say = partial(answer, key=call.key, budget=self.limits.max_mutations, wall_ms=wall_ms)
        if outcome.state == "applied":
            return say("applied", [], result=outcome.result, verdict=verdict)
        if outcome.state == "failed":
            released = verdict._replace(used=verdict.used - 1)
            return say("failed", [reason("fence.tool_failed", outcome.message)], verdict=released)
        code = "fence.unavailable" if outcome.state == "pending" else "fence.unknown_outcome"
        return say("unknown", [reason(code, outcome.message)], verdict=verdict)

    def _late(self, call: Call, verdict: Verdict, wall_ms: int) -> dict[str, Any]:
        note = f"The limit is {self.limits.max_wall_ms} ms."
        found = [reason("fence.timeout", note)]
        state = "unknown"
        try:
            state = ask(self._ledger.doubt, Event(call.run, call.tool, call.key, "unknown", "fence.timeout", note))
        except LedgerError as error:
            found.append(reason("fence.unavailable", str(error)))
        budget = self.limits.max_mutations
        return answer(state, found, key=call.key, verdict=verdict, budget=budget, wall_ms=wall_ms)


def _vet(contract: Contract, limits: Limits) -> None:
    """Refuse a contract that the fence cannot guard: without an action to allow or a key to hold on to."""
    schema = contract.schema
    fields = schema.get("properties", {})
    for name, rule, such in (("action", "enum", '["create"]'), (KEY, "pattern", '"^[a-z0-9-]{8,64}$"')):
        if not isinstance(fields.get(name, {}).get(rule), (str, list)) or name not in schema.get("required", ()):
            add = f'such as "{name}": {{"type": "string", "{rule}": {such}}}, and "{name}" to "required"'
            raise ConfigError(f"the contract {contract.id} has no required {name} with {rule}. Next: add one, {add}.")
    strange = [action for action in limits.allowed_actions if action not in fields["action"]["enum"]]
    if strange:
        raise ConfigError(
            f"limits: allowed_actions has {quote(strange[0])}, which is no action of {contract.id}. "
            f"Next: use {', '.join(map(str, fields['action']['enum']))}."
        )


def _first_result(verdict: Verdict) -> dict[str, Any] | None:
    """Return the first result as the ledger kept it, or None for what cannot be one."""
    try:
        kept = json.loads(verdict.result or "")
    except (ValueError, TypeError, RecursionError):
        return None
    return kept if type(kept) is dict else None


def _size(payload: str | bytes) -> int:
    return len(payload) if isinstance(payload, bytes) else len(payload.encode("utf-8", "surrogatepass"))
