"""The fence, rule by rule: keys, budget, clock, doubt, audit."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.brakes.outcomes import OutcomeUnknown
from gate.errors import CODES, ConfigError
from gate.fence import ToolFence
from gate.ledgers.memory import MemoryLedger
from gate.ledgers.sqlite import SqliteLedger
from tests.fence_kit import CONTRACT, LIMITS, Clock, Stuck, Tool, call, comment, fence, said
from tests.hostile import Nameless, Raising


def test_answers_with_the_same_plain_keys_on_every_path(tmp_path: Path) -> None:
    broken = tmp_path / "ledger"
    broken.write_text("no database")
    guard = fence()
    answers = [
        guard.run(call(), Tool()),
        guard.run(call(), Tool()),
        guard.run(call(body="other"), Tool()),
        guard.run({}, Tool()),
        guard.run(comment(1), Tool(ValueError())),
        guard.run(comment(2, action="noop"), Tool()),
        fence(SqliteLedger(broken)).run(call(), Tool()),
    ]
    assert {tuple(answer) for answer in answers} == {
        ("ok", "outcome", "state", "key", "result", "replayed", "findings", "used", "budget", "wall_ms")
    }
    assert [answer["ok"] for answer in answers] == [True, True, False, False, False, True, False]
    assert json.loads(json.dumps(answers)) == answers


def test_a_second_run_hands_back_the_first_result_and_spends_nothing() -> None:
    guard, tool = fence(), Tool()
    first, second = guard.run(call(), tool), guard.run(call(), tool)
    assert first["result"] == second["result"] == {"ok": True, "n": 1}
    assert (second["replayed"], second["used"], tool.runs) == (True, 1, 1)


def test_the_order_of_the_keys_makes_no_other_payload() -> None:
    guard = fence()
    guard.run(call(), Tool())
    assert said(guard.run(json.dumps(dict(reversed(call().items()))), Tool())) == "replayed"


def test_the_first_result_cannot_be_changed_by_who_holds_it() -> None:
    guard, result = fence(), {"ok": True, "list": [1]}
    first = guard.run(call(), lambda payload: result)
    result["list"].append(2)
    first["result"]["list"].append(3)
    assert guard.run(call(), Tool())["result"] == {"ok": True, "list": [1]}


def test_a_definite_failure_gives_the_budget_back_and_may_be_retried() -> None:
    guard, tool = fence(limits=LIMITS._replace(max_mutations=1)), Tool(ConnectionRefusedError("no"))
    failed = guard.run(call(), tool)
    assert (said(failed), failed["state"], failed["used"]) == ("fence.tool_failed", "failed", 0)
    assert said(guard.run(comment(1), tool)) == "ran"
    assert said(guard.run(call(), tool)) == "fence.budget_exhausted"


DOUBTFUL = {
    "timeout": TimeoutError(),
    "reset": ConnectionResetError(),
    "says so": OutcomeUnknown(),
    "timeout of a client library": type("ReadTimeout", (Exception,), {})(),
    "None": None,
    "text": "done",
    "array": [1],
    "ok is 1": {"ok": 1},
    "success is 1": {"success": 1},
    "isError is text": {"isError": "true"},
    "status 503": {"status": 503},
    "an error": {"error": "boom"},
    "ok, and an error": {"ok": True, "error": {"code": 7}},
    "NaN": {"n": float("nan")},
    "no JSON": {"ok": True, "at": object()},
    "number as key": {1: 2},
}


@pytest.mark.parametrize("answer", DOUBTFUL.values(), ids=DOUBTFUL.keys())
def test_a_doubtful_answer_leaves_the_outcome_unknown_and_the_budget_spent(answer: object) -> None:
    guard, tool = fence(), Tool(answer)
    first = guard.run(call(), tool)
    assert (said(first), first["state"], first["used"]) == ("fence.unknown_outcome", "unknown", 1)
    assert said(guard.run(call(), tool)) == "fence.unknown_outcome"
    assert tool.runs == 1


FAILED = [{"ok": False}, {"success": False}, {"isError": True}, {"is_error": True}, {"status_code": 404, "error": "x"}]


@pytest.mark.parametrize("answer", FAILED, ids=repr)
def test_an_answer_that_says_it_failed_is_never_applied(answer: object) -> None:
    ledger = MemoryLedger()
    assert said(fence(ledger).run(call(), Tool(answer))) == "fence.tool_failed"
    assert [event.event for event in ledger.audit()] == ["claimed", "failed"]


def test_an_answer_whose_error_is_empty_is_applied() -> None:
    assert said(fence().run(call(), Tool({"ok": True, "success": True, "error": None, "isError": False}))) == "ran"


async def later(payload: object) -> dict[str, bool]:
    return {"ok": True}


def test_an_asynchronous_tool_is_refused_and_nothing_is_spent() -> None:
    answer = fence().run(call(), later)
    assert (said(answer), answer["used"]) == ("fence.tool_failed", 0)


def test_a_coroutine_from_a_plain_tool_proves_nothing() -> None:
    guard, tool = fence(), Tool(later({}))
    assert said(guard.run(call(), tool)) == "fence.unknown_outcome"
    assert (said(guard.run(call(), tool)), tool.runs) == ("fence.unknown_outcome", 1)


@pytest.mark.parametrize(
    "seen",
    [{"ok": False}, {"status": 429}, later, lambda payload: Raising()],
    ids=["failed", "429", "coroutine", "hostile"],
)
def test_a_lookup_that_says_it_failed_does_not_free_the_key(seen: object) -> None:
    guard, tool = fence(), Tool(TimeoutError())
    guard.run(call(), tool)
    look = seen if callable(seen) else lambda payload: seen
    assert said(guard.run(call(), tool, lookup=look)) == "fence.unknown_outcome"
    assert tool.runs == 1


@pytest.mark.parametrize("make", [Raising, Nameless, lambda: Nameless], ids=["instance", "nameless", "type"])
def test_an_answer_that_cannot_be_looked_at_is_no_failure(make: Callable[[], object]) -> None:
    guard, effects = fence(), []

    def tool(payload: object) -> object:
        effects.append(payload)
        return make()

    assert [said(guard.run(call(), tool)) for _ in range(2)] == ["fence.unknown_outcome"] * 2
    assert len(effects) == 1


def test_an_exception_whose_text_raises_is_an_ordinary_failure() -> None:
    class Hostile(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert said(fence().run(call(), Tool(Hostile()))) == "fence.tool_failed"


def test_the_text_of_an_exception_reaches_the_audit_log_and_not_the_model() -> None:
    ledger = MemoryLedger()
    answer = fence(ledger).run(call(), Tool(ValueError("token=s3cret \x1b[2J")))
    assert "s3cret" not in json.dumps(answer)
    assert ledger.audit()[-1].note == 'ValueError: "token=s3cret \\u001b[2J"'


def test_after_an_unknown_outcome_a_fresh_key_for_the_same_wish_is_refused() -> None:
    guard, tool = fence(), Tool(TimeoutError())
    guard.run(comment(1), tool)
    assert said(guard.run(comment(1, idempotency_key="k-fresh-01"), tool)) == "fence.unknown_outcome"
    guard.run(call(), Tool(TimeoutError()))
    assert said(guard.run(call(idempotency_key="k-fresh-02", body="again"), tool)) == "fence.unknown_outcome"
    assert tool.runs == 1


def test_a_keyed_tool_is_tried_again_with_the_same_key_only() -> None:
    guard, tool = fence(keyed=True), Tool(TimeoutError())
    guard.run(call(), tool)
    again = guard.run(call(), tool)
    assert (said(again), again["used"], tool.runs) == ("ran", 1, 2)
    assert tool.seen[0]["idempotency_key"] == tool.seen[1]["idempotency_key"]


def test_a_lookup_that_finds_the_effect_answers_with_it_and_runs_nothing() -> None:
    guard, tool = fence(), Tool(TimeoutError())
    guard.run(call(), tool)
    found = guard.run(call(), tool, lookup=lambda payload: {"ok": True, "found": payload["ticket_id"]})
    assert (found["result"], found["used"], tool.runs) == ({"ok": True, "found": "T-1"}, 1, 1)
    assert guard.run(call(), tool)["result"] == {"ok": True, "found": "T-1"}


def test_a_lookup_that_finds_nothing_lets_the_tool_run_once() -> None:
    guard, tool = fence(), Tool(TimeoutError())
    guard.run(call(), tool)
    assert said(guard.run(call(), tool, lookup=lambda payload: None)) == "ran"
    assert tool.runs == 2


def test_a_lookup_is_not_asked_about_a_fresh_key() -> None:
    asked = Tool()
    fence().run(call(), Tool(), lookup=asked)
    assert asked.runs == 0


def test_a_lookup_that_fails_leaves_the_outcome_unknown() -> None:
    guard, tool = fence(), Tool(TimeoutError())
    guard.run(call(), tool)
    assert said(guard.run(call(), tool, lookup=Tool(ValueError("down")))) == "fence.unknown_outcome"
    assert tool.runs == 1


def test_a_late_tool_blocks_every_other_mutation_until_it_has_ended() -> None:
    ledger, tool = MemoryLedger(), Stuck()
    late = fence(ledger, LIMITS._replace(max_wall_ms=10)).run(call(), tool)
    guard = fence(ledger)
    assert (said(late), late["state"], late["used"]) == ("fence.timeout", "unknown", 1)
    assert said(guard.run(comment(1), Tool())) == "fence.in_progress"
    assert said(guard.run(call(), Tool())) == "fence.in_progress"
    assert said(guard.run(comment(2, action="noop"), Tool())) == "noop"
    tool.let_go()
    assert guard.run(call(), Tool())["result"] == {"ok": True, "late": True}
    assert said(guard.run(comment(1), Tool())) == "ran"


def test_a_late_tool_that_then_fails_gives_the_budget_back() -> None:
    class LateFailure(Stuck):
        def __call__(self, payload: dict[str, object]) -> dict[str, object]:
            return super().__call__(payload) | {"ok": False}

    ledger, tool = MemoryLedger(), LateFailure()
    fence(ledger, LIMITS._replace(max_wall_ms=10)).run(call(), tool)
    tool.let_go()
    assert said(fence(ledger, LIMITS._replace(max_mutations=1)).run(comment(1), Tool())) == "ran"


def test_the_injected_clock_decides_what_was_late_and_the_key_keeps_the_truth() -> None:
    clock = Clock()
    guard = fence(clock=clock)

    def slow(payload: object) -> dict[str, bool]:
        clock.now += 5
        return {"ok": True}

    late = guard.run(call(), slow)
    assert (said(late), late["state"], late["wall_ms"], late["ok"]) == ("fence.timeout", "applied", 5000, False)
    assert guard.run(call(), Tool())["result"] == {"ok": True}


def test_the_default_clock_is_monotonic_and_time_never_counts_backwards() -> None:
    assert ToolFence.__init__.__kwdefaults__["clock"] is time.monotonic
    clock = Clock()

    def backwards(payload: object) -> dict[str, bool]:
        clock.now -= 60
        return {"ok": True}

    assert fence(clock=clock).run(call(), backwards)["wall_ms"] == 0


def test_without_threads_a_slow_tool_is_found_out_when_it_has_ended() -> None:
    clock = Clock()
    guard = fence(clock=clock, start=lambda work: work())

    def slow(payload: object) -> dict[str, bool]:
        clock.now += 5
        return {"ok": True}

    assert said(guard.run(call(), Tool())) == "ran"
    assert said(guard.run(comment(1), slow)) == "fence.timeout"


def test_where_no_thread_can_be_started_nothing_ran_and_nothing_is_spent() -> None:
    def exhausted(work: object) -> None:
        raise RuntimeError("can't start new thread")

    tool, ledger = Tool(), MemoryLedger()
    answer = fence(ledger, start=exhausted).run(call(), tool)
    assert (said(answer), answer["used"], tool.runs) == ("fence.tool_failed", 0, 0)
    assert said(fence(ledger).run(call(), tool)) == "ran"


@pytest.mark.parametrize("error", [OSError("no more processes"), ValueError(), LookupError()], ids=repr)
def test_a_start_that_raises_is_a_failure_and_its_work_never_begins_later(error: Exception) -> None:
    kept = []

    def broken(work: Callable[[], None]) -> None:
        kept.append(work)
        raise error

    tool, ledger = Tool(), MemoryLedger()
    answer = fence(ledger, start=broken).run(call(), tool)
    assert (said(answer), answer["state"], answer["used"]) == ("fence.tool_failed", "failed", 0)
    kept[0]()
    assert tool.runs == 0
    assert said(fence(ledger).run(call(), tool)) == "ran"


def test_a_start_that_raises_after_the_work_began_leaves_the_word_to_the_work() -> None:
    def late(work: Callable[[], None]) -> None:
        work()
        raise OSError("no more processes")

    guard, tool = fence(start=late), Tool()
    assert [said(guard.run(call(), tool)) for _ in range(2)] == ["ran", "replayed"]
    assert tool.runs == 1


def test_a_noop_never_runs_the_tool_nor_takes_time_or_budget() -> None:
    guard, tool = fence(limits=LIMITS._replace(max_mutations=0)), Tool()
    first = guard.run(call(action="noop"), tool)
    assert (said(first), first["result"], first["used"], first["wall_ms"]) == ("noop", {"ok": True}, 0, 0)
    assert said(guard.run(call(action="noop"), tool)) == "replayed"
    assert tool.runs == 0


def test_a_budget_belongs_to_its_run_and_a_restart_continues_it(tmp_path: Path) -> None:
    path, limits = tmp_path / "ledger", LIMITS._replace(max_mutations=1)
    with SqliteLedger(path) as ledger:
        fence(ledger, limits).run(call(), Tool())
    with SqliteLedger(path) as ledger:
        assert said(fence(ledger, limits).run(comment(1), Tool())) == "fence.budget_exhausted"
        assert said(fence(ledger, limits, run="tomorrow").run(comment(1), Tool())) == "ran"
        second = fence(ledger, limits, run="later").run(call(idempotency_key="k-other-1"), Tool())
        assert said(second) == "fence.second_create"


def test_one_fence_serves_many_runs() -> None:
    guard = fence(limits=LIMITS._replace(max_mutations=1))
    assert said(guard.for_run("one").run(comment(1), Tool())) == "ran"
    assert said(guard.for_run("one").run(comment(2), Tool())) == "fence.budget_exhausted"
    assert said(guard.for_run("two").run(comment(2), Tool())) == "ran"


def test_the_same_comment_in_a_later_run_is_a_new_wish() -> None:
    ledger = MemoryLedger()
    fence(ledger).run(comment(1), Tool())
    fresh = comment(1, idempotency_key="c-fresh-001")
    assert said(fence(ledger).run(fresh, Tool())) == "fence.duplicate"
    assert said(fence(ledger, run="next").run(fresh, Tool())) == "ran"


def test_an_action_that_the_limits_leave_out_is_blocked() -> None:
    guard = fence(limits=LIMITS._replace(allowed_actions=("add_comment",)))
    blocked = guard.run(call(), Tool())
    assert (said(blocked), blocked["findings"][0]["path"]) == ("schema.enum", "/action")


def test_a_payload_above_the_limit_is_refused_before_it_is_parsed() -> None:
    guard = fence(limits=LIMITS._replace(max_payload_bytes=64))
    assert said(guard.run("{" * 65, Tool())) == "parse.size"
    assert said(guard.run(json.dumps(call()) + " " * 64, Tool())) == "parse.size"
    assert said(guard.run(call(), Tool())) == "parse.size"
    assert said(guard.run(call(body="é" * 20).__repr__(), Tool())) == "parse.size"


JUNK = {
    "empty object": {},
    "array text": "[1]",
    "bad bytes": b"\xff",
    "nothing": None,
    "number": 7,
    "no JSON": {"a": object()},
    "mixed keys": {1: 2, "b": 3},
    "terminal escapes": "\x1b[2J",
    "large": "x" * 70_000,
}


@pytest.mark.parametrize("payload", JUNK.values(), ids=JUNK.keys())
def test_a_refused_payload_leaves_an_audit_row_in_printable_ascii(payload: object) -> None:
    ledger = MemoryLedger()
    answer = fence(ledger).run(payload, Tool())
    [event] = ledger.audit()
    assert (event.event, event.code) == ("blocked", " ".join(dict.fromkeys(f["code"] for f in answer["findings"])))
    assert event.note.isascii() and event.note.isprintable() and 0 < len(event.note) <= 400


@pytest.mark.parametrize("kind", ["no database", "folder", "other database"])
def test_a_broken_ledger_is_a_block_and_the_tool_does_not_run(tmp_path: Path, kind: str) -> None:
    path, tool = tmp_path / "ledger", Tool()
    if kind == "folder":
        path.mkdir()
    elif kind == "no database":
        path.write_text("no database at all")
    else:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE orders (id)")
    guard = fence(SqliteLedger(tmp_path / "ledger"))
    assert said(guard.run(call(), tool)) == "fence.unavailable"
    assert said(guard.run(call(ticket_id="x"), tool)) == "schema.pattern fence.unavailable"
    assert tool.runs == 0


@pytest.mark.parametrize("kept", [None, "", "{not json", "7", "[1]", '"ok"', b"\xff\x00", "[" * 100_000], ids=repr)
def test_a_first_result_that_was_damaged_is_a_block_and_nothing_runs_again(tmp_path: Path, kept: object) -> None:
    path, tool = tmp_path / "ledger", Tool()
    with SqliteLedger(path) as ledger:
        fence(ledger).run(call(), tool)
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE calls SET result = ?", (kept,))
        again = fence(ledger).run(call(), tool)
    assert (said(again), again["ok"], again["replayed"], tool.runs) == ("fence.unavailable", False, False, 1)


class Faulty(MemoryLedger):
    """Breaks the promise of a ledger: one of its methods raises anything but a `LedgerError`."""

    def __init__(self, method: str) -> None:
        super().__init__()
        setattr(self, method, self.fail)

    def fail(self, *_: object) -> None:
        raise KeyError("no such row")


@pytest.mark.parametrize(
    ("method", "payload", "words", "runs"),
    [
        ("claim", call(), "fence.unavailable", 0),
        ("record", call(ticket_id="x"), "schema.pattern fence.unavailable", 0),
        ("settle", call(), "fence.unavailable", 1),
    ],
)
def test_a_ledger_that_raises_what_it_should_not_is_a_block_all_the_same(
    method: str, payload: dict[str, Any], words: str, runs: int
) -> None:
    tool = Tool()
    answer = fence(Faulty(method)).run(payload, tool)
    assert (said(answer), answer["ok"], tool.runs) == (words, False, runs)
    assert "the ledger failed (KeyError)" in answer["findings"][-1]["message"]


def test_a_doubt_that_cannot_be_written_is_told_beside_the_time_out() -> None:
    tool = Stuck()
    answer = fence(Faulty("doubt"), LIMITS._replace(max_wall_ms=20)).run(call(), tool)
    tool.let_go()
    assert (said(answer), answer["state"]) == ("fence.timeout fence.unavailable", "unknown")


def test_a_run_whose_name_cannot_be_written_is_a_block(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger") as ledger:
        assert said(fence(ledger, run="\ud83d").run(call(), Tool())) == "fence.unavailable"


def test_an_outcome_that_cannot_be_written_is_not_ok_and_stays_unknown(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    guard = fence(SqliteLedger(path))
    answer = guard.run(call(), lambda payload: path.unlink() or {"ok": True})
    assert (said(answer), answer["ok"], answer["state"]) == ("fence.unavailable", False, "unknown")


def test_two_fences_over_one_file_share_keys_and_budget(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger") as one, SqliteLedger(tmp_path / "ledger") as two:
        stuck = Stuck()
        first = threading.Thread(target=fence(one).run, args=(call(), stuck))
        first.start()
        assert stuck.started.wait(30)
        assert said(fence(two).run(call(), Tool())) == "fence.in_progress"
        assert said(fence(two).run(comment(1), Tool())) == "fence.in_progress"
        stuck.let_go()
        first.join(30)
        assert said(fence(two).run(call(), Tool())) == "replayed"


CHANGES = {
    "no action": lambda schema: schema["properties"].pop("action"),
    "optional action": lambda schema: schema["required"].remove("action"),
    "idempotency_key of any form": lambda schema: schema["properties"]["idempotency_key"].pop("pattern"),
    "optional idempotency_key": lambda schema: schema["required"].remove("idempotency_key"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_refuses_a_contract_it_cannot_guard(change: str) -> None:
    word = "action" if "action" in change else "idempotency_key"
    schema = CONTRACT.schema
    schema.pop("allOf")
    CHANGES[change](schema)
    schema["required"] = [name for name in schema["required"] if name in schema["properties"]]
    with pytest.raises(ConfigError, match=f"no required {word} with"):
        ToolFence(type(CONTRACT).from_schema(schema, tool="ticket"), LIMITS, MemoryLedger())


def test_refuses_limits_that_allow_an_action_the_tool_does_not_have() -> None:
    with pytest.raises(ConfigError, match=r'allowed_actions has "delete_ticket"'):
        fence(limits=LIMITS._replace(allowed_actions=("delete_ticket",)))


def test_takes_a_plain_object_for_limits_and_vets_it() -> None:
    plain = LIMITS._asdict() | {"allowed_actions": ["noop"]}
    assert ToolFence(CONTRACT, plain, MemoryLedger()).limits.allowed_actions == ("noop",)
    with pytest.raises(ConfigError, match="max_mutations must be an integer"):
        ToolFence(CONTRACT, plain | {"max_mutations": True}, MemoryLedger())


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


@given(payload=_ANYTHING, answer=_ANYTHING)
@settings(max_examples=50, deadline=None)
def test_nothing_that_is_sent_or_returned_raises_or_counts_as_applied(payload: object, answer: object) -> None:
    guard = fence()
    assert guard.run(payload, Tool())["state"] == "blocked"
    given_back = guard.run(call(), Tool(answer))
    assert given_back["ok"] == (given_back["state"] == "applied") == (type(given_back["result"]) is dict)
    known = {f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons}
    assert all(found["code"] in known for found in given_back["findings"])


def test_a_read_only_view_is_copied_and_judged_like_a_dict() -> None:
    assert said(fence().run(MappingProxyType(call()), Tool())) == "ran"
