"""Every row of the case files about the fence and its fuzzing, by id, with the exact code of each step."""

from __future__ import annotations

import json
import threading
import unicodedata
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gate.contract import Contract
from gate.errors import ConfigError
from gate.evidence.fuzz import fuzz
from gate.fence import ToolFence
from gate.ledgers.memory import MemoryLedger
from gate.limits import limits_from
from tests.fence_kit import CONTRACT, LIMITS, Clock, Place, Stuck, Tool, call, comment, fence, said

CASES = Path(__file__).parent / "cases"
ROWS = {
    row["id"]: row
    for name in ("faults.jsonl", "reports.jsonl")
    for row in map(json.loads, (CASES / name).read_text(encoding="utf-8").splitlines())
    if row["surface"] in ("fence", "fuzz")
}
ELSEWHERE = {"iss-056"}  # the cap on blocked calls belongs to the run, not to the fence
BUDGET_1 = LIMITS._replace(max_mutations=1)

Scenario = Callable[[Place], list[str]]
SCENARIOS: dict[str, tuple[Scenario, tuple[str, ...]]] = {}


def row(name: str, *words: str) -> Callable[[Scenario], Scenario]:
    """Say that a scenario is the case of this id, and what each of its steps must come to."""

    def keep(scenario: Scenario) -> Scenario:
        SCENARIOS[name] = (scenario, words)
        return scenario

    return keep


def one(payload: Any) -> Scenario:
    return lambda _: [said(fence().run(payload, Tool()))]


def steps(*payloads: Any) -> list[str]:
    guard = fence()
    return [said(guard.run(payload, Tool())) for payload in payloads]


def from_row(name: str) -> list[str]:
    """Run the calls as the report has them; a create without a body gets one, which the contract asks for (C37)."""
    return steps(*({"body": "broken"} | step for step in json.loads(ROWS[name]["input"])))


class Chameleon(dict[str, Any]):
    def get(self, key: str, default: Any = None) -> Any:
        return "add_comment" if key == "action" else super().get(key, default)


SINGLE: dict[str, tuple[Any, str]] = {
    "C01": (call(ticket_id=12), "schema.type"),
    "C02": (call() | {"ticket_id": None}, "schema.type"),
    "C03": (call(ticket_id={"a": 1}), "schema.type"),
    "C04": (call(ticket_id=True), "schema.type"),
    "C05": (call(idempotency_key=12345678), "schema.type"),
    "C06": (call(idempotency_key=["abcdef"]), "schema.type"),
    "C07": (call(body="x" * 5000), "schema.length"),
    "C08": (call(body={"a": 1}), "schema.type"),
    "C09": (call(ticket_id="T-1\u200b"), "schema.pattern"),
    "C11": (call(action=["add_comment"]), "schema.enum"),
    "C12": (call() | {1: "x", "zz": "y"}, "parse.not_json"),
    "C20": (Chameleon(call(action="delete_everything")), "parse.not_json"),
    "C32": (MappingProxyType(call()), "ran"),
}
SCENARIOS |= {name: (one(payload), (word,)) for name, (payload, word) in SINGLE.items()}


@row("C10", "schema.type", "ran")
def an_integer_key_and_then_the_same_digits(_: Place) -> list[str]:
    return steps(call(idempotency_key=12345678), call(idempotency_key="12345678"))


@row("C13", "fence.unknown_outcome", "ran")
def a_retry_with_the_same_key_after_a_503(_: Place) -> list[str]:
    guard, tool = fence(keyed=True), Tool(ConnectionError("503"))
    return [said(guard.run(call(), tool)) for _ in range(2)]


@row("C14", "ran", "fence.key_reused", "fence.key_reused")
def the_same_key_with_another_body_or_ticket(_: Place) -> list[str]:
    return steps(call(), call(body="other"), call(ticket_id="T-2"))


@row("C15", '{"ok": true, "n": 1}', '{"ok": true, "n": 1}')
def a_duplicate_gets_the_first_result(_: Place) -> list[str]:
    guard, tool = fence(), Tool()
    return [json.dumps(guard.run(call(), tool)["result"]) for _ in range(2)]


@row("C16", "noop", "fence.key_reused")
def a_noop_and_then_a_create_under_its_key(_: Place) -> list[str]:
    return steps(call(action="noop"), call())


@row("C17", "fence.tool_failed", "ran")
def a_failure_gives_the_only_mutation_back(_: Place) -> list[str]:
    guard = fence(limits=BUDGET_1)
    return [said(guard.run(call(), Tool(ConnectionRefusedError("refused")))), said(guard.run(comment(1), Tool()))]


@row("C18", "claimed failed", "claimed unknown", "claimed unknown")
def a_result_that_says_it_failed_is_not_audited_as_applied(_: Place) -> list[str]:
    words = []
    for answer in ({"ok": False}, None, "str"):
        ledger = MemoryLedger()
        fence(ledger).run(call(), Tool(answer))
        words.append(" ".join(event.event for event in ledger.audit()))
    return words


@row("C19", "ran", "broken")
def what_the_tool_does_to_its_copy_changes_nothing(_: Place) -> list[str]:
    payload = call()
    word = said(fence().run(payload, lambda copy: copy.update(body="CHANGED") or {"ok": True}))
    return [word, payload["body"]]


@row("C21", "schema.unknown_field", "schema.enum", "blocked blocked")
def blocks_are_audited(_: Place) -> list[str]:
    ledger = MemoryLedger()
    words = [said(fence(ledger).run(payload, Tool())) for payload in (call(extra=1), call(action="x"))]
    return [*words, " ".join(event.event for event in ledger.audit())]


@row("C22", "claimed applied blocked:fence.budget_exhausted", "claimed failed:fence.tool_failed claimed applied")
def exhaustion_and_failure_are_audited(_: Place) -> list[str]:
    words = []
    for payloads, tool in (((call(), comment(1)), Tool()), ((call(), call()), Tool(ConnectionRefusedError("503")))):
        ledger = MemoryLedger()
        for payload in payloads:
            fence(ledger, BUDGET_1).run(payload, tool)
        words.append(" ".join(f"{event.event}:{event.code}".strip(":") for event in ledger.audit()))
    return words


@row("C23", "schema.type", "schema.range", "schema.type", "schema.type", "parse.non_finite")
def odd_limits_refuse_to_start(_: Place) -> list[str]:
    plain, words = LIMITS._asdict() | {"allowed_actions": list(LIMITS.allowed_actions)}, []
    for odd in (3.0, -1, True, "3", float("nan")):
        with pytest.raises(ConfigError) as refused:
            limits_from(plain | {"max_mutations": odd})
        words.append(refused.value.findings[0].code)
    return words


@row("C24", "fence.timeout")
def a_tool_that_takes_longer_than_the_wall_clock(_: Place) -> list[str]:
    tool = Stuck()
    word = said(fence(limits=LIMITS._replace(max_wall_ms=10)).run(call(), tool))
    tool.let_go()
    return [word]


@row("C25", "ran", "0")
def a_clock_that_goes_back(_: Place) -> list[str]:
    clock = Clock()

    def tool(payload: object) -> dict[str, bool]:
        clock.now -= 60
        return {"ok": True}

    answer = fence(clock=clock).run(call(), tool)
    return [said(answer), str(answer["wall_ms"])]


def eight_threads(place: Place, payloads: list[dict[str, Any]]) -> list[str]:
    """Send eight calls at once, each through a ledger of its own, and return what the tool and the callers saw."""
    tool, barrier, words = Tool(), threading.Barrier(8), []

    def send(payload: dict[str, Any]) -> None:
        with place.open() as ledger:
            barrier.wait(30)
            words.append(said(fence(ledger, BUDGET_1).run(payload, tool)))

    threads = [threading.Thread(target=send, args=(payload,)) for payload in payloads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(words) == 8
    return [f"runs {tool.runs}", *sorted({word for word in words if not word.startswith("fence.")})]


@row("C26", "runs 1", "ran")
def eight_threads_with_one_key(place: Place) -> list[str]:
    return [word for word in eight_threads(place, [call()] * 8) if word != "replayed"]


@row("C27", "runs 1", "ran")
def eight_threads_with_eight_keys_and_one_mutation_to_spend(place: Place) -> list[str]:
    return eight_threads(place, [comment(number) for number in range(8)])


@row("C28", "fence.in_progress", "fence.tool_failed", "ran")
def a_second_caller_while_the_first_still_runs_and_then_fails(_: Place) -> list[str]:
    class Lost(Stuck):
        def __call__(self, payload: dict[str, Any]) -> dict[str, Any]:
            super().__call__(payload)
            raise ConnectionRefusedError("lost")

    guard, tool, first = fence(), Lost(), []
    caller = threading.Thread(target=lambda: first.append(said(guard.run(call(), tool))))
    caller.start()
    assert tool.started.wait(30)
    second = said(guard.run(call(), Tool()))
    tool.free.set()
    caller.join(30)
    return [second, *first, said(guard.run(call(), Tool()))]


@row("C29", "ran", "replayed")
def the_same_key_after_a_restart(place: Place) -> list[str]:
    words = []
    for _ in range(2):
        with place.open() as ledger:
            words.append(said(fence(ledger).run(call(), Tool())))
    return words


@row("C30", "ran", "fence.duplicate", "schema.pattern", "schema.pattern", "schema.pattern")
def variants_of_one_key(_: Place) -> list[str]:
    composed = unicodedata.normalize("NFC", "k-cafe\u0301-01")
    keys = ("k-12345678", "K-12345678", "k-12345678 ", composed, unicodedata.normalize("NFD", composed))
    return steps(*(comment(1, idempotency_key=key) for key in keys))


@row("C31", "ran", "fence.duplicate")
def a_fresh_key_for_the_same_intent(_: Place) -> list[str]:
    return steps(comment(1), comment(1, idempotency_key="c-fresh-001"))


@row(
    "C33",
    "the contract ticket.input has no required action with enum. Next: add one, such as "
    '"action": {"type": "string", "enum": ["create"]}, and "action" to "required".',
)
def a_contract_without_an_action(_: Place) -> list[str]:
    schema = CONTRACT.schema
    del schema["allOf"], schema["properties"]["action"]
    schema["required"].remove("action")
    with pytest.raises(ConfigError) as refused:
        ToolFence(Contract.from_schema(schema, tool="ticket"), LIMITS, MemoryLedger())
    return [str(refused.value)]


@row("C34", "ran", "fence.second_create", "ran")
def one_ticket_one_create_then_comments(_: Place) -> list[str]:
    return steps(call(), call(idempotency_key="k-00000002", body="other words"), comment(1))


@row("C36", "applied", "blocked", "every rule")
def the_fuzzer_reaches_the_tool_and_every_rule(_: Place) -> list[str]:
    report = fuzz(CONTRACT, 400, 1)
    words = [word for word in ("applied", "blocked") if report["fence"][word] > 0]
    return [*words, "every rule" if all(rule["sent"] for rule in report["rules"]) else "some rules"]


@row("C37", "schema.missing_field", "schema.missing_field", "noop")
def a_create_and_a_comment_without_a_body(_: Place) -> list[str]:
    return steps(call(body=None), comment(1, body=None), comment(2, body=None, action="noop"))


@row("iss-081", "ran", "fence.second_create")
def a_retry_whose_text_and_key_changed(_: Place) -> list[str]:
    return from_row("iss-081")


@row("iss-082", "ran", "fence.second_create", "key is per intent")
def a_new_key_for_every_request(_: Place) -> list[str]:
    told = CONTRACT.schema["properties"]["idempotency_key"]["description"]
    return [*from_row("iss-082"), "key is per intent" if "One key for one intent" in told else told]


@row("iss-084", "replayed")
def a_new_process_with_the_same_file(place: Place) -> list[str]:
    return the_same_key_after_a_restart(place)[1:]


@row("iss-086", "ran", "ran", "used 2", "replayed", "replayed", "used 2")
def a_script_that_is_replayed_from_the_start(place: Place) -> list[str]:
    words = []
    for _ in range(2):
        with place.open() as ledger:
            words += [said(fence(ledger).run(payload, Tool())) for payload in (call(), comment(1))]
            words.append(f"used {ledger.used()}")
    return words


@row("iss-087", "fence.timeout", "used 1", "claimed unknown", "fence.unknown_outcome", "file written", "replayed")
def a_tool_that_goes_on_after_its_time_is_up(place: Place) -> list[str]:
    class Writes(Stuck):
        def __call__(self, payload: dict[str, Any]) -> dict[str, Any]:
            result = super().__call__(payload)
            (place.folder / "effect").write_text("written")
            return result

    ledger, tool = place.open(), Writes()
    guard = fence(ledger, LIMITS._replace(max_wall_ms=10))
    words = [said(guard.run(call(), tool)), f"used {ledger.used()}", " ".join(event.event for event in ledger.audit())]
    words.append(ledger.entries()[0].state.replace("unknown", "fence.unknown_outcome"))
    tool.let_go()
    words.append(f"file {(place.folder / 'effect').read_text()}")
    words.append(said(guard.run(call(), Tool())))
    ledger.close()
    return words


@row("iss-089", "fence.timeout", "fence.in_progress", "ran")
def a_second_mutation_while_a_late_one_still_runs(_: Place) -> list[str]:
    ledger, tool = MemoryLedger(), Stuck()
    words = [said(fence(ledger, LIMITS._replace(max_wall_ms=10)).run(call(), tool))]
    words.append(said(fence(ledger).run(comment(1), Tool())))
    tool.let_go()
    return [*words, said(fence(ledger).run(comment(1), Tool()))]


@row("iss-121", "ran", "replayed")
def one_click_that_arrives_twice(_: Place) -> list[str]:
    return from_row("iss-121")


KEPT = {name for name, (scenario, _) in SCENARIOS.items() if "place" in signature(scenario).parameters}


@pytest.mark.parametrize("name", sorted(SCENARIOS.keys() - KEPT))
def test_case(name: str, tmp_path: Path) -> None:
    scenario, words = SCENARIOS[name]
    assert tuple(scenario(Place(tmp_path, MemoryLedger))) == words


@pytest.mark.parametrize("name", sorted(KEPT))
def test_case_on_a_ledger_that_is_kept(name: str, place: Place) -> None:
    scenario, words = SCENARIOS[name]
    assert tuple(scenario(place)) == words


def test_every_row_of_the_case_files_has_its_scenario() -> None:
    assert set(SCENARIOS) == set(ROWS) - ELSEWHERE
