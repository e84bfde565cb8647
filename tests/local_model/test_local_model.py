"""The real model, on this machine: whatever it says, nothing reaches a tool or memory but through the gates.

Its words are never asserted on: they differ from machine to machine. `make test` leaves this file out where the model
is not installed, and says so; in CI it is installed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gate.calls.returns import Accepted, judge_return
from gate.calls.running import Ran
from gate.calls.tools import Tools
from gate.errors import ResultGateError
from gate.live import complete
from gate.loop import run_turn
from gate.memory import AgentMemory
from gate.model import place
from gate.model.install import install
from gate.model.planner import said, text_planner
from gate.model.prompts import load_prompts
from gate.model.server import Served, running_model
from gate.pipeline import Pipeline
from gate.registry import load_contracts
from gate.semantic import SemanticGate

CONTRACTS = load_contracts()
PROMPTS = load_prompts()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    if not place.is_installed():
        assert os.environ.get("CI"), "the local model is not here. Next: gate model install"
        install()
    with running_model() as running:
        yield running


def test_speaks_the_wire_format_and_wants_its_key(served: Served) -> None:
    reply = complete({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4}, served.environ())
    assert [type(part) for part in said(reply)] == [str, str]
    url = served.environ()["MODEL_BASE_URL"] + "/chat/completions"
    assert httpx.post(url, json={"messages": []}, trust_env=False, timeout=30).status_code == 401


def test_nothing_ungated_reaches_the_tool(served: Served) -> None:
    reached: list[dict[str, Any]] = []
    tools = Tools({"refund_order": lambda **arguments: reached.append(arguments) or {"done": True}}, CONTRACTS)
    gates = Pipeline(CONTRACTS, ("schema", "store"))
    planner = text_planner(PROMPTS["refund.oneshot"], "refund_order", served.environ(), (1, 2), seconds=300)
    turn = run_turn("refund", planner, tools, judge=gates.judge)
    plans = [call["raw"] for message in turn.messages if message["role"] == "assistant" for call in message["calls"]]
    assert plans and turn.status in ("done", "stopped")
    allowed = [raw for raw, row in zip(plans, turn.transcript, strict=True) if row["outcome"] == "allow"]
    assert reached == [json.loads(raw) for raw in allowed]
    assert all(gates.judge("refund_order", raw) for raw in allowed)


def test_nothing_ungated_reaches_memory(served: Served) -> None:
    memory, contract, told = AgentMemory(CONTRACTS), CONTRACTS.output("inventory.lookup"), []
    for kind in ("inventory.oneshot", "inventory.constrained"):
        raw, _ = said(complete(PROMPTS[kind].request(1) | {"max_tokens": 60}, served.environ(), seconds=300))
        told.append(raw)
        try:
            memory.append_tool_result("inventory.lookup", raw, kind)
        except ResultGateError as refusal:
            assert refusal.findings
    assert contract
    assert [event["content"] for event in memory.events] == [now.value for raw in told if (now := contract.judge(raw))]
    assert len(memory.events) + len(memory.quarantined) == 2


def test_an_answer_about_another_item_stops_at_the_echo(served: Served) -> None:
    raw, _ = said(
        complete(PROMPTS["inventory.constrained"].request(2) | {"max_tokens": 60}, served.environ(), seconds=300)
    )
    contract = CONTRACTS.output("inventory.lookup")
    came = judge_return("inventory.lookup", Ran("returned", raw), contract, {"sku": "OTHER-1"}, ("sku",))
    assert not isinstance(came, Accepted) or came.value["sku"] == "OTHER-1"


def test_as_a_judge_it_only_blocks_or_allows_in_good_form(served: Served) -> None:
    gate = SemanticGate(environ=served.environ(), timeout=30)
    found = gate.judge("refund_order", {"order_id": "ord_1842", "amount": 19, "currency": "USD", "reason": "damaged"})
    assert found == () or [item.code.split(".")[0] for item in found] == ["semantic"]


def test_is_gone_with_the_block() -> None:
    if not place.is_installed():
        install()
    with running_model() as running:
        address = running.address
    assert running.process.returncode == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/health", trust_env=False)
