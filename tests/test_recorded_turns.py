"""Real output of a small model, taken as calls and as results: what ran, what entered memory, and what the rest met."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from gate.calls.reply import Reply, recorded
from gate.calls.tools import Tool, Tools
from gate.harness import Harness
from gate.loop import replay_turn, run_turn
from gate.memory import AgentMemory
from gate.pipeline import Pipeline
from gate.registry import load_contracts
from tests.call_kit import CONTRACTS, Counting, call

RECORDED = Path(__file__).parent.parent / "fixtures" / "recorded" / "smollm2.jsonl"
ROWS = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def rows(kind: str) -> list[dict[str, Any]]:
    found = [row for row in ROWS if row["kind"].startswith(kind)]
    assert len(found) > 50
    return found


def as_call(row: dict[str, Any]) -> dict[str, Any]:
    return {"id": row["id"], "name": "refund_order", "raw": row["raw"], "finish_reason": row["finish_reason"]}


def test_only_whole_valid_and_true_calls_of_a_real_model_run() -> None:
    contracts = load_contracts()
    tool = Counting({"ok": True})
    gates = Pipeline(contracts, ("schema", "store"))
    harness = Harness(Tools({"refund_order": tool}, contracts), judge=gates.judge)
    met: Counter[tuple[str, str]] = Counter()
    for row in rows("refund."):
        step = harness.take(as_call(row))
        assert step.result["is_error"] is (step.ran is None)
        met[row["class"], step.codes[0] if step.codes else "ran"] += 1
    assert {kind for kind, code in met if code == "ran"} == {"valid"}
    assert met["duplicate_keys", "parse.duplicate_key"] == 11
    assert sum(number for (_, code), number in met.items() if code == "call.incomplete") == 97
    assert all(seen["order_id"] == "ord_1842" and seen["amount"] <= 19 for seen in tool.seen)
    assert tool.runs == met["valid", "ran"] == 39


def test_what_a_real_model_says_of_the_stock_is_kept_only_if_it_is_about_what_was_asked() -> None:
    memory = AgentMemory(CONTRACTS)
    met: Counter[str] = Counter()
    for row in rows("inventory."):
        tools = Tools({"inventory.lookup": Tool(lambda sku, raw=row["raw"]: raw, echo=("sku",))}, CONTRACTS)
        step = Harness(tools, memory=memory).take(call("inventory.lookup", row["id"]))
        met[step.codes[0] if step.codes else "kept"] += 1
    assert met["kept"] == len(memory.events) == 54
    assert met["result.echo_mismatch"] == 18  # schema-valid, and about another sku
    assert {event["content"]["sku"] for event in memory.events} == {"SKU-19"}
    assert len(memory.quarantined) == len(rows("inventory.")) - len(memory.events)


def test_a_turn_on_real_output_stops_in_time_and_plays_again() -> None:
    contracts = load_contracts()
    tools = Tools({"refund_order": Counting({"ok": True})}, contracts)
    replies = [Reply(calls=(as_call(row),)) for row in rows("refund.oneshot")]
    turn = run_turn("refund ord_1842", recorded(replies), tools)
    assert turn.status == "stopped"
    assert replay_turn(turn.tape, tools).transcript == turn.transcript
