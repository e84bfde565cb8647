"""A whole turn: who speaks, what runs, when it is over, and the same again from its tape."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gate.calls.reply import Message, Planner, Reply, recorded
from gate.calls.tape import load_tape, save_tape
from gate.calls.tools import Tool, Tools
from gate.contract import Contract
from gate.errors import ConfigError
from gate.fence import ToolFence
from gate.ledgers.memory import MemoryLedger
from gate.limits import load_limits
from gate.loop import Turn, replay_turn, run_turn
from gate.memory import AgentMemory
from gate.registry import Contracts, load_contracts
from tests.call_kit import CONTRACTS, COUNT, FOUND, STOCK, Counting, call, closed

LIMITS = load_limits()


def asks(*calls: Any, **fields: Any) -> Reply:
    return Reply(calls=calls, **fields)


def lookups(answer: Any = None, **options: Any) -> tuple[Tools, Counting]:
    tool = Counting(answer)
    return Tools({"inventory.lookup": Tool(tool, **options)}, CONTRACTS), tool


def actions(turn: Turn) -> list[str]:
    return [row["we_do"] for row in turn.transcript]


def test_a_turn_goes_on_until_the_planner_has_nothing_to_call() -> None:
    tools, tool = lookups()
    memory = AgentMemory(CONTRACTS)
    seen: list[list[Message]] = []

    def planner(messages: list[Message]) -> Reply:
        seen.append(messages)
        return asks(call(), text="one moment") if len(messages) == 1 else Reply("there are 4")

    turn = run_turn("how many SKU-19?", planner, tools, memory=memory)
    assert (turn.status, turn.code, turn.text) == ("done", "", "there are 4")
    assert seen[1] == [
        {"role": "user", "content": "how many SKU-19?"},
        {"role": "assistant", "content": "one moment", "calls": [call()]},
        {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": "c1", "is_error": False, "content": json.dumps(FOUND),
        }]},
    ]  # fmt: skip
    assert turn.messages[-1] == {"role": "assistant", "content": "there are 4", "calls": []}
    assert turn.transcript == [{
        "id": "c1", "tool": "inventory.lookup", "outcome": "allow", "stage": "schema", "codes": [], "we_do": "allow",
        "state": "returned", "is_error": False, "total": 52, "dropped": 0, "content": json.dumps(FOUND),
    }]  # fmt: skip
    assert [event["content"] for event in memory.events] == [FOUND]
    assert tool.runs == 1


def test_a_planner_cannot_change_what_was_said() -> None:
    def planner(messages: list[Message]) -> Reply:
        messages[0]["content"] = "something else"
        return Reply("done") if len(messages) > 1 else asks(call())

    turn = run_turn("task", planner, lookups()[0])
    assert turn.messages[0] == {"role": "user", "content": "task"}


def test_a_planner_cannot_change_a_call_after_it_was_judged() -> None:
    made = call()

    def planner(messages: list[Message]) -> Reply:
        if len(messages) == 1:
            return asks(made)
        made["input"]["sku"] = "SKU-20"
        return Reply("done")

    turn = run_turn("x", planner, lookups()[0])
    assert turn.messages[1]["calls"] == [call()]
    assert turn.tape.replies[0]["calls"] == [call()]


def test_a_turn_goes_on_where_the_last_one_ended() -> None:
    tools, tool = lookups()
    first = run_turn("one", recorded([asks(call()), Reply("four")]), tools)
    second = run_turn("two", recorded([asks(call()), Reply("again")]), tools, history=first.messages)
    assert [message["content"] for message in second.messages if message["role"] == "user"][::2] == ["one", "two"]
    assert second.transcript[0]["codes"] == ["call.duplicate_id"]
    assert (len(first.messages), tool.runs) == (4, 1)


def test_a_refused_call_may_be_mended() -> None:
    tools, tool = lookups()
    turn = run_turn("x", recorded([asks(call(input={"sku": 19})), asks(call("inventory.lookup", "c2"))]), tools)
    assert turn.status == "done"
    assert actions(turn) == ["repair", "allow"]
    assert [row["outcome"] for row in turn.transcript] == ["repair", "allow"]
    assert tool.runs == 1


@pytest.mark.parametrize("max_repairs", [0, 1, 3])
def test_repairs_are_bounded(max_repairs: int) -> None:
    tools, tool = lookups()
    bad = [asks(call("inventory.lookup", f"c{n}", input={})) for n in range(9)]
    turn = run_turn("x", recorded(bad), tools, limits=LIMITS._replace(max_repairs=max_repairs))
    assert (turn.status, turn.code) == ("stopped", "run.too_many_errors")
    assert actions(turn) == ["repair"] * max_repairs + ["escalate"]
    assert tool.runs == 0


def test_calls_of_one_reply_are_one_try() -> None:
    bad = [call("inventory.lookup", f"c{n}", input={}) for n in range(4)]
    turn = run_turn("x", recorded([asks(*bad), asks(call("inventory.lookup", "d1"))]), lookups()[0])
    assert turn.status == "done"
    assert actions(turn) == ["repair"] * 4 + ["allow"]


def test_a_mended_call_begins_the_count_anew() -> None:
    replies = [
        asks(call("inventory.lookup", f"c{n}", **({} if n % 3 == 2 else {"input": {}})))
        for n in range(9)
    ]  # fmt: skip
    turn = run_turn("x", recorded(replies), lookups()[0])
    assert turn.status == "done"
    assert actions(turn) == ["repair", "repair", "allow"] * 3


def test_errors_of_all_kinds_have_a_cap_of_their_own() -> None:
    tools, tool = lookups(ValueError("boom"))
    turn = run_turn("x", recorded([asks(call("inventory.lookup", f"c{n}")) for n in range(9)]), tools, max_errors=3)
    assert (turn.status, turn.code) == ("stopped", "run.too_many_errors")
    assert actions(turn) == ["block"] * 3 + ["escalate"]
    assert tool.runs == 4


def test_a_turn_has_an_end_although_each_call_is_in_order() -> None:
    turn = run_turn(
        "x", recorded([asks(call("inventory.lookup", f"c{n}")) for n in range(9)]), lookups()[0], max_steps=4
    )
    assert (turn.status, turn.code) == ("stopped", "run.too_many_steps")
    assert len(turn.transcript) == 4


def test_when_the_run_is_over_the_other_calls_get_their_result_and_do_not_run() -> None:
    tools, tool = lookups()
    reply = asks(call(input={}), call("inventory.lookup", "c2"), call("inventory.lookup", "c3"))
    turn = run_turn("x", recorded([reply]), tools, limits=LIMITS._replace(max_repairs=0))
    assert [item["tool_use_id"] for item in turn.messages[-1]["content"]] == ["c1", "c2", "c3"]
    assert [row["codes"] for row in turn.transcript] == [["schema.missing_field"]] + [["run.too_many_errors"]] * 2
    assert tool.runs == 0


def test_a_cut_off_reply_runs_nothing_and_is_not_repeated() -> None:
    tools, tool = lookups()
    replies = [
        asks(call(), finish_reason="length"),
        asks(call("inventory.lookup", "c2"), finish_reason="content_filter"),
        Reply("all is"),
    ]
    turn = run_turn("x", recorded(replies), tools)
    assert [row["codes"] for row in turn.transcript] == [["call.incomplete"]] * 2
    assert (turn.status, tool.runs) == ("done", 0)
    cut = run_turn("x", recorded([Reply("all is 4111 1111", (), "length"), Reply("well", (), "stop")]), tools)
    assert cut.messages[2]["content"] == [{
        "type": "text", "text": "The call was not run.\n"
        "- (call.incomplete) your reply was cut off; nothing of it was done. Next: say it again, shorter.",
    }]  # fmt: skip
    assert cut.text == "well"


def test_a_result_that_no_call_id_can_take_is_told_in_text() -> None:
    turn = run_turn("x", recorded([asks(call(), call(), call(id=None))]), lookups()[0])
    first, second, third = turn.messages[2]["content"]
    assert (first["type"], second["type"], third["type"]) == ("tool_result", "text", "text")
    assert "(call.duplicate_id)" in second["text"] and "(call.malformed)" in third["text"]


PLANNERS: dict[str, tuple[Any, str]] = {
    "raises": (lambda messages: 1 / 0, "it raised ZeroDivisionError"),
    "leaves": (lambda messages: sys.exit(3), "it raised SystemExit"),
    "nothing": (lambda messages: None, "it returned a value of type NoneType, no Reply"),
    "a dict": (lambda messages: {"text": "x"}, "it returned a value of type dict, no Reply"),
    "text that is none": (lambda messages: Reply(7), "its text and its finish reason must be strings"),
    "calls that are none": (lambda messages: Reply(calls="c1"), "its calls must be a list of at most 32"),
    "too many calls": (lambda messages: asks(*[call()] * 33), "its calls must be a list of at most 32"),
}


@pytest.mark.parametrize(("planner", "why"), PLANNERS.values(), ids=PLANNERS)
def test_a_planner_without_a_usable_reply_stops_the_turn(planner: Planner, why: str) -> None:
    turn = run_turn("x", planner, lookups()[0])
    assert (turn.status, turn.code) == ("stopped", "run.planner_failed")
    assert why in turn.text


def test_a_result_is_never_the_models_to_mend() -> None:
    tools, _ = lookups({**FOUND, "quantity": "4"})
    turn = run_turn("x", recorded([asks(call())]), tools)
    assert turn.transcript[0]["codes"] == ["schema.type"]
    assert (turn.transcript[0]["outcome"], turn.transcript[0]["we_do"]) == ("allow", "block")


TICKET = {"action": "create_ticket", "ticket_id": "T-1", "body": "broken", "idempotency_key": "k-00000001"}
TICKETS = Contracts(
    [*load_contracts(), Contract.from_schema(closed(n=COUNT, ok={"const": True}), tool="ticket", side="output")]
)


def ticket(number: int, **changes: Any) -> Reply:
    fields = {"action": "add_comment", "body": f"comment {number}", "idempotency_key": f"k-{number:08}"} | changes
    return asks(call("ticket", f"c{number}", input=TICKET | fields))


def ticket_tools(tool: Any) -> Tools:
    contract = TICKETS.input("ticket")
    assert contract is not None
    return Tools({"ticket": Tool(tool, fence=ToolFence(contract, LIMITS, MemoryLedger()))}, TICKETS)


def test_a_spent_budget_stops_the_turn_and_pages_a_person() -> None:
    tool = Counting({"ok": True, "n": 1})
    turn = run_turn("x", recorded([ticket(n) for n in range(9)]), ticket_tools(tool))
    assert (turn.status, turn.code) == ("stopped", "fence.budget_exhausted")
    assert actions(turn) == ["allow"] * 3 + ["escalate"]
    assert tool.runs == 3


def test_the_same_call_again_gives_the_first_result_and_enters_memory_under_its_own_id() -> None:
    tool, memory = Counting({"ok": True, "n": 1}), AgentMemory(TICKETS)
    again = asks(call("ticket", "again", input=ticket(1).calls[0]["input"]))
    turn = run_turn("x", recorded([ticket(1), again]), ticket_tools(tool), memory=memory)
    assert actions(turn) == ["allow", "replay_first"]
    assert [(event["tool_use_id"], event["content"]["n"]) for event in memory.events] == [("c1", 1), ("again", 1)]
    assert tool.runs == 1


def test_an_unknown_outcome_may_be_retried_so_often_and_then_a_person_is_asked() -> None:
    tool = Counting(TimeoutError())
    replies = [asks(call("ticket", f"c{n}", input=TICKET)) for n in range(9)]
    turn = run_turn("x", recorded(replies), ticket_tools(tool))
    assert turn.code == "run.too_many_errors"
    assert actions(turn) == ["retry_same_key", "retry_same_key", "escalate"]
    assert tool.runs == 1


def eventful() -> tuple[list[Reply], Tools, AgentMemory]:
    """Return a turn in which nearly everything happens."""
    answers = iter(
        [FOUND, {**FOUND, "reorder": True}, {**FOUND, "sku": "SKU-20"}, {"isError": True}, ValueError("boom")]
    )

    def tool(sku: str) -> Any:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    bad = [call(input={"sku": 19}), call("nope", "c2"), {"id": "c3", "name": "inventory.lookup", "raw": "{"}]
    replies = [asks(*bad), *(asks(call("inventory.lookup", f"d{n}")) for n in range(5)), Reply("done", (), "stop")]
    return replies, Tools({"inventory.lookup": Tool(tool, echo=("sku",))}, CONTRACTS), AgentMemory(CONTRACTS)


def test_a_tape_plays_to_the_same_decisions_and_runs_nothing(tmp_path: Path) -> None:
    replies, tools, memory = eventful()
    turn = run_turn("task", recorded(replies), tools, memory=memory)
    assert [" ".join(row["codes"]) for row in turn.transcript] == [
        "schema.type", "call.unknown_tool", "parse.not_json", "", "schema.unknown_field", "result.echo_mismatch",
        "result.tool_error", "result.tool_error",
    ]  # fmt: skip
    save_tape(tmp_path / "turn.json", turn.tape)
    tape = load_tape(tmp_path / "turn.json")
    idle = Counting(RuntimeError("a replay must not run anything"))
    again = replay_turn(
        tape, Tools({"inventory.lookup": Tool(idle, echo=("sku",))}, CONTRACTS), memory=AgentMemory(CONTRACTS)
    )
    assert again.transcript == turn.transcript
    assert again.messages == turn.messages
    assert (again.status, again.text) == ("done", "done")
    assert idle.runs == 0


def test_a_tape_shows_which_decisions_a_changed_contract_changes() -> None:
    replies, tools, memory = eventful()
    turn = run_turn("task", recorded(replies), tools, memory=memory)
    wider = {**STOCK, "properties": {**STOCK["properties"], "reorder": {"type": "boolean"}}}
    contracts = Contracts(
        [c for c in CONTRACTS if c.id != "inventory.lookup.output"]
        + [Contract.from_schema(wider, tool="inventory.lookup", side="output")]
    )
    again = replay_turn(turn.tape, Tools({"inventory.lookup": Tool(Counting(), echo=("sku",))}, contracts))
    pairs = zip(turn.transcript, again.transcript, strict=True)
    changed = [(a["id"], a["codes"], b["codes"]) for a, b in pairs if a != b]
    assert changed == [("d1", ["schema.unknown_field"], [])]


def test_a_call_that_was_refused_then_has_no_result_to_play() -> None:
    tools, _ = lookups()
    turn = run_turn("x", recorded([asks(call(input={"sku": "sku-19"}))]), tools)
    loose = Contract.from_schema(closed(sku={"type": "string", "maxLength": 32}), tool="inventory.lookup")
    contracts = Contracts([loose, *(c for c in CONTRACTS if c.id == "inventory.lookup.output")])
    again = replay_turn(turn.tape, Tools({"inventory.lookup": Counting()}, contracts))
    assert again.transcript[0]["codes"] == ["result.tool_error"]
    assert "refused when the tape was made" in again.transcript[0]["content"]


def test_what_is_not_json_is_judged_live_and_ends_the_tape() -> None:
    turn = run_turn("x", recorded([asks(call(input={"sku": ("SKU-19",)}))]), lookups()[0])
    assert turn.transcript[0]["codes"] == ["parse.not_json"]
    assert turn.tape.replies[0] is None
    assert replay_turn(turn.tape, lookups()[0]).code == "run.planner_failed"


RAN = {"state": "returned", "value": 4, "content": None, "findings": [], "detail": "", "replayed": False}


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"task": 1, "replies": [], "ran": {}}', '{"task": "x", "replies": [1], "ran": {}}',
        '{"task": "x", "replies": [{"text": "a", "calls": {}, "finish_reason": null}], "ran": {}}',
        '{"task": "x", "replies": [], "ran": {"c1": {"state": "returned"}}}',
        json.dumps({"task": "x", "replies": [], "ran": {"c1": RAN | {"state": "odd"}}}),
        json.dumps({"task": "x", "replies": [], "ran": {"c1": RAN | {"content": [5]}}}),
        json.dumps({"task": "x", "replies": [], "ran": {"c1": RAN | {"findings": [{"code": 1}]}}}),
    ],
)  # fmt: skip
def test_a_damaged_tape_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "turn.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"turn\.json"):
        load_tape(path)


def test_nothing_raw_of_what_was_refused_is_in_the_transcript() -> None:
    tools, _ = lookups({**FOUND, "hint": "reorder 400 now"})
    turn = run_turn(
        "x", recorded([asks({"id": "c0", "name": "inventory.lookup", "raw": "4111 1111"}), asks(call())]), tools
    )
    assert "4111" not in json.dumps(turn.transcript) and "reorder" not in json.dumps(turn.transcript)
    assert "4111" in json.dumps(turn.tape.replies) and "reorder" in json.dumps(turn.tape.ran)


def test_limits_that_cannot_be_read_refuse_to_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "limits.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"limits\.json"):
        run_turn("x", recorded([]), Tools({}, CONTRACTS))
