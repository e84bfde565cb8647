"""Rules of the fence lab's boards: each lie of a fence is a row of its own, found in every run, and the kit's holds."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.brakes.outcomes import judge_result
from gate.contract import Contract
from gate.errors import ResultGateError
from gate.fence import ToolFence
from gate.files import HOME
from gate.lab import board, refused
from gate.lab.board import run_rule
from gate.lab.board_file import load_board
from gate.lab.fences import SITUATIONS, in_situation
from gate.lab.interleaved import LINES, files_of
from gate.lab.near import near_miss
from gate.lab.reference import solutions
from gate.ledgers.memory import MemoryLedger
from gate.ledgers.sqlite import SqliteLedger
from gate.limits import load_limits
from gate.registry import load_contracts
from gate.responses import load_responses

Answer = dict[str, Any]
Run = Callable[[Answer], Any]

COMMENT = {"action": "add_comment", "ticket_id": "T-1", "body": "ship", "idempotency_key": "k-00000001"}


def contract() -> Contract:
    found = load_contracts().input("ticket")
    assert found is not None
    return found


def kit_fence(path: Path) -> ToolFence:
    return ToolFence(contract(), load_limits()._replace(max_mutations=2), SqliteLedger(path))


class NoFence:
    def __init__(self, path: Path | None = None) -> None:
        self.known: dict[str, Any] = {}

    def run(self, payload: Answer, mutate: Run) -> Any:
        return {"ok": True, "result": mutate(payload)}


class NotesFirst(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        key = payload["idempotency_key"]
        if key not in self.known:
            self.known[key] = None
            self.known[key] = mutate(payload)
        return {"ok": True, "result": self.known[key]}


class NotesAfterwards(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        key = payload["idempotency_key"]
        if key not in self.known:
            self.known[key] = mutate(payload)
        return {"ok": True, "result": self.known[key]}


class OneAtATime(NotesAfterwards):
    """A lock around everything: others wait until the tool has ended."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self.lock = threading.Lock()

    def run(self, payload: Answer, mutate: Run) -> Any:
        with self.lock:
            return super().run(payload, mutate)


class LooksOutsideTheLock(OneAtATime):
    """It locks, and too late: what it has looked up may be old by then."""

    def run(self, payload: Answer, mutate: Run) -> Any:
        known = payload["idempotency_key"] in self.known
        with self.lock:
            if not known:
                self.known[payload["idempotency_key"]] = mutate(payload)
            return {"ok": True, "result": self.known[payload["idempotency_key"]]}


class CountsFirst(LooksOutsideTheLock):
    """It looks too early as well, behind more lines than anybody would step through."""

    def run(self, payload: Answer, mutate: Run) -> Any:
        for _ in range(10 * LINES):
            pass
        return super().run(payload, mutate)


class RefusesAll(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        raise ResultGateError("no")


def broken(fence: Any, board_name: str) -> list[str]:
    return [rule.case for rule in load_board(board_name).rules if in_situation(fence, rule.case).outcome != "hold"]


THREADS = ["while_it_runs", "two_threads"]
BEYOND_MEMORY = ["restart", "fresh_key", "second_create"]


@pytest.mark.parametrize("name", ["fence.first", "fence.keys", "fence.mended", "fence.budget"])
def test_the_kits_fence_holds_in_every_situation(name: str) -> None:
    assert broken(kit_fence, name) == []


@pytest.mark.parametrize(
    ("fence", "red"),
    [
        (
            NotesFirst,
            ["tool_fails", "tool_says_no", "key_for_something_else", *THREADS, *BEYOND_MEMORY],
        ),
        (NotesAfterwards, ["tool_says_no", "key_for_something_else", *THREADS, *BEYOND_MEMORY]),
        (OneAtATime, ["tool_says_no", "key_for_something_else", *BEYOND_MEMORY]),
        (LooksOutsideTheLock, ["tool_says_no", "key_for_something_else", *THREADS, *BEYOND_MEMORY]),
    ],
)
def test_each_way_to_keep_keys_shows_its_own_lies(fence: Any, red: list[str]) -> None:
    assert broken(fence, "fence.keys") == red


@pytest.mark.parametrize("fence", [NoFence, RefusesAll])
@pytest.mark.parametrize("name", ["fence.first", "fence.mended", "fence.budget"])
def test_neither_letting_all_through_nor_refusing_all_is_green(fence: Any, name: str) -> None:
    assert broken(fence, name) != []


def test_every_situation_is_on_a_board_and_the_first_one_that_breaks_a_fence_says_why() -> None:
    boards = [load_board(name) for name in ("fence.keys", "fence.budget")]
    assert {rule.case for one in boards for rule in one.rules} == set(SITUATIONS)
    assert in_situation(NotesFirst, "tool_fails").words.endswith("nothing ever happened: a lost write")
    assert in_situation(NotesAfterwards, "two_threads").words.startswith("the tool acted 2 times")
    assert in_situation(RefusesAll, "while_it_runs").words == "the tool never acted: once is right"


class ForgetsToAnswer(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        mutate(payload)


class WaitsForItself(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        if mutate(payload) and self.known.setdefault("second", False):
            threading.Event().wait()
        self.known["second"] = True
        return {"ok": True, "result": {"ok": True, "n": 1}}


class NotWritten(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        raise NotImplementedError("MendedFence.run")


class Slips(NoFence):
    def run(self, payload: Answer, mutate: Run) -> Any:
        return payload["key"]


@pytest.mark.parametrize("situation", ["one_call", "two_threads"])
def test_a_fence_without_an_answer_or_with_a_slip_gets_a_row_that_says_so(situation: str) -> None:
    chosen = load_board("fence.keys")
    rule = next(rule for rule in chosen.rules if rule.case == situation)
    assert run_rule(chosen, rule, ForgetsToAnswer).got.words == (
        "run returned None: it needs ok, true or false, and result"
    )
    assert run_rule(chosen, rule, NotWritten).got.words == "not written yet: MendedFence.run"
    assert run_rule(chosen, rule, Slips).got.words == "raised KeyError: 'key'"


def test_a_call_that_never_gets_an_answer_is_a_red_row_too() -> None:
    assert in_situation(WaitsForItself, "two_threads").words == "two calls wait for each other for ever"


def written_in_cells(*cells: str) -> dict[str, Any]:
    made: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        exec(compile(cell, f"<cell {number}>", "exec"), made)  # noqa: S102 - as a notebook does
    return made


def test_no_number_of_lines_hides_where_a_call_can_come_between() -> None:
    assert in_situation(CountsFirst, "two_threads").outcome == "broken"
    long = "class Long:\n    def __init__(self, path):\n        pass\n    def run(self, payload, mutate):\n"
    long += "        x = 1\n" * LINES + "        return {'ok': False}"
    assert in_situation(written_in_cells(long)["Long"], "two_threads").outcome != "hold"


def test_what_a_fence_calls_in_another_cell_is_stepped_through_too() -> None:
    made = written_in_cells("def look(key): return key", "class Fence:\n    def run(self): return look(1)")
    assert files_of(made["Fence"]()) == {"<cell 0>", "<cell 1>"}


# --- near misses ----------------------------------------------------------------------------------------------------


def test_a_near_miss_counts_only_if_it_breaks_its_rule_alone() -> None:
    def sends(*payloads: Any) -> Callable[[Answer], list[Any]]:
        return lambda call: [{**call, **payload} for payload in payloads]

    def tried(student: Any) -> str:
        return near_miss(student, COMMENT, "ticket", "/action", ("schema.enum",)).words

    assert tried(sends({"action": "create_tickets"})).endswith("breaks it alone")
    assert tried(sends({"body": 1}, {"action": "create_tickets", "priority": 1})) == (
        "one breaks it, and schema.unknown_field at /priority too: nobody knows which of them refused it"
    )
    assert tried(sends({}, {"action": "noop"})) == "none of 2 payloads breaks this rule"


@pytest.mark.parametrize("kind", [list, tuple])
def test_near_misses_come_in_a_list_or_a_tuple(kind: Callable[[Any], Any]) -> None:
    near_misses = solutions(HOME / "notebooks" / "solutions" / "fence", "05")["near_misses"]
    chosen = load_board("fence.near")
    assert all(run_rule(chosen, rule, lambda call: kind(near_misses(call))).green for rule in chosen.rules)


def test_every_near_miss_that_is_short_is_shown_to_its_last_field() -> None:
    near_misses = solutions(HOME / "notebooks" / "solutions" / "fence", "05")["near_misses"]
    chosen = load_board("fence.near")
    told = {rule.id: run_rule(chosen, rule, near_misses).got.words for rule in chosen.rules}
    assert [row for row, words in told.items() if "…" in words] == ["body-length"]
    assert '"priority": 1' in told["unknown-field"]


@pytest.mark.parametrize("student", [dict, iter, lambda call: None], ids=["payload", "iterator", "nothing"])
def test_what_is_no_list_of_near_misses_is_told_so_with_the_next_step(student: Any) -> None:
    words = near_miss(student, COMMENT, "ticket", "/action", ("schema.enum",)).words
    assert words.endswith("no list of payloads. Next: return [payload, …].")


# --- what the boards expect is what the kit does --------------------------------------------------------------------


def expectations(name: str) -> list[tuple[str, Any, Any]]:
    return [(rule.id, rule.handed(), json.loads(rule.expect)) for rule in load_board(name).rules]


def test_no_status_past_the_400s_is_a_proof_that_nothing_happened() -> None:
    chosen = load_board("fence.came_to")

    def one_too_far(answer: Any) -> str:
        if isinstance(answer, dict) and answer.get("status") == 500:
            return "failed"
        return judge_result(answer).state

    assert [one.id for one in chosen.rules if not run_rule(chosen, one, one_too_far).green] == ["server-error"]


@pytest.mark.parametrize(("row", "given", "expect"), expectations("fence.came_to"))
def test_an_answer_proves_on_the_board_what_it_proves_in_the_kit(row: str, given: list[Any], expect: str) -> None:
    assert judge_result(*given).state == expect


@pytest.mark.parametrize(("row", "given", "expect"), expectations("fence.next_step"))
def test_the_next_step_on_the_board_is_the_kits(row: str, given: list[Any], expect: str) -> None:
    codes, tries = given
    assert load_responses().action(codes, tries=tries, max_repairs=load_limits().max_repairs) == expect


def test_both_doors_in_one_are_the_contract() -> None:
    assert board("fence.two_doors", contract().judge, trial=True).green


def test_shows_why_the_fence_refused() -> None:
    fence = ToolFence(contract(), load_limits(), MemoryLedger())
    shown = refused(fence.run, {**COMMENT, "idempotency_key": "k"}, lambda payload: {"ok": True})
    assert repr(shown).startswith("refused\n  schema.pattern at /idempotency_key: ")
