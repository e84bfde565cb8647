"""One call, end to end."""

from __future__ import annotations

import _thread
import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.calls.running import Returned
from gate.calls.step import UNIDENTIFIED
from gate.calls.tools import Tool, Tools
from gate.contract import Contract
from gate.decision import Decision, block
from gate.errors import ConfigError, finding
from gate.fence import ToolFence
from gate.harness import Harness, run_tool
from gate.ledgers.memory import MemoryLedger
from gate.limits import load_limits
from gate.memory import AgentMemory
from gate.pipeline import Pipeline
from gate.registry import Contracts, load_contracts
from gate.store import StoreGate
from tests.call_kit import CONTRACTS, COUNT, FOUND, Counting, call, closed, returning
from tests.hostile import Raising, unnamed_error

REFUND = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": "damaged on delivery"}


def lookup(answer: Any = None, **options: Any) -> dict[str, Any]:
    return run_tool(call(), {"inventory.lookup": Counting(answer)}, CONTRACTS, **options)


def test_an_accepted_call_runs_and_its_result_is_json_text() -> None:
    tool = Counting()
    result = run_tool(call(), {"inventory.lookup": tool}, CONTRACTS)
    assert result == {
        "type": "tool_result", "tool_use_id": "c1", "is_error": False,
        "content": '{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}',
    }  # fmt: skip
    assert tool.seen == [{"sku": "SKU-19"}]


@pytest.mark.parametrize("arguments", [{"arguments": {"sku": "SKU-19"}}, {"raw": ' {"sku": "SKU-19"}\n'}])
def test_arguments_may_be_an_object_or_the_models_own_text(arguments: dict[str, Any]) -> None:
    tool = Counting()
    run_tool(call(input=None, **arguments), {"inventory.lookup": tool}, CONTRACTS)
    assert tool.seen == [{"sku": "SKU-19"}]


# The messages are pinned: they are what a model gets to mend its call with.
BAD_CALLS = {
    "no arguments": (
        call(input=None),
        "inventory.lookup was not run.\n"
        "- /arguments (call.malformed) a call needs arguments, once. Next: send {} if it has none.",
    ),
    "no id": (
        call(id=None),
        "inventory.lookup was not run.\n"
        "- /id (call.malformed) a call needs an id: 1 to 128 printable ASCII characters. "
        "Next: send the id that came with the call.",
    ),
    "unknown tool": (
        call("inventory_lookup"),
        "The call was not run.\n"
        '- /name (call.unknown_tool) there is no tool named "inventory_lookup". '
        "Next: use one of: inventory.lookup, refund_order.",
    ),
    "arguments in a string": (
        call(input='{"sku": "SKU-19"}'),
        "inventory.lookup was not run.\n"
        "- /input (parse.not_object) input is a string: parse it once before you judge it. "
        "Next: send the object itself, or hand the text in as raw.",
    ),
    "three faults at once": (
        call("refund_order", input={**REFUND, "amount": "19.00", "currency": "US", "notify": True}),
        "refund_order was not run.\n"
        "- /amount (schema.type) amount must be a number, got a string. "
        'Next: send a bare number: 4, not "4"; nothing is converted.\n'
        "- /currency (schema.enum) currency is not one of the allowed values. "
        'Next: send one of "USD", "EUR", "GBP", spelt exactly so.\n'
        "- /notify (schema.unknown_field) unknown field notify. "
        "Next: remove it; allowed: amount, currency, order_id, reason.",
    ),
    "cut off": (
        call("refund_order", input=None, raw='{"order_id": "ord_1842", "am', finish_reason="length"),
        "refund_order was not run.\n"
        "- (call.incomplete) the call was cut off: the finish reason is length. "
        "Next: send it again, shorter or with more room.",
    ),
}


@pytest.mark.parametrize(("bad", "message"), BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_bad_call_is_told_all_its_problems_in_one_message_and_never_runs(bad: dict[str, Any], message: str) -> None:
    tool = Counting()
    result = run_tool(bad, {"inventory.lookup": tool, "refund_order": tool}, CONTRACTS)
    assert result["content"] == message
    assert result["is_error"] is True
    assert result["tool_use_id"] == bad.get("id", UNIDENTIFIED)
    assert tool.runs == 0


@pytest.mark.parametrize(
    "bad",
    [
        None, 7, "call", [], {}, {"id": "c1"}, {"name": "inventory.lookup"}, call(name=["f"]), call(name={"a": 1}),
        call(input=float("nan")), call(input={"sku": float("nan")}), call(input={1: 2}), call(id=["c1"]), call(id=""),
        call(arguments={"sku": "SKU-19"}), call(input=b"{}"), call(extra=1), call(input={"sku": "SKU-19\n"}),
    ],
    ids=str,
)  # fmt: skip
def test_whatever_is_no_call_is_an_error_result(bad: Any) -> None:
    tool = Counting()
    assert run_tool(bad, {"inventory.lookup": tool}, CONTRACTS)["is_error"] is True
    assert tool.runs == 0


@pytest.mark.parametrize("reason", ["length", "content_filter", "soon", 7, ["stop"]], ids=str)
def test_a_finish_reason_that_is_not_known_to_be_whole_is_a_cut_off(reason: Any) -> None:
    tool = Counting()
    result = run_tool(call(finish_reason=reason), {"inventory.lookup": tool}, CONTRACTS)
    assert "(call.incomplete)" in result["content"]
    assert tool.runs == 0
    assert run_tool(call(finish_reason="stop"), {"inventory.lookup": tool}, CONTRACTS)["is_error"] is False


text = st.text(st.characters(), max_size=9)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["id", "name", "input", "arguments", "raw", "finish_reason", "type", "x"])


@settings(max_examples=150)
@given(json_like | st.dictionaries(keys, json_like), json_like)
def test_no_call_and_no_result_of_any_shape_raises(made: Any, answer: Any) -> None:
    tool = Counting()
    result = run_tool(made, {"inventory.lookup": tool}, CONTRACTS)
    assert result["is_error"] is True and tool.runs == 0
    told = run_tool(call("count", input={"n": 1}), {"count": returning(lambda: answer)}, CONTRACTS)
    assert told["tool_use_id"] == "c1"
    assert isinstance(told["content"], str) and len(told["content"]) <= 2000


def test_an_id_is_used_once() -> None:
    seen: set[str] = set()
    tool = Counting()
    first = run_tool(call(), {"inventory.lookup": tool}, CONTRACTS, seen=seen)
    second = run_tool(call(input={"sku": "SKU-20"}), {"inventory.lookup": tool}, CONTRACTS, seen=seen)
    assert (first["is_error"], second["is_error"]) == (False, True)
    assert "(call.duplicate_id)" in second["content"]
    assert tool.runs == 1


def test_an_id_that_memory_has_a_result_for_never_runs_again(tmp_path: Path) -> None:
    path, tool = tmp_path / "memory.jsonl", Counting()
    for _ in range(2):
        memory = AgentMemory(CONTRACTS, path)
        result = run_tool(call(), {"inventory.lookup": tool}, CONTRACTS, memory=memory)
    assert "(call.duplicate_id)" in result["content"]
    assert tool.runs == 1
    assert len(memory.events) == 1


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


def quit_() -> None:
    raise SystemExit(3)


def broken(error: BaseException) -> Callable[[], Any]:
    def tool() -> Any:
        raise error

    return tool


async def asynchronous() -> dict[str, Any]:
    return FOUND


FAILING: dict[str, tuple[Callable[[], Any], str]] = {
    "ValueError": (broken(ValueError("boom")), "raised ValueError.|The tool said: ValueError: boom"),
    "KeyboardInterrupt": (broken(KeyboardInterrupt()), "raised KeyboardInterrupt.|The tool said: KeyboardInterrupt"),
    "SystemExit": (quit_, "raised SystemExit.|The tool said: SystemExit: 3"),
    "GeneratorExit": (broken(GeneratorExit()), "raised GeneratorExit."),
    "a text that raises": (broken(Mute()), "raised Mute.|its text cannot be read"),
    "RecursionError": (broken(RecursionError("deep")), "raised RecursionError."),
    "generator": (lambda: (n for n in (1,)), "(result.not_json)"),
    "coroutine": (asynchronous, "it returned a coroutine, and nothing of it ran.|(result.not_json)"),
    "bytes": (lambda: b'{"n": 1}', "(result.not_json)"),
    "object": (object, "(result.not_json)"),
    "set": (lambda: {1}, "(result.not_json)"),
    "tuple": (lambda: (1, 2), "(result.not_json)"),
    "NaN": (lambda: {"n": float("nan")}, "(parse.non_finite)"),
    "a loop": (lambda: (loop := [], loop.append(loop), loop)[2], "(parse.depth)"),
}


@pytest.mark.parametrize(("answer", "parts"), FAILING.values(), ids=FAILING)
@pytest.mark.parametrize("name", ["count", "inventory.lookup"])
def test_whatever_a_tool_does_there_is_one_error_result(name: str, answer: Callable[[], Any], parts: str) -> None:
    made = call(name, input={"n": 1} if name == "count" else {"sku": "SKU-19"})
    result = run_tool(made, {name: returning(answer)}, CONTRACTS)
    assert (result["tool_use_id"], result["is_error"]) == ("c1", True)
    assert all(part in result["content"] for part in [name, *parts.split("|")])


def test_an_error_text_is_redacted_scrubbed_and_short() -> None:
    secret = "POST https://api.x/v1?api_key=sk-live-SECRET123 failed for /home/ann/.netrc \x1b[31m"
    content = lookup(RuntimeError(secret + "IGNORE ALL " * 500))["content"]
    assert "SECRET" not in content and "/home/ann" not in content and "\x1b" not in content
    assert len(content) < 1000


@pytest.mark.parametrize("run_by", [lookup, lambda tool: ticket(Harness(fenced(lambda **_: tool())), "c1")])
def test_a_person_may_interrupt(run_by: Callable[[Any], Any]) -> None:
    def interrupted() -> None:
        _thread.interrupt_main()
        threading.Event().wait(5)

    with pytest.raises(KeyboardInterrupt):
        run_by(interrupted)


def test_what_breaks_beside_a_tool_is_no_exception_either() -> None:
    class Leaving(AgentMemory):
        def append_tool_result(self, *_: object) -> dict[str, Any]:
            raise SystemExit

    class Tools(dict[str, Any]):
        def items(self) -> Any:
            raise SystemExit

    tools = {"inventory.lookup": lambda sku: FOUND}
    for result in (
        run_tool(call(), tools, CONTRACTS, memory=Leaving(CONTRACTS)), run_tool(call(), Tools(tools), CONTRACTS),
    ):  # fmt: skip
        assert result["is_error"] is True
        assert "the call could not be carried out to its end: SystemExit." in result["content"]


def test_a_tool_that_does_not_return_is_left_behind() -> None:
    free = threading.Event()
    result = lookup(lambda: free.wait(30), max_wall_ms=20)
    free.set()
    assert result["content"].startswith("inventory.lookup may or may not have taken effect.\n- (result.tool_error)")
    assert "did not answer within 20 ms" in result["content"]


def test_a_tool_gets_a_copy_and_changes_nothing() -> None:
    def greedy(sku: str, **more: Any) -> dict[str, Any]:
        return {**FOUND, **more}

    made = call()
    memory = AgentMemory(CONTRACTS)
    answer = dict(FOUND)
    run_tool(made, {"inventory.lookup": lambda sku: answer}, CONTRACTS, memory=memory)
    answer["quantity"] = 10**6
    assert memory.events[0]["content"] == FOUND
    assert made == call()
    assert run_tool(call(), {"inventory.lookup": greedy}, CONTRACTS)["is_error"] is False


FAILURES: dict[str, Any] = {
    "isError": {"isError": True, "content": [{"type": "text", "text": "upstream 503"}]},
    "is_error": {**FOUND, "is_error": True},
    "isError that is no boolean": {**FOUND, "isError": "true"},
    "ok false": {"ok": False},
    "success false": {"success": False},
    "error": {"error": "boom"},
    "status 503": {"status": 503, "body": "x"},
    "statusCode 404": {"statusCode": 404},
    "an MCP reply": Returned({"error": {"code": 7}}, [{"type": "text", "text": "needs admin"}], failed=True),
}


@pytest.mark.parametrize("answer", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("name", ["count", "inventory.lookup"])
def test_a_result_that_says_it_failed_is_an_error_and_no_fact(name: str, answer: Any) -> None:
    memory = AgentMemory(CONTRACTS)
    made = call(name, input={"n": 1} if name == "count" else {"sku": "SKU-19"})
    result = run_tool(made, {name: returning(lambda: answer)}, CONTRACTS, memory=memory)
    assert result["is_error"] is True
    assert result["content"].startswith(f"{name} ran and failed.\n- (result.tool_error) {name} says that it failed.")
    assert memory.events == ()


def test_the_first_cause_is_told_first() -> None:
    answer = Returned({"error": {"code": 7}}, [{"type": "text", "text": "needs admin"}, {"type": "odd"}], failed=True)
    content = lookup(lambda: answer)["content"]
    assert "schema." not in content


@pytest.mark.parametrize("status", [200, 404, 503])
def test_a_status_that_the_contract_declares_is_the_contracts_business(status: int) -> None:
    contracts = Contracts(
        [
            Contract.from_schema(closed(n=COUNT), tool="probe"),
            Contract.from_schema(closed(status=COUNT), tool="probe", side="output"),
        ]
    )
    result = run_tool(call("probe", input={"n": 1}), {"probe": lambda n: {"status": status}}, contracts)
    assert (result["content"], result["is_error"]) == (f'{{"status": {status}}}', False)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({**FOUND, "quantity": "4"}, "schema.type"),
        ({**FOUND, "reorder": True}, "schema.unknown_field"),
        ({"sku": "SKU-19", "quantity": 4}, "schema.missing_field"),
        ("Error opening project: list index out of range", "parse.not_json"),
        ('"Error opening project"', "parse.not_object"),
        ('{"sku": "SKU-19", "sku": "SKU-20", "quantity": 4, "warehouse": "sfo"}', "parse.duplicate_key"),
        ([FOUND], "parse.not_object"),
        (lambda: None, "parse.not_object"),
    ],
    ids=lambda value: "a function" if callable(value) else str(value),  # no address: workers must agree on the names
)  # fmt: skip
def test_a_result_that_its_contract_refuses_is_no_fact(answer: Any, code: str) -> None:
    memory = AgentMemory(CONTRACTS)
    result = lookup(answer, memory=memory)
    assert result["is_error"] is True
    assert result["content"].startswith("inventory.lookup ran, but its result was refused: it is no fact")
    assert f"({code})" in result["content"]
    assert memory.events == ()
    assert [row["codes"] for row in memory.quarantined] == [[code]]


def test_a_result_may_be_json_text() -> None:
    memory = AgentMemory(CONTRACTS)
    assert lookup('{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}', memory=memory)["is_error"] is False
    assert memory.events[0]["content"] == FOUND


def test_a_result_must_be_about_what_was_asked() -> None:
    memory = AgentMemory(CONTRACTS)
    tools = {"inventory.lookup": Tool(Counting({**FOUND, "sku": "SKU-20"}), echo=("sku",))}
    result = run_tool(call(), tools, CONTRACTS, memory=memory)
    assert "- /sku (result.echo_mismatch) inventory.lookup answered about another sku than" in result["content"]
    assert result["is_error"] is True
    assert memory.events == ()
    assert memory.quarantined[0]["codes"] == ["result.echo_mismatch"]
    tools = {"inventory.lookup": Tool(Counting(), echo=("sku",))}
    assert run_tool(call(), tools, CONTRACTS, memory=memory)["is_error"] is False
    assert [event["tool_use_id"] for event in memory.events] == ["c1"]


def test_a_tool_without_a_result_contract_writes_no_memory() -> None:
    memory = AgentMemory(CONTRACTS)
    made = call("count", input={"n": 1})
    assert run_tool(made, {"count": lambda n: {"n": n}}, CONTRACTS)["content"] == '{"n": 1}'
    result = run_tool(made, {"count": lambda n: {"n": n}}, CONTRACTS, memory=memory)
    assert "(result.no_contract)" in result["content"]
    assert memory.events == ()


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def test_pictures_pass_beside_the_judged_value_and_unjudged_text_does_not() -> None:
    claim = {"type": "text", "text": "SKU-19: 400 left, reorder now"}
    judged = '{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}'
    result = lookup(lambda: Returned(FOUND, [claim, IMAGE]))
    assert result["content"] == [{"type": "text", "text": judged}, IMAGE]
    assert lookup(lambda: Returned(FOUND, [claim]))["content"] == judged


def test_one_text_block_may_be_the_result() -> None:
    whole = {"type": "text", "text": '{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}'}
    assert lookup(lambda: Returned(content=[whole]))["is_error"] is False
    assert "(parse.not_object)" in lookup(lambda: Returned(content=[whole, whole]))["content"]


def test_content_blocks_of_a_tool_without_result_contract_pass() -> None:
    blocks = [{"type": "text", "text": "one"}, IMAGE]
    result = run_tool(call("count", input={"n": 1}), {"count": lambda n: blocks}, CONTRACTS)
    assert (result["content"], result["is_error"]) == (blocks, False)


def test_tools_that_do_not_fit_are_not_the_models_fault() -> None:
    result = run_tool(call(), {"inventory.lookup": lambda item: item}, CONTRACTS)
    assert result["is_error"] is True
    assert result["content"].startswith("Nothing ran: the tool inventory.lookup requires item, which its contract")
    assert "(contract.signature)" in result["content"]
    assert "no fault of your call" in result["content"]
    names: Any = {1: print, "inventory.lookup": Counting()}
    assert run_tool(call(), names, CONTRACTS)["content"].startswith("Nothing ran: a value of type int names a tool.")


@pytest.mark.parametrize(("what", "value"), [("limit", 0), ("limit", 2.5), ("max_wall_ms", -1), ("max_wall_ms", True)])
def test_a_limit_that_is_none_is_the_kits_fault_and_nothing_runs(what: str, value: Any) -> None:
    tool = Counting()
    result = run_tool(call(), {"inventory.lookup": tool}, CONTRACTS, **{what: value})
    assert result["content"].startswith(f"Nothing ran: {what} is {value}.")
    assert tool.runs == 0
    with pytest.raises(ConfigError, match=what):
        Harness(Tools({}, CONTRACTS), **{what: value})


def test_the_gates_are_asked_after_the_contracts_and_see_the_text_as_written() -> None:
    tool = Counting({"ok": True})
    contracts = load_contracts()
    pipeline = Pipeline(contracts, ("schema", "store"), store=StoreGate())
    raw = '{"order_id": "ord_1842", "amount": 19.000000000000001, "currency": "USD", "reason": "damaged on delivery"}'
    made = call("refund_order", input=None, raw=raw)
    result = run_tool(made, {"refund_order": tool}, contracts, judge=pipeline.judge)
    assert "(store.precision)" in result["content"]
    assert tool.runs == 0
    made["raw"] = raw.replace("19.000000000000001", "19.00")
    assert run_tool(made, {"refund_order": tool}, contracts, judge=pipeline.judge)["is_error"] is False
    assert tool.seen == [REFUND]


def raising(tool: str, raw: Any) -> Decision:
    raise RuntimeError


JUDGES: dict[str, tuple[Any, str]] = {
    "raises": (raising, "they raised RuntimeError"),
    "leaves": (lambda tool, raw: quit_(), "they raised SystemExit"),
    "says yes": (lambda tool, raw: True, "they gave no decision"),
    "allows nothing": (lambda tool, raw: Decision("allow", "semantic"), "they gave no decision"),
    "refuses": (
        lambda tool, raw: block("semantic", [finding("semantic.refused", "", "a wish is no cause.")]),
        "(semantic.refused) a wish is no cause.",
    ),
}


@pytest.mark.parametrize(("judge", "why"), JUDGES.values(), ids=JUDGES)
def test_any_doubt_of_the_gates_is_a_block(judge: Any, why: str) -> None:
    tool = Counting()
    result = run_tool(call(), {"inventory.lookup": tool}, CONTRACTS, judge=judge)
    assert result["content"].startswith("inventory.lookup was not run.")
    assert why in result["content"]
    assert tool.runs == 0


def test_a_memory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    memory = AgentMemory(CONTRACTS, tmp_path / "memory.jsonl")
    (tmp_path / "memory.jsonl").mkdir()
    result = lookup(memory=memory)
    assert result["content"].startswith("The call may or may not have taken effect.")
    assert "tell a person" in result["content"]


TICKET = {"action": "create_ticket", "ticket_id": "T-1", "body": "broken", "idempotency_key": "k-00000001"}


def fenced(function: Any, ledger: MemoryLedger | None = None) -> Tools:
    contracts = load_contracts()
    contract = contracts.input("ticket")
    assert contract is not None
    fence = ToolFence(contract, load_limits(), ledger or MemoryLedger())
    return Tools({"ticket": Tool(function, fence=fence)}, contracts)


def ticket(harness: Harness, identity: str, **changes: Any) -> Any:
    return harness.take(call("ticket", identity, input=TICKET | changes))


def test_a_mutation_runs_behind_its_fence() -> None:
    tool = Counting({"ok": True, "n": 1})
    harness = Harness(fenced(tool))
    first, again = ticket(harness, "c1"), ticket(harness, "c2")
    reused = ticket(harness, "c3", body="other")
    assert json.loads(first.result["content"]) == json.loads(again.result["content"]) == {"n": 1, "ok": True}
    assert (first.ran.replayed, again.ran.replayed) == (False, True)
    assert reused.codes == ("fence.key_reused",)
    assert reused.result["content"].startswith("ticket was not run.\n- /idempotency_key (fence.key_reused)")
    assert tool.seen == [TICKET]


@pytest.mark.parametrize(
    ("answer", "code", "headline"),
    [
        (ConnectionRefusedError(), "fence.tool_failed", "ticket ran and failed."),
        (TimeoutError(), "fence.unknown_outcome", "ticket may or may not have taken effect."),
        (Returned(failed=True), "fence.tool_failed", "ticket ran and failed."),
        ({"ok": False}, "fence.tool_failed", "ticket ran and failed."),
    ],
    ids=str,
)
def test_what_a_fenced_tool_came_to_is_told_exactly(answer: Any, code: str, headline: str) -> None:
    step = ticket(Harness(fenced(Counting(answer))), "c1")
    assert step.codes == (code,)
    assert step.result["content"].startswith(headline)


class OddFence:
    def run(self, payload: Any, mutate: Any) -> dict[str, Any]:
        return {"ok": "yes"}


def test_a_fence_that_breaks_its_promise_leaves_the_outcome_open() -> None:
    tools = {"ticket": Tool(Counting(), fence=OddFence())}
    result = run_tool(call("ticket", input=TICKET), tools, load_contracts())
    assert result["content"].startswith("ticket may or may not have taken effect.\n- (fence.unavailable)")


def test_an_asynchronous_tool_behind_a_fence_is_refused_before_anything_ran() -> None:
    async def later(**payload: Any) -> dict[str, bool]:
        return {"ok": True}

    ledger = MemoryLedger()
    step = ticket(Harness(fenced(later, ledger)), "c1")
    assert step.codes == ("result.not_json",)
    assert step.result["content"].startswith("ticket ran and failed.")
    assert ledger.entries() == []


def test_a_fenced_result_that_cannot_be_looked_at_holds_its_key() -> None:
    effects = []

    def act(**payload: Any) -> Any:
        effects.append(payload)
        return Raising()

    harness = Harness(fenced(act))
    assert [ticket(harness, identity).codes for identity in ("c1", "c2")] == [("fence.unknown_outcome",)] * 2
    assert len(effects) == 1


class Leaves(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


class Cancels(Exception):
    def __str__(self) -> str:
        raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (unnamed_error, "raised Unnamed.|The tool said: Unnamed: boom"),
        (Leaves(), "raised an exception that cannot be told."),
        (Cancels(), "raised Cancels.|The tool said: Cancels (its text cannot be read: CancelledError)"),
    ],
    ids=["name", "text interrupts", "text cancels"],
)
def test_an_exception_that_raises_when_it_is_told_of_is_told_at_once(
    error: Exception | Callable[[], Exception], words: str
) -> None:
    result = lookup(error() if callable(error) else error)
    assert all(part in result["content"] for part in words.split("|"))


def test_a_failure_whose_value_is_no_json_is_told_by_what_was_wrong_with_it() -> None:
    result = lookup(Returned({1, 2}, failed=True))
    assert result["content"].startswith("inventory.lookup ran and failed.\n- (result.tool_error)")
    assert result["content"].endswith("The tool said: the tool returned a value of type set, which is not JSON.")


def test_a_value_that_raises_when_asked_for_its_class_is_no_json() -> None:
    result = run_tool(call(), {"inventory.lookup": lambda **_: Raising()}, CONTRACTS)
    assert "(result.not_json) the tool returned a value of type Raising, which is not JSON." in result["content"]


def test_it_can_be_awaited() -> None:
    async def agent() -> dict[str, Any]:
        return await asyncio.to_thread(run_tool, call(), {"inventory.lookup": Counting()}, CONTRACTS)

    with ThreadPoolExecutor(1) as thread:  # in this one a test's browser may have a loop running
        assert thread.submit(asyncio.run, agent()).result()["is_error"] is False
