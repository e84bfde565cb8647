"""The ledger on a Redis server: what leases can prove, what a server must keep, and what is said when it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from gate.brakes.rules import Call
from gate.errors import ConfigError
from gate.files import HOME
from gate.ledger import Event, LedgerError
from gate.ledgers.redis import RedisLedger
from tests.fence_kit import LIMITS, Stuck, Tool, call, comment, fence, said
from tests.redis_kit import Server
from tests.test_fence_machine import Machine
from tests.waiting import wait_until

CALL = Call("k-00000001", "main", "ticket", "digest", "intent", None, True, 2, "{}")
APPLIED = Event("main", "ticket", CALL.key, "applied")


@pytest.fixture
def ledger(redis_server: Server) -> Iterator[RedisLedger]:
    with redis_server.ledger() as opened:
        yield opened


def another(ledger: RedisLedger, server: Server) -> RedisLedger:
    """Open the same ledger as another process would."""
    return RedisLedger(server.url, ledger._server._prefix, wait_s=30)


def lapse(ledger: RedisLedger) -> None:
    """Let the lease run out, as when the machine is cut off: its worker goes on."""
    ledger._lease.give_up()
    ledger._server.client.delete(ledger._lease.key)


def die(ledger: RedisLedger) -> None:
    """Do what the death of the process does: nobody works any more, and the lease runs out."""
    ledger._live.clear()
    lapse(ledger)


def never(_: object) -> None:
    """A lookup by which the tool says that it never saw the key."""


class Cut:
    """A worker that is cut off from the server: it acts, but only after the others think it gone."""

    def __init__(self, ledger: RedisLedger) -> None:
        self.tool, self.answers = Stuck(), []
        guard = fence(ledger, LIMITS._replace(max_wall_ms=60_000))  # cut off, not late, on a busy machine too
        self.caller = threading.Thread(target=lambda: self.answers.append(guard.run(call(), self.tool)))
        self.caller.start()
        assert self.tool.started.wait(30)
        lapse(ledger)

    def end(self) -> dict[str, Any]:
        """Let it act, and return what its caller was told."""
        self.tool.let_go()
        self.caller.join(30)
        return self.answers[0]


def test_a_lease_that_ran_out_under_a_worker_makes_its_key_unknown_never_free(
    redis_server: Server, ledger: RedisLedger
) -> None:
    worker, second = Cut(ledger), Tool()
    with another(ledger, redis_server) as other:
        for lookup in (None, never):
            assert said(fence(other).run(call(), second, lookup)) == "fence.unknown_outcome"
        assert said(fence(other).run(call(idempotency_key="k-fresh-01"), second, never)) == "fence.unknown_outcome"
        assert [(entry.state, entry.running) for entry in other.entries()] == [("unknown", False)]
        assert (other.used(), second.runs) == (1, 0)
        assert worker.end()["result"] == {"ok": True, "late": True}
        assert said(fence(other).run(call(), second, never)) == "replayed"
    assert second.runs == 0


def test_a_tool_that_honours_its_key_runs_again_and_the_late_worker_no_longer_holds_it(
    redis_server: Server, ledger: RedisLedger
) -> None:
    worker = Cut(ledger)
    with another(ledger, redis_server) as other:
        assert fence(other, keyed=True).run(call(), Tool())["result"] == {"ok": True, "n": 1}
        late = worker.end()
        assert (said(late), late["ok"]) == ("fence.unavailable", False)
        assert "no longer holds the claim" in late["findings"][0]["message"]
        assert fence(other).run(call(), Tool())["result"] == {"ok": True, "n": 1}


def test_once_a_person_has_let_go_of_a_dead_worker_the_tool_may_be_asked(
    redis_server: Server, ledger: RedisLedger
) -> None:
    ledger.claim(CALL)
    with another(ledger, redis_server) as other:
        with pytest.raises(LedgerError, match="no lease ran out on this key"):
            other.let_go(CALL.key)
        die(ledger)
        asking = CALL._replace(again="ask")
        assert other.claim(asking).code == "fence.unknown_outcome"
        other.let_go(CALL.key)
        assert other.claim(asking).act == "ask"
        assert [(event.event, event.note) for event in other.audit()][-2] == ("unknown", "let go by a person")


def test_a_lease_is_renewed_while_its_ledger_is_open_and_given_up_when_it_is_closed(redis_server: Server) -> None:
    ledger = redis_server.ledger(lease_s=0.06)
    with another(ledger, redis_server) as other:
        fence(ledger).run(comment(1), Tool())
        left = [0]

        def is_renewed() -> bool:  # more is left than at the last look
            left.append(ledger._server.client.pttl(ledger._lease.key))
            return left[-1] > left[-2]

        for _ in range(5):
            wait_until(is_renewed)
        ledger.close()
        assert other._server.client.exists(ledger._lease.key) == 0


def test_the_worker_of_a_settle_that_could_not_be_written_has_ended_and_its_own_process_may_ask(server: Server) -> None:
    ledger = server.ledger(wait_s=0.05)
    guard, tool = fence(ledger), Tool()

    def kills(payload: dict[str, Any]) -> Any:
        server.kill()
        return tool(payload)

    told = guard.run(call(), kills)
    assert (said(told), told["state"], told["ok"]) == ("fence.unavailable", "unknown", False)
    server.start()
    assert said(guard.run(call(), tool)) == "fence.unknown_outcome"
    assert guard.run(call(), tool, lambda payload: {"found": True})["result"] == {"found": True}
    assert tool.runs == 1
    ledger.close()


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server for one test, which may do to it what it likes; a parameter holds its settings."""
    own = Server(**getattr(request, "param", {}))
    yield own
    own.close()


def test_a_server_that_comes_back_within_the_wait_is_waited_for(server: Server) -> None:
    with server.ledger() as ledger:
        server.kill()
        starting = threading.Timer(0.1, server.start)
        starting.start()
        assert said(fence(ledger).run(call(), Tool())) == "ran"
        starting.join()


def test_a_server_that_is_away_is_a_block_and_nothing_runs(server: Server) -> None:
    tool = Tool()
    with server.ledger(wait_s=0.05) as ledger:
        server.kill()
        blocked = fence(ledger).run(call(), tool)
    assert (said(blocked), blocked["state"], tool.runs) == ("fence.unavailable", "blocked", 0)
    assert "the server cannot be used (Error 111 connecting" in blocked["findings"][0]["message"]


class Lossy:
    """A connection that loses the answers to some transactions after the server has carried them out."""

    def __init__(self, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        from redis import exceptions
        from redis.client import Pipeline

        execute, self.left = Pipeline.execute, times

        def lossy(pipe: Any, *arguments: Any) -> Any:
            answers = execute(pipe, *arguments)
            if self.left:
                self.left -= 1
                raise exceptions.ConnectionError("the answer is lost")
            return answers

        monkeypatch.setattr(Pipeline, "execute", lossy)


@pytest.mark.parametrize("times", [1, 3])
def test_an_answer_that_was_lost_is_asked_for_again_and_nothing_is_written_twice(
    ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    connection = Lossy(ledger, monkeypatch, times)
    assert ledger.claim(CALL).act == "run"
    assert connection.left == 0
    connection.left = times
    ledger.settle(APPLIED, "{}")
    assert [event.event for event in ledger.audit()] == ["claimed", "applied"]
    assert [(entry.state, entry.result) for entry in ledger.entries()] == [("applied", "{}")]


def test_a_doubt_says_nothing_of_the_claim_that_took_its_key(redis_server: Server, ledger: RedisLedger) -> None:
    ledger.claim(CALL)
    lapse(ledger)
    with another(ledger, redis_server) as other:
        other.claim(CALL._replace(again="run"))
        assert ledger.doubt(APPLIED._replace(event="unknown")) == "pending"
        assert [entry.state for entry in other.entries()] == ["pending"]


def test_a_worker_that_its_own_process_saw_end_need_not_be_let_go(redis_server: Server, ledger: RedisLedger) -> None:
    ledger.claim(CALL)
    ledger._live.clear()  # it has ended, and what it came to could not be written
    assert ledger.claim(CALL).code == "fence.unknown_outcome"
    ledger.close()
    with another(ledger, redis_server) as other:
        assert other.claim(CALL._replace(again="ask")).act == "ask"


def meanwhile(ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen after the ledger has next read a row, and before it writes what it made of it."""
    one, left = ledger._rows.one, [act]

    def read(pipe: Any, key: str) -> Any:
        row = one(pipe, key)
        if left:
            left.pop()()
        return row

    monkeypatch.setattr(ledger._rows, "one", read)


def test_a_claim_sees_the_one_that_came_in_between(
    redis_server: Server, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with another(ledger, redis_server) as other:
        meanwhile(ledger, monkeypatch, lambda: other.claim(CALL))
        assert ledger.claim(CALL).code == "fence.in_progress"
        assert [event.event for event in ledger.audit()].count("claimed") == 1


def test_a_claim_sees_the_budget_that_was_spent_in_between(
    redis_server: Server, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = CALL._replace(budget=1)
    with another(ledger, redis_server) as other:
        meanwhile(ledger, monkeypatch, lambda: other.claim(last._replace(key="k-00000002", intent="other")))
        assert ledger.claim(last).act == "refuse"
        assert ledger.used() == 1


def test_a_settle_does_not_write_over_the_claim_that_took_its_key_in_between(
    redis_server: Server, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.claim(CALL)
    lapse(ledger)
    with another(ledger, redis_server) as other:
        meanwhile(ledger, monkeypatch, lambda: other.claim(CALL._replace(again="run")))
        with pytest.raises(LedgerError, match="no longer holds the claim"):
            ledger.settle(APPLIED, "{}")
        assert [(entry.state, entry.running) for entry in other.entries()] == [("pending", True)]


def test_a_doubt_does_not_write_over_what_was_settled_in_between(
    ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.claim(CALL)
    meanwhile(ledger, monkeypatch, lambda: ledger.settle(APPLIED, "{}"))
    assert ledger.doubt(APPLIED._replace(event="unknown")) == "applied"
    assert [(entry.state, entry.result) for entry in ledger.entries()] == [("applied", "{}")]


def test_letting_go_does_not_write_over_what_was_settled_in_between(
    redis_server: Server, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.claim(CALL)
    lapse(ledger)
    with another(ledger, redis_server) as other:
        meanwhile(other, monkeypatch, lambda: ledger.settle(APPLIED, "{}"))
        other.let_go(CALL.key)
        assert [(entry.state, entry.result) for entry in other.entries()] == [("applied", "{}")]


OFF = [
    ({"appendonly": "no"}, "appendonly is no"),
    ({"appendfsync": "everysec"}, "appendfsync is everysec"),
    ({"maxmemory-policy": "allkeys-lru"}, "maxmemory-policy is allkeys-lru"),
]


@pytest.mark.parametrize(("server", "said"), OFF, indirect=["server"])
def test_a_server_that_may_forget_is_refused_at_the_start_unless_a_person_vouches(server: Server, said: str) -> None:
    with pytest.raises(LedgerError, match=said) as refused:
        server.ledger()
    assert "Next: " in str(refused.value)
    assert "\n" not in str(refused.value)
    with server.ledger(vouched=True) as ledger:
        assert ledger.claim(CALL).act == "run"


def test_a_server_that_will_not_tell_what_it_keeps_is_refused_unless_a_person_vouches(server: Server) -> None:
    server.client().execute_command("ACL", "SETUSER", "default", "-config")
    with pytest.raises(LedgerError, match="does not say what it keeps .*Next: allow CONFIG GET, or .* vouched=True"):
        server.ledger()
    server.ledger(vouched=True).close()


def test_a_server_without_the_ledger_is_refused_unless_it_is_to_be_made(redis_server: Server) -> None:
    with pytest.raises(LedgerError, match="there is no ledger here"):
        redis_server.ledger("fresh", create=False)
    redis_server.ledger("fresh").close()
    redis_server.ledger("fresh", create=False).close()


def test_a_server_that_was_emptied_while_the_ledger_was_open_is_refused(server: Server) -> None:
    with server.ledger() as ledger:
        assert said(fence(ledger).run(call(), Tool())) == "ran"
        for fault in (lambda: None, lambda: server.ledger("lost").close()):
            server.client().flushall()
            fault()
            refused = fence(ledger).run(call(), Tool())
            assert said(refused) == "fence.unavailable"
            assert "no ledger here, or another one" in refused["findings"][0]["message"]


def readonly(server: Server, name: str) -> None:
    server.client().replicaof("127.0.0.1", "1")


def other_kind(server: Server, name: str) -> None:
    server.client().delete(f"{name}:spent:main")
    server.client().set(f"{name}:spent:main", "x")


def damaged(server: Server, name: str) -> None:
    server.client().set(f"{name}:call:k-00000001", "{")


def other_version(server: Server, name: str) -> None:
    server.client().hset(f"{name}:ledger", "version", "9")


def full(server: Server, name: str) -> None:
    server.client().config_set("maxmemory", "1")


FAULTS = [
    (readonly, "read only replica"), (other_kind, "wrong kind of value"), (damaged, "a row is gone or cannot be read"),
    (other_version, "another version of the kit (9)"), (full, "maxmemory"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "words"), FAULTS)
def test_a_faulty_server_is_a_block_in_one_line_and_nothing_runs(server: Server, fault: Any, words: str) -> None:
    tool = Tool()
    with server.ledger("odd") as ledger:
        fault(server, "odd")
        blocked = fence(ledger).run(call(), tool)
    assert (said(blocked), blocked["state"], tool.runs) == ("fence.unavailable", "blocked", 0)
    assert words in blocked["findings"][0]["message"]


def test_a_key_of_another_kind_is_named_at_the_start(redis_server: Server) -> None:
    redis_server.client().set("taken:audit", "x")
    with pytest.raises(LedgerError, match="the key taken:audit is a string, no stream"):
        redis_server.ledger("taken")


@pytest.mark.parametrize("server", [{"requirepass": "right"}], indirect=True)
def test_a_password_that_is_wrong_or_missing_is_said_and_never_shown(server: Server) -> None:
    address = server.url.removeprefix("unix://")
    for url in (server.url, f"unix://:s3cret-word@{address}"):
        with pytest.raises(LedgerError, match="the server cannot be used") as refused:
            RedisLedger(url, create=True, wait_s=30)
        assert "s3cret" not in str(refused.value)
    RedisLedger(f"unix://:right@{address}", create=True).close()


@pytest.mark.parametrize("url", ["localhost:6379", "redis://:s3cret/word@host:6379"])
def test_an_address_that_cannot_be_read_is_told_without_its_password(url: str) -> None:
    with pytest.raises(ConfigError, match="the address cannot be read. Next: ") as refused:
        RedisLedger(url)
    assert "s3cret" not in str(refused.value)


def test_without_the_package_it_says_what_to_install_and_the_kit_imports() -> None:
    code = "import sys; sys.modules['redis'] = None\nimport gate, gate.fence\nimport gate.ledgers.redis"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HOME, check=False)
    assert ended.stderr.splitlines()[-1].endswith(
        'the Redis ledger needs the package redis. Next: pip install "gate-lab[scale]".'
    )


@pytest.mark.parametrize("mode", ["blind", "keyed", "lookup"])
def test_killed_workers_and_a_killed_server_never_make_two_effects_nor_lose_one_nor_invent_one(mode: str) -> None:
    command = [sys.executable, "-m", "tests.ledger_kill.soak", "--redis", "--mode", mode, "--kills", "12"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=HOME, timeout=240)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    counts = json.loads(ended.stdout)
    assert {name: value for name, value in counts.items() if isinstance(value, list) and value} == {}
    assert counts["kills"] == 12
    assert counts["acknowledged"] >= 1  # how many depends on when the kills come
    assert counts["audit"]["claimed"] >= counts["effects"] >= counts["states"]["applied"]


class RedisMachine(Machine):
    """The fence's machine on a server, with deaths: what a dead worker did stays unknown until a person lets go."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.lapsed: set[str] = set()
        super().__init__()

    def open(self) -> RedisLedger:
        opened = self.server.ledger()
        self.name = opened._server._prefix
        return opened

    def expected(self, key: str, payload: dict[str, Any], *, looks: bool = False) -> set[str]:
        return super().expected(key, payload, looks=looks and key not in self.lapsed)

    @rule(happened=st.booleans())
    def the_process_dies_and_another_one_begins(self, happened: bool) -> None:
        die(self.ledger)
        if self.stuck is not None:  # it dies just before, or just after, the effect of its tool
            key, tool, caller = self.stuck
            tool.let_go()
            if caller is not None:
                caller.join(30)
            self.effects[key] += happened
            self.keys[key].state, self.keys[key].running, self.stuck = "unknown", False, None
            self.lapsed.add(key)
        self.ledger = self.server.ledger(self.name)

    @precondition(lambda self: self.lapsed)
    @rule()
    def a_person_lets_go(self) -> None:
        self.ledger.let_go(self.lapsed.pop())

    def teardown(self) -> None:
        super().teardown()
        self.ledger.close()


def test_random_interleavings_on_a_server_keep_the_rules(redis_server: Server) -> None:
    wanted = settings(max_examples=10, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(lambda: RedisMachine(redis_server), settings=wanted)


def test_a_second_claim_by_another_ledger_waits_for_nobody(redis_server: Server, ledger: RedisLedger) -> None:
    tool = Stuck()
    with another(ledger, redis_server) as other:
        assert said(fence(ledger, LIMITS._replace(max_wall_ms=1)).run(call(), tool)) == "fence.timeout"
        assert said(fence(other).run(call(), Tool())) == "fence.in_progress"
        assert said(fence(other).run(comment(1), Tool())) == "fence.in_progress"
        tool.let_go()
        assert said(fence(other).run(comment(1), Tool())) == "ran"
