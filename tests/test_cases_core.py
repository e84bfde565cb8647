"""Every row of the case files that the core answers, with its exact code, by both engines."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gate.contract import Contract, fingerprint
from gate.errors import MAX_MESSAGE, ContractError, ResultGateError
from gate.memory import AgentMemory
from gate.registry import Contracts
from gate.results import judge_result
from tests.cases_kit import WHOLE, Case, Refusal, contract, kit, shape
from tests.cases_table import CASES, ELSEWHERE, REFUSALS, REPORTED, F, rows

GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
TOLD: set[str] = set()


def row(*names: str) -> Callable[[Callable[..., None]], Any]:
    """Say which rows a test below stands for; the ids are in its own id."""
    TOLD.update(names)
    return pytest.mark.parametrize("row", ["+".join(names)])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_row_comes_to_its_codes_by_both_engines(case: Case) -> None:
    first, second = case.judge(False), case.judge(True)
    assert first.codes == case.codes
    assert first.outcome == ("block" if case.codes else "allow")
    assert second == first


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_row_s_messages_are_short_and_show_nothing_raw(case: Case) -> None:
    for found in case.judge(False).findings:
        for text in (found.path, found.message, found.hint):
            assert len(text) <= MAX_MESSAGE
            assert text.replace("…", "").isascii() and text.isprintable()


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_the_row_s_schema_is_no_contract(refusal: Refusal) -> None:
    schema = json.loads(refusal.schema) if isinstance(refusal.schema, str) else refusal.schema
    with pytest.raises(ContractError) as caught:
        contract(schema)
    assert tuple(found.code for found in caught.value.findings) == refusal.codes


@pytest.mark.parametrize("name", REPORTED)
def test_the_report_names_one_of_the_codes(name: str) -> None:
    expected = rows()[name]["expected"]
    wanted = expected.split(":")[-1]
    if expected.startswith("allow as error"):
        assert REPORTED[name] == ("result.tool_error",)
    else:
        assert REPORTED[name] == () if wanted == "allow" else wanted in REPORTED[name]


def test_no_row_is_left_without_a_test() -> None:
    named = {item.name.split()[0] for item in (*CASES, *REFUSALS)} | TOLD
    assert not named & set(ELSEWHERE)
    assert set(rows()) == named | set(ELSEWHERE)


@row("A05", "A07")
def test_a_hostile_tool_name_is_a_short_refusal(row: str) -> None:
    memory = AgentMemory(kit(False))
    for tool in (["inventory.lookup"], "x" * 1_000_000):
        with pytest.raises(ResultGateError) as caught:
            memory.append_tool_result(tool, GOOD)
        assert len(str(caught.value)) < 4 * MAX_MESSAGE
    assert memory.events == ()


@row("A13")
def test_a_value_that_was_handed_back_can_change_nothing(row: str) -> None:
    memory = AgentMemory(kit(False))
    sent = dict(GOOD)
    kept = memory.append_tool_result("inventory.lookup", sent, "c1")
    sent["discount_code"] = kept["discount_code"] = "STAFF"
    assert memory.events[0]["content"] == GOOD


@row("A14", "iss-079")
def test_nothing_but_the_gate_writes_memory(row: str) -> None:
    memory = AgentMemory(kit(False))
    memory.append_tool_result("inventory.lookup", GOOD, "c1")
    before = memory.events
    with pytest.raises(AttributeError):
        memory.events.append({"role": "tool"})
    with pytest.raises(AttributeError):
        memory.events = ()
    memory.events[0]["content"]["quantity"] = 99
    memory.events[0].clear()
    assert memory.events == before
    assert before[0]["content"] == GOOD


@row("A21", "iss-062")
def test_a_call_has_one_result_and_the_event_says_which_contract_took_it(row: str) -> None:
    memory = AgentMemory(kit(False))
    memory.append_tool_result("inventory.lookup", GOOD, "c1")
    with pytest.raises(ResultGateError) as caught:
        memory.append_tool_result("inventory.lookup", GOOD | {"quantity": 5}, "c1")
    assert [found.code for found in caught.value.findings] == ["memory.duplicate_call_id"]
    (event,) = memory.events
    accepted_by = kit(False).output("inventory.lookup")
    assert accepted_by is not None
    assert (event["tool_use_id"], event["contract"]) == ("c1", "inventory.lookup.output")
    assert (event["version"], event["sha256"]) == (accepted_by.version, accepted_by.sha256)


@row("A15")
def test_a_contract_does_not_change_once_it_is_loaded(row: str) -> None:
    schema = shape(n=dict(WHOLE))
    made = contract(schema)
    schema["properties"]["n"]["maximum"] = 99
    made.schema["properties"]["n"]["maximum"] = 99
    with pytest.raises(AttributeError):
        made.tool = "other"
    assert made.judge('{"n": 10}').codes == ("schema.range",)


@row("B20")
def test_a_registry_takes_only_names_that_can_be_sorted(row: str) -> None:
    for name in (1, None, ("a",)):
        with pytest.raises(ContractError) as caught:
            Contract.from_schema(F, tool=name)
        assert [found.code for found in caught.value.findings] == ["contract.name"]


@row("C35")
def test_the_order_of_an_enum_does_not_change_the_hash(row: str) -> None:
    orders = [fingerprint(shape(a={"enum": list(order)})) for order in itertools.permutations(["sfo", "ams", "nrt"])]
    assert len(set(orders)) == 1
    assert fingerprint(shape(a={"enum": ["sfo", "ams"]})) not in orders


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A local HTTP server that would gladly send a schema, and the paths it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "integer"}')

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", asked
        running.shutdown()
        thread.join()


@row("E56", "iss-094")
def test_nothing_is_ever_fetched(row: str, server: tuple[str, list[str]]) -> None:
    address, asked = server
    for schema in (
        shape(a={"$ref": f"{address}/s.json"}),
        shape(a={"$ref": "s.json"}) | {"$id": f"{address}/root.json"},
        shape(a=WHOLE) | {"$schema": f"{address}/dialect.json"},
        shape(a=WHOLE | {"$id": f"{address}/inner.json"}),
        shape(a={"$dynamicRef": f"{address}/s.json"}),
    ):
        with pytest.raises(ContractError):
            contract(schema)
    named = shape(a=WHOLE) | {"$id": f"{address}/root.json"}
    assert contract(named).judge('{"a": 1}') and contract(named, True).judge('{"a": 1}')
    assert asked == []


@row("E58")
def test_a_pattern_takes_no_longer_on_a_text_made_for_it(row: str) -> None:
    for pattern in ("^(a+)+$", "^(a|a)*$", "^(a*)*b$", "^([a-z]+)*[A-Z]$"):
        schema = shape(a={"type": "string", "pattern": pattern, "maxLength": 100_000})
        for second in (False, True):
            made = contract(schema, second)
            started = time.perf_counter()
            assert made.judge({"a": "a" * 50_000 + "!"}).codes == ("schema.pattern",)
            assert time.perf_counter() - started < 2


@row("E63")
def test_an_unanchored_pattern_is_told_when_the_contract_is_written(row: str) -> None:
    made = contract(shape(a={"type": "string", "pattern": "^ord", "maxLength": 9}))
    assert [found.code for found in made.warnings] == ["contract.unanchored"]


@row("E64")
def test_a_message_names_field_and_rule_and_never_the_value(row: str) -> None:
    (found,) = contract(shape(card={"type": "integer"})).judge('{"card": "4111 1111 1111 1111"}').findings
    assert (found.path, found.message) == ("/card", "card must be an integer, got a string.")
    assert "4111" not in str(found)


@row("iss-067")
def test_what_no_json_stands_for_is_no_result(row: str) -> None:
    async def coroutine() -> None: ...

    never = coroutine()
    for value in (object(), {1}, (1,), (n for n in ()), never, {"sku": {1}}, 4 + 0j, bytearray(b"{}")):
        assert judge_result(kit(False), "inventory.lookup", value).codes == ("result.not_json",)
    never.close()
    # Bytes are text that came over the wire; what they hold is judged.
    assert judge_result(kit(False), "inventory.lookup", b"\xff").codes == ("parse.encoding",)


@row("iss-071", "iss-072")
def test_an_error_is_told_and_never_kept_as_a_fact(row: str, tmp_path: Path) -> None:
    memory = AgentMemory(kit(False), path=tmp_path / "memory.jsonl")
    with pytest.raises(ResultGateError):
        memory.append_tool_result("inventory.lookup", {"isError": True, "content": [{"type": "text", "text": "503"}]})
    assert memory.events == AgentMemory(kit(False), path=tmp_path / "memory.jsonl").events == ()


@row("iss-037")
def test_one_bad_call_does_not_change_the_answer_to_the_next(row: str) -> None:
    contracts = Contracts([Contract.from_schema(F, tool="f")])
    for bad in ('{"n": 1}', None, [1], 10**5000):
        contracts.input("f").judge({"n": bad})
        assert contracts.input("f").judge({"n": 1})
