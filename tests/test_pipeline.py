"""The order of the three gates, what is skipped, and what happens when a gate itself fails."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gate.decision import Decision
from gate.errors import CODES, MAX_MESSAGE, ConfigError, Finding
from gate.pipeline import ORDER, Pipeline
from gate.registry import load_contracts
from gate.store import StoreGate

CONTRACTS = load_contracts()
CALL = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": "damaged shipment on delivery"}
TWO = ("schema", "store")


class Saying:
    """A gate that says what it was told to, and keeps what it was asked."""

    tools = ("refund_order",)

    def __init__(self, answer: Any = ()) -> None:
        self.answer, self.asked = answer, []

    def judge(self, *asked: Any) -> Any:
        self.asked.append(copy.deepcopy(asked))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def judge(raw: Any, stages: tuple[str, ...] = TWO) -> Decision:
    return Pipeline(CONTRACTS, stages).judge("refund_order", raw)


def refund(amount: str) -> str:
    return json.dumps({**CALL, "amount": "@"}).replace('"@"', amount)


# --- Order and skipping ----------------------------------------------------------------------------------------------


def test_an_allow_names_the_last_stage_and_hands_on_the_copy_that_was_judged() -> None:
    semantic = Saying()
    decision = Pipeline(CONTRACTS, semantic=semantic).judge("refund_order", CALL)
    assert (decision.outcome, decision.stage, decision.findings, decision.skipped) == ("allow", "semantic", (), ())
    assert decision.value == CALL and decision.value is not CALL
    assert semantic.asked == [("refund_order", CALL)]


@pytest.mark.parametrize(
    ("raw", "stage", "skipped"),
    [
        ("{", "parse", ORDER),
        ("{}", "schema", ("store", "semantic")),
        ({**CALL, "order_id": "ord_9999"}, "store", ("semantic",)),
    ],
)
def test_the_first_refusal_ends_the_way_and_the_rest_is_on_record(raw: Any, stage: str, skipped: Any) -> None:
    store, semantic = StoreGate(), Saying()
    decision = Pipeline(CONTRACTS, store=store, semantic=semantic).judge("refund_order", raw)
    assert (decision.outcome, decision.stage, decision.skipped) == ("block", stage, skipped)
    assert decision.value is None and decision.findings
    assert semantic.asked == []


@pytest.mark.parametrize("raw", ["{", "{}", {**CALL, "amount": "19"}, {**CALL, "extra": 1}, None, [], b"\xff"])
def test_the_store_is_not_asked_about_what_the_schema_refuses(raw: Any) -> None:
    store = Saying(AssertionError("the store was asked"))
    decision = Pipeline(CONTRACTS, TWO, store=store).judge("refund_order", raw)
    assert decision.stage in ("parse", "schema") and store.asked == []


def test_a_stage_that_was_not_asked_for_is_recorded_as_skipped() -> None:
    assert judge(CALL, ("schema",)) == Decision("allow", "schema", (), CALL, ("store", "semantic"))
    assert judge(CALL, ("schema", "store")) == Decision("allow", "store", (), CALL, ("semantic",))


def test_the_order_is_the_pipeline_s_own_however_the_stages_are_named() -> None:
    assert Pipeline(CONTRACTS, ("store", "schema")).stages == ("schema", "store")
    assert judge({**CALL, "amount": -1, "order_id": "ord_9999"}, ("store", "schema")).stage == "schema"


def test_a_store_alone_blocks_what_no_schema_has_seen() -> None:
    decision = judge({}, ("store",))
    assert (decision.codes, decision.skipped) == (("store.unknown_order",), ("schema", "semantic"))
    assert judge("{", ("store",)).stage == "parse"


@pytest.mark.parametrize("stages", [(), ("schemas",), ("schema", "judge"), "store semantic", [["schema"]]])
def test_refuses_to_start_without_known_stages(stages: Any) -> None:
    with pytest.raises(ConfigError, match="choose from schema, store, semantic"):
        Pipeline(CONTRACTS, stages)


@pytest.mark.parametrize("tool", ["refund", "refund_order ", "", None, ["refund_order"]])
def test_an_unknown_tool_is_refused_before_any_stage(tool: Any) -> None:
    decision = Pipeline(CONTRACTS, TWO).judge(tool, CALL)
    assert (decision.stage, decision.codes, decision.skipped) == ("call", ("call.unknown_tool",), ORDER)


def test_a_tool_without_store_rules_skips_the_store_and_says_so() -> None:
    comment = {"action": "noop", "ticket_id": "T-1", "idempotency_key": "key-12345"}
    decision = Pipeline(CONTRACTS, TWO).judge("ticket", comment)
    assert (decision.outcome, decision.skipped) == ("allow", ("store", "semantic"))


# --- What was judged is what is used ---------------------------------------------------------------------------------


def test_changing_the_payload_afterwards_changes_nothing() -> None:
    raw = dict(CALL)
    decision = judge(raw)
    raw["amount"] = 500
    assert decision.value == CALL


def test_a_gate_that_changes_its_arguments_changes_only_its_copy() -> None:
    class Grabbing(Saying):
        def judge(self, *asked: Any) -> tuple[Finding, ...]:
            [arguments] = [item for item in asked if isinstance(item, dict)]
            arguments["amount"] = 500
            return ()

    semantic = Saying()
    assert Pipeline(CONTRACTS, store=Grabbing(), semantic=semantic).judge("refund_order", CALL).value == CALL
    assert semantic.asked == [("refund_order", CALL)]
    assert Pipeline(CONTRACTS, semantic=Grabbing()).judge("refund_order", CALL).value == CALL


def test_the_store_sees_the_number_as_it_was_written() -> None:
    store = Saying()
    gates = Pipeline(CONTRACTS, TWO, store=store)
    gates.judge("refund_order", refund("19.000000000000001"))
    gates.judge("refund_order", refund("19.00").encode())
    gates.judge("refund_order", f"```json\n{refund('1.9e1')}\n```")
    gates.judge("refund_order", MappingProxyType(CALL))
    assert [amount for _, amount in store.asked] == [Decimal("19.000000000000001"), *[Decimal(19)] * 3]


def test_judging_again_and_again_gives_the_same_answer_until_the_refund_is_reserved() -> None:
    gates = Pipeline(CONTRACTS, TWO, store=StoreGate())
    decisions = [gates.judge("refund_order", CALL) for _ in range(3)]
    assert [decision.outcome for decision in decisions] == ["allow"] * 3
    assert isinstance(gates.store, StoreGate) and decisions[0].value
    assert gates.store.reserve(decisions[0].value)
    assert gates.judge("refund_order", CALL).codes == ("store.exceeds_remaining",)


# --- A gate that fails -----------------------------------------------------------------------------------------------


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("even my text fails")


@pytest.mark.parametrize("error", [KeyError("order_id"), RecursionError(), MemoryError(), SystemExit(0), Unspeakable()])
@pytest.mark.parametrize(("stage", "code"), [("store", "store.failed"), ("semantic", "semantic.unavailable")])
def test_a_gate_that_raises_is_a_block_with_its_own_code(error: BaseException, stage: str, code: str) -> None:
    failing = {"store": Saying(), "semantic": Saying(), stage: Saying(error)}
    decision = Pipeline(CONTRACTS, **failing).judge("refund_order", CALL)
    assert (decision.outcome, decision.stage, decision.codes, decision.value) == ("block", stage, (code,), None)
    assert type(error).__name__ in decision.findings[0].message


@pytest.mark.parametrize("answer", [None, True, "allow", [None], ({"code": "store.failed"},), {}, 0])
@pytest.mark.parametrize(("stage", "code"), [("store", "store.failed"), ("semantic", "semantic.unavailable")])
def test_a_gate_that_returns_anything_but_findings_is_a_block(answer: Any, stage: str, code: str) -> None:
    odd = {"store": Saying(), "semantic": Saying(), stage: Saying(answer)}
    assert Pipeline(CONTRACTS, **odd).judge("refund_order", CALL).codes == (code,)


def test_a_contract_that_raises_is_a_block_of_the_schema_stage() -> None:
    class Broken:
        max_bytes = 10

        def judge(self, raw: Any) -> Decision:
            raise RuntimeError("engine lost")

    class One:
        def input(self, tool: str) -> Any:
            return Broken()

    contracts: Any = One()
    decision = Pipeline(contracts, TWO).judge("refund_order", CALL)
    assert (decision.codes, decision.skipped) == (("schema.other",), ("store", "semantic"))


def test_findings_come_sorted_and_each_once() -> None:
    last, first = Finding("store.precision", "/b", "b"), Finding("store.failed", "/a", "a")
    decision = Pipeline(CONTRACTS, TWO, store=Saying([last, first, last])).judge("refund_order", CALL)
    assert [found.path for found in decision.findings] == ["/a", "/b"]


# --- Rows of the fault list: arguments of refund_order ---------------------------------------------------------------

ALLOW: tuple[str, ...] = ()
ROWS: dict[str, list[tuple[Any, tuple[str, ...]]]] = {
    "E01": [(refund("NaN"), ("parse.non_finite",)), ({**CALL, "amount": float("nan")}, ("parse.non_finite",))],
    "E02": [(refund(text), ("parse.non_finite",)) for text in ("Infinity", "-Infinity", "1e400")],
    "E03": [({**CALL, "order_id": "ord_1842\n"}, ("schema.pattern",))],
    "E04": [({**CALL, "reason": " " * 8}, ("schema.format",))],
    "E05": [({**CALL, "reason": "\u200b" * 8}, ("schema.format",))],
    "E06": [
        ({**CALL, "reason": "\ud83d" * 8}, ("parse.encoding",)),
        (json.dumps({**CALL, "reason": "\ud83d" * 8}), ("parse.encoding",)),
    ],
    "E07": [({**CALL, "amount": True}, ("schema.type",))],
    "E08": [({**CALL, "amount": "19.0"}, ("schema.type",))],
    "E09": [(refund("19.004"), ("store.exceeds_remaining", "store.precision"))],
    "E10": [(refund(text), ("store.precision",)) for text in ("18.995", "0.001", "1e-320")],
    "E11": [(refund("19.000000000000001"), ("store.exceeds_remaining", "store.precision"))],
    "E12": [({**CALL, "amount": 0.1 + 0.2}, ("store.precision",))],
    "E15": [({**CALL, "amount": 1900}, ("schema.range",))],
    "E16": [
        (
            {**CALL, "order_id": "ord_1843", "amount": 5.0, "currency": "EUR"},
            ("store.exceeds_remaining", "store.not_refundable"),
        )
    ],
    "E17": [({**CALL, "amount": 10**400}, ("parse.non_finite",)), (refund("1" + "0" * 400), ("parse.non_finite",))],
    "E18": [({**CALL, "amount": 10**5000}, ("parse.non_finite",)), (refund("1" + "0" * 5000), ("parse.non_finite",))],
    "E19": [(refund("[" * 200 + "]" * 200), ("parse.depth",))],
    "E20": [(refund("[" * 5000 + "]" * 5000), ("parse.depth",))],
    "E21": [
        ({**CALL, "reason": "x" * 5 * 10**6}, ("parse.size",)),
        ({**CALL, "reason": "x" * 999}, ("schema.length",)),
    ],
    "E22": [([], ("parse.not_object",)), (None, ("parse.not_object",)), ('"str"', ("parse.not_object",))],
    "E28": [({**CALL, "amount": 19}, ALLOW)],
    "E29": [
        (
            {("ord\u0435r_id" if key == "order_id" else key): value for key, value in CALL.items()},
            ("schema.missing_field", "schema.unknown_field"),
        )
    ],
    "E30": [
        (
            {("amount " if key == "amount" else key): value for key, value in CALL.items()},
            ("schema.missing_field", "schema.unknown_field"),
        )
    ],
    "E31": [({**CALL, "currency": text}, ("schema.enum",)) for text in ("usd", "USD ")],
    "E34": [({**CALL, "order_id": "ord_\uff11\uff18\uff14\uff12"}, ("schema.pattern",))],
    "iss-026": [({**CALL, "amount": "NaN"}, ("schema.type",))],
    "iss-046": [({**CALL, "amount": -5.0}, ("schema.range",))],
}
ELSEWHERE = {
    "E13": "test_store: two partial refunds", "E14": "test_store: the same refund five times",
    "E23": "test_store: stands alone", "E24": "test_store: stands alone", "E25": "test_store: bad order",
    "E26": "test_store: bad order", "E27": "test_store: an order stands twice",
    "E32": "test_store: no finite number", "E33": "test_store: decimals with decimals",
}  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "codes"),
    [pytest.param(*case, id=f"{name}-{n}") for name, cases in ROWS.items() for n, case in enumerate(cases)],
)
def test_rows_of_the_fault_list(raw: Any, codes: tuple[str, ...]) -> None:
    decision = judge(raw)
    assert tuple(sorted(decision.codes)) == codes
    assert decision.outcome == ("block" if codes else "allow")
    assert all(len(found.message) <= MAX_MESSAGE and found.message.isascii() for found in decision.findings)


def test_no_row_of_the_fault_list_is_left_out() -> None:
    lines = (Path(__file__).parent / "cases" / "faults.jsonl").read_text(encoding="utf-8").splitlines()
    named = {row["id"] for row in map(json.loads, lines) if row["surface"] == "args" and row["id"].startswith("E")}
    assert named == {name for name in ROWS if name.startswith("E")} | set(ELSEWHERE)


def test_every_code_the_pipeline_can_give_is_in_the_table() -> None:
    known = {f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons}
    assert {code for cases in ROWS.values() for _, codes in cases for code in codes} <= known


def test_a_read_only_view_is_judged_like_the_dict_it_shows() -> None:
    assert judge(MappingProxyType(CALL)) == judge(CALL)
