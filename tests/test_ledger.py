"""The ledger: one transaction decides, rows survive crashes, and a faulty file is refused."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.brakes.rules import Again, Call, Entry, decide
from gate.files import HOME
from gate.ledger import Event, LedgerError
from gate.ledgers.memory import MemoryLedger
from gate.ledgers.sqlite import SqliteLedger
from tests.fence_kit import LIMITS, Place, Stuck, Tool, call, comment, fence, said

CALL = Call("k-00000001", "main", "ticket", "digest", "intent", None, True, 2, "{}")
APPLIED = Event("main", "ticket", CALL.key, "applied")


@pytest.fixture
def ledger(place: Place) -> Iterator[Any]:
    """A ledger of each kind that is kept, opened."""
    with place.open() as opened:
        yield opened


def test_a_claim_is_pending_until_it_is_settled(ledger: Any) -> None:
    assert ledger.claim(CALL).act == "run"
    assert [(entry.state, entry.running) for entry in ledger.entries()] == [("pending", True)]
    ledger.settle(APPLIED, '{"n":1}')
    [entry] = ledger.entries()
    assert (entry.state, entry.running, entry.result) == ("applied", False, '{"n":1}')
    assert (ledger.used(), ledger.used("another run")) == (1, 0)


def test_only_the_claim_holder_may_settle(ledger: Any) -> None:
    with pytest.raises(LedgerError, match="holds the claim of the key"):
        ledger.settle(APPLIED)
    assert ledger.entries() == ledger.audit() == []


def test_a_doubt_does_not_overwrite_what_was_settled_meanwhile(ledger: Any) -> None:
    ledger.claim(CALL)
    ledger.settle(APPLIED, "{}")
    assert ledger.doubt(APPLIED._replace(event="unknown", code="fence.timeout")) == "applied"


def test_a_failed_key_may_be_claimed_again_by_another_run(ledger: Any) -> None:
    ledger.claim(CALL)
    ledger.settle(APPLIED._replace(event="failed"))
    assert ledger.claim(CALL._replace(run="other")).act == "run"
    assert (ledger.used("main"), ledger.used("other")) == (0, 1)


_NUMBERS = itertools.count()
_WISHES = st.builds(
    lambda key, run, wish, subject, mutates, again: Call(
        key, run, "ticket", f"{key}{wish}{subject}{mutates}", f"{wish}{subject}", subject, mutates, 2, "{}", again
    ),
    st.sampled_from("abc"), st.sampled_from(["main", "other"]), st.sampled_from("xy"), st.sampled_from([None, "T-1"]),
    st.sampled_from([True, True, False]), st.sampled_from(["run", "ask", "refuse"]),
)  # fmt: skip


@given(calls=st.lists(st.tuples(_WISHES, st.sampled_from(["applied", "failed", "unknown", "doubt", ""])), max_size=12))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_ledger_that_is_kept_decides_as_the_one_in_memory(place: Place, calls: list[tuple[Call, str]]) -> None:
    memory = MemoryLedger()
    with place.open(f"ledger-{next(_NUMBERS)}") as kept:
        for call, outcome in calls:
            verdict = memory.claim(call)
            assert kept.claim(call) == verdict
            if verdict.act in ("run", "ask") and outcome:
                event = Event(call.run, call.tool, call.key, outcome.replace("doubt", "unknown"))
                for ledger in (memory, kept):
                    ledger.doubt(event) if outcome == "doubt" else ledger.settle(event)
            assert memory.entries() == kept.entries()
        assert memory.audit() == kept.audit()
        assert [memory.used(run) for run in ("main", "other")] == [kept.used(run) for run in ("main", "other")]


def test_a_claim_and_its_audit_row_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger") as ledger:
        ledger.record(APPLIED)
        with closing(sqlite3.connect(tmp_path / "ledger")) as db:
            db.execute("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(FAIL, 'disk full'); END")
        with pytest.raises(LedgerError, match="disk full"):
            ledger.claim(CALL)
        assert ledger.entries() == []


def test_writes_ahead_with_full_sync(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger") as ledger, ledger._file.transaction() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_the_folder_of_a_ledger_is_made(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "deep" / "ledger") as ledger:
        assert said(fence(ledger).run(call(), Tool())) == "ran"


def test_rows_survive_a_restart(place: Place) -> None:
    with place.open() as ledger:
        fence(ledger).run(call(), Tool())
        before = (ledger.entries(), ledger.audit())
    with place.open() as ledger:
        assert (ledger.entries(), ledger.audit()) == before


def test_a_locked_file_is_waited_for_and_then_refused(tmp_path: Path) -> None:
    path, tool = tmp_path / "ledger", Tool()
    with SqliteLedger(path, wait_s=0.05) as ledger:
        ledger.record(APPLIED)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            blocked = fence(ledger).run(call(), tool)
            other.execute("ROLLBACK")
        assert (said(blocked), blocked["state"], tool.runs) == ("fence.unavailable", "blocked", 0)
        assert "locked" in blocked["findings"][0]["message"]
        assert said(fence(ledger).run(call(), tool)) == "ran"


@pytest.mark.parametrize("fault", ["removed", "replaced"])
def test_a_file_that_goes_away_while_open_is_refused(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "ledger"
    with SqliteLedger(path) as ledger:
        ledger.record(APPLIED)
        path.unlink()
        if fault == "replaced":
            with SqliteLedger(tmp_path / "other") as other:
                other.record(APPLIED)
            (tmp_path / "other").rename(path)
        assert said(fence(ledger).run(call(), Tool())) == "fence.unavailable"


def test_a_file_that_is_overwritten_with_noise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with SqliteLedger(path) as ledger:
        fence(ledger).run(call(), Tool())
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8000)
    with SqliteLedger(path) as ledger:
        assert said(fence(ledger).run(call(), Tool())) == "fence.unavailable"


def test_a_ledger_of_another_version_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger")) as db:
        db.execute("PRAGMA user_version = 9")
    with SqliteLedger(tmp_path / "ledger") as ledger, pytest.raises(LedgerError, match=r"another version .* \(9\)"):
        ledger.record(APPLIED)


def test_a_worker_that_was_left_behind_holds_its_key_after_the_ledger_is_closed(place: Place) -> None:
    tool, second = Stuck(), Tool()
    with place.open() as ledger, place.open() as other:
        fence(ledger, LIMITS._replace(max_wall_ms=10)).run(call(), tool)
        ledger.close()
        assert said(fence(other).run(call(), second, lookup=lambda payload: None)) == "fence.in_progress"
        tool.let_go()
        assert fence(other).run(call(), second)["result"] == {"ok": True, "late": True}
        assert second.runs == 0


def test_a_closed_ledger_is_closed_again_only_after_its_last_worker(place: Place) -> None:
    one, two = Stuck(), Stuck()
    ledger, hasty = place.open(), LIMITS._replace(max_wall_ms=10)
    for number, tool in enumerate((one, two)):
        fence(ledger, hasty, run=f"run {number}").run(comment(number), tool)
        assert tool.started.wait(30)
    ledger.close()
    with place.open() as other:
        one.free.set()
        two.let_go()
        assert [entry.state for entry in other.entries()] == ["applied", "applied"]
    assert list(place.folder.glob("ledger.owners/*.lock")) == []


def test_a_claim_that_could_not_be_written_does_not_keep_a_closed_ledger_alive(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger") as ledger:
        with ledger._file.transaction() as db:
            db.execute("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(FAIL, 'disk full'); END")
        with pytest.raises(LedgerError, match="disk full"):
            ledger.claim(CALL)
    assert list((tmp_path / "ledger.owners").glob("*.lock")) == []


def empty(path: Path) -> None:
    path.write_bytes(b"")


def without_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")


@pytest.mark.parametrize("fault", [empty, Path.unlink, without_tables])
def test_a_ledger_that_forgot_its_keys_is_refused_and_says_what_to_do(tmp_path: Path, fault: Any) -> None:
    path, tool = tmp_path / "ledger", Tool()
    with SqliteLedger(path) as ledger:
        fence(ledger).run(call(), tool)
    fault(path)
    with SqliteLedger(path) as ledger:
        refused = fence(ledger).run(call(), tool)
    assert (said(refused), refused["state"], tool.runs) == ("fence.unavailable", "blocked", 1)
    assert "put it back from a copy" in refused["findings"][0]["message"]
    assert "ledger.owners" in refused["findings"][0]["message"]


def test_a_new_ledger_begins_where_the_old_one_and_its_folder_were_removed(tmp_path: Path) -> None:
    for _ in range(2):
        with SqliteLedger(tmp_path / "ledger") as ledger:
            assert said(fence(ledger).run(call(), Tool())) == "ran"
        (tmp_path / "ledger").unlink()
        shutil.rmtree(tmp_path / "ledger.owners")


def test_a_ledger_whose_making_was_cut_short_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "ledger.owners").mkdir()
    empty(tmp_path / "ledger")
    with SqliteLedger(tmp_path / "ledger") as ledger:
        assert said(fence(ledger).run(call(), Tool())) == "ran"


def test_leaves_no_files_of_dead_processes_behind(tmp_path: Path) -> None:
    path, folder = tmp_path / "ledger", tmp_path / "ledger.owners"
    for number in range(3):
        dies(path, "before", f"k-dies-00{number}")
    assert len(list(folder.glob("*.lock"))) == 1
    with SqliteLedger(path) as ledger:
        ledger.record(APPLIED)
        assert len(list(folder.glob("*.lock"))) == 1
    assert list(folder.glob("*.lock")) == []


_DIES = """
import os, signal, sys
from pathlib import Path
from gate.ledgers.sqlite import SqliteLedger
from tests.fence_kit import call, fence
path, instant, key = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
def die(payload):
    if instant == "after":
        path.with_name("effect").write_text("once")
    os.kill(os.getpid(), signal.SIGKILL)
fence(SqliteLedger(path)).run(call(ticket_id=f"T-{key[-1]}", idempotency_key=key), die)
"""


def dies(path: Path, instant: str, key: str = "k-00000001") -> None:
    """Run a process that is killed while its tool runs, before or after the effect."""
    command = [sys.executable, "-c", _DIES, str(path), instant, key]
    ended = subprocess.run(command, capture_output=True, cwd=HOME, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.mark.parametrize("instant", ["before", "after"])
def test_after_kill_9_a_pending_call_is_unknown_and_never_runs_by_itself_again(tmp_path: Path, instant: str) -> None:
    path, tool = tmp_path / "ledger", Tool()
    dies(path, instant)
    with SqliteLedger(path) as ledger:
        assert [(entry.state, entry.running) for entry in ledger.entries()] == [("unknown", False)]
        guard = fence(ledger)
        assert said(guard.run(call(idempotency_key="k-fresh-01"), tool)) == "fence.unknown_outcome"
        again = guard.run(call(), tool)
        assert (said(again), again["ok"], again["used"], tool.runs) == ("fence.unknown_outcome", False, 1, 0)
        assert said(guard.run(comment(1), tool)) == "ran"

        def lookup(payload: object) -> dict[str, bool] | None:
            return {"found": True} if path.with_name("effect").exists() else None

        settled = guard.run(call(), tool, lookup)
        assert settled["result"] == ({"found": True} if instant == "after" else {"ok": True, "n": 2})


@pytest.mark.parametrize("mode", ["blind", "keyed", "lookup"])
def test_random_kills_never_make_two_effects_nor_lose_one_nor_invent_one(mode: str) -> None:
    command = [sys.executable, "-m", "tests.ledger_kill.soak", "--mode", mode, "--kills", "40", "--seed", "1"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=HOME, timeout=120)
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    counts = json.loads(ended.stdout)
    assert {name: value for name, value in counts.items() if isinstance(value, list) and value} == {}
    assert counts["kills"] == 40
    assert counts["acknowledged"] >= 5
    assert counts["audit"]["claimed"] >= counts["effects"] >= counts["states"]["applied"]


def test_ledgers_that_open_a_new_place_at_once_all_work(place: Place) -> None:
    barrier, failed = threading.Barrier(6), []

    def open_it() -> None:
        with place.open("new") as ledger:
            barrier.wait(30)
            try:
                ledger.record(APPLIED)
            except LedgerError as error:
                failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    with place.open("new") as ledger:
        assert len(ledger.audit()) == 6


_STATES: list[Any] = ["pending", "applied", "failed", "unknown", "no state that there is"]
_ENTRIES = st.builds(
    Entry, st.sampled_from(["k1", "k2", "k3"]), st.sampled_from(["main", "other"]), st.sampled_from(["d1", "d2"]),
    st.sampled_from(["i1", "i2"]), st.sampled_from([None, "s1", "s2"]), st.booleans(), st.sampled_from(_STATES),
    st.booleans(), st.none(),
)  # fmt: skip
_AGAIN: list[Again] = ["run", "ask", "refuse"]
_CALLS = st.builds(
    Call, st.just("k1"), st.just("main"), st.just("ticket"), st.sampled_from(["d1", "d2"]),
    st.sampled_from(["i1", "i2"]), st.sampled_from([None, "s1", "s2"]), st.booleans(), st.integers(0, 3),
    st.just("{}"), st.sampled_from(_AGAIN),
)  # fmt: skip


@given(call=_CALLS, mine=st.none() | _ENTRIES, others=st.lists(_ENTRIES, max_size=4), used=st.integers(0, 4))
def test_no_rows_whatever_let_a_mutation_run_that_may_not(
    call: Call, mine: Entry | None, others: list[Entry], used: int
) -> None:
    others = [other for other in others if other.mutates and other.state != "failed"]
    verdict = decide(call, mine, others, used)
    if verdict.act not in ("run", "ask"):
        assert verdict.write in (None, "unknown") or verdict.act == "noop"
        assert (verdict.code != "") == (verdict.act == "refuse")
        return
    assert call.mutates and used < call.budget and verdict.write == "pending"
    assert mine is None or (mine.digest == call.digest and mine.state != "applied" and not mine.running)
    assert mine is None or mine.state == "failed" or call.again == verdict.act
    assert not any(other.running and other.run == call.run for other in others)
    assert not any(other.intent == call.intent and other.run == call.run for other in others)
    assert call.subject is None or all(other.subject != call.subject for other in others)


@pytest.mark.parametrize("number", [1, 2])
def test_a_forked_child_opens_the_ledger_anew_and_leaves_its_parent_alone(place: Place, number: int) -> None:
    script = f"""
import os
{place.code}
from tests.fence_kit import Tool, comment, fence, said
print(said(fence(ledger).run(comment(1), Tool())), flush=True)
child = os.fork()
print(said(fence(ledger).run(comment({number}), Tool())) if child == 0 else "parent", flush=True)
if child:
    os.waitpid(child, 0)
    print(said(fence(ledger).run(comment(3), Tool())), len(ledger.entries()))
"""
    ended = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=HOME)
    words = ended.stdout.split()
    assert words[0] == "ran" and words[-2:] == ["ran", str(number + 1)]
    assert sorted(words[1:3]) == sorted(["parent", "replayed" if number == 1 else "ran"])
