"""Rules of the boards of the arguments lab: the kit's own gates are green, a usual mistake is red in its own rows."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import httpx
import nbformat
import pytest

from gate.contract import Contract
from gate.decision import Decision
from gate.errors import ConfigError
from gate.evidence.calls import load_calls
from gate.evidence.judge_faults import FAULTS
from gate.evidence.scorecard import scorecard
from gate.files import HOME
from gate.lab import board
from gate.lab.board_file import load_board
from gate.lab.labelled import call_named
from gate.lab.planted import plant
from gate.lab.stand_in import GOOD_CALL, local_judge
from gate.orders import exact_amount, load_orders, minor_units
from gate.pipeline import Pipeline
from gate.registry import load_contracts
from gate.semantic import SemanticGate
from gate.store import StoreGate

Call = dict[str, Any]
Environ = dict[str, str]
Gate = Callable[[Call], str]

CONTRACTS = load_contracts()
ORDERS = load_orders()
PACK = [json.loads(line) for line in (HOME / "fixtures/tool_calls.jsonl").read_text(encoding="utf-8").splitlines()]
SEVEN = [
    {**row, "arguments": rule.handed()}  # the kit's own t02 and t04 have reasons of their own
    for rule in load_board("arguments.rows").rules
    for row in PACK
    if row["id"] == rule.id
]


def input_contract() -> Contract:
    contract = CONTRACTS.input("refund_order")
    assert contract is not None
    return contract


def red(name: str, student: Any) -> set[str]:
    return set(board(name, student, trial=True).red)


def schema(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return the kit's schema of refund_order with a change made in it."""
    mine = copy.deepcopy(dict(input_contract().schema))
    change(mine)
    return mine


# --- the schema and its gate ----------------------------------------------------------------------------------------


def test_the_kits_own_schema_turns_its_board_green() -> None:
    assert red("arguments.schema", schema(lambda mine: None)) == set()


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        (lambda mine: mine.pop("additionalProperties"), {"vetting-errors", "vetting-warnings", "extra-field"}),
        (lambda mine: mine.pop("required"), {"no-reason", "nothing"}),
        (lambda mine: mine["properties"]["amount"].pop("maximum"), {"vetting-warnings", "amount-1900"}),
        (lambda mine: mine["properties"].update(amount={"type": "number", "minimum": 0, "maximum": 500}),
         {"amount-zero"}),
        (lambda mine: mine["properties"]["amount"].update(type="integer"),
         {"full-refund", "one-cent", "unknown-order"}),
        (lambda mine: mine["properties"]["reason"].pop("format"), {"blank-reason", "two-lines", "invisible"}),
        (lambda mine: mine["properties"]["order_id"].update(pattern="ord_[0-9]{4}"),
         {"vetting-warnings", "order-longer", "order-newline"}),
        (lambda mine: mine["properties"].update(order_id={"enum": ["ord_1842"]}),
         {"whole-number", "five-hundred", "unknown-order", "order-number"}),
    ],
    ids=["open", "nothing required", "no maximum", "minimum 0", "whole amounts", "no format", "loose pattern", "list"],
)  # fmt: skip
def test_each_gap_in_a_schema_is_red_in_its_own_rows(change: Any, rows: set[str]) -> None:
    assert red("arguments.schema", schema(change)) == rows


def test_a_contract_made_of_the_schema_is_a_gate_and_one_that_refuses_everything_is_none() -> None:
    assert red("arguments.schema_gate", input_contract().judge) == set()
    green = set(board("arguments.schema_gate", lambda raw: "block", trial=True).red)
    assert {"full-refund", "text", "unknown-order", "bad-review"} < green
    assert all(rule.expect == "allow" for rule in load_board("arguments.schema_gate").rules if rule.id in green)


def test_json_and_jsonschema_together_let_seven_rows_through() -> None:
    import jsonschema

    def library_gate(raw: Any) -> str:
        try:
            jsonschema.validate(json.loads(raw) if isinstance(raw, str) else raw, input_contract().schema)
        except (ValueError, jsonschema.ValidationError):
            return "block"
        return "allow"

    rows = {"not-a-number", "text-nan", "two-amounts", "order-newline", "blank-reason", "invisible"}
    found = red("arguments.schema_gate", library_gate)
    planted = found - rows
    assert rows < found
    assert [rule.words for rule in load_board("arguments.schema_gate").rules if rule.id in planted] == [
        "Planted: no number at all."
    ]


def test_planted_inputs_are_made_for_arguments_too_and_the_gate_that_takes_no_tool_gets_none() -> None:
    rules = [rule for rule in load_board("arguments.schema_gate").rules if rule.id.startswith("planted-")]
    assert len(rules) == 12 and {rule.tool for rule in rules} == {""}
    assert {bool(input_contract().judge(rule.handed())) == (rule.expect == "allow") for rule in rules} == {True}
    with pytest.raises(ConfigError, match=r"the planted inputs of no\.such run out"):
        plant(1, [GOOD_CALL], "no.such", 1, 1)


# --- the store ------------------------------------------------------------------------------------------------------


def store_gate(**without: bool) -> Gate:
    """Return a store gate as in the reference, without some of its questions."""

    def gate(arguments: Call) -> str:
        order = ORDERS[arguments["order_id"]] if without.get("get") else ORDERS.get(arguments["order_id"])
        if order is None:
            return "block"
        exact = exact_amount(arguments["amount"])
        wanted = None if exact is None else minor_units(exact, order.decimals)
        if without.get("exact"):
            wanted = round(arguments["amount"] * 100)
        left = order.limit - (0 if without.get("refunded") else order.refunded)
        fine = [
            without.get("status") or order.refundable,
            without.get("currency") or arguments["currency"] == order.currency,
            wanted is not None and (without.get("some") or wanted > 0) and (without.get("left") or wanted <= left),
        ]
        return "allow" if all(fine) else "block"

    return gate


def test_the_kits_store_gate_turns_its_board_green() -> None:
    assert red("arguments.store_gate", lambda call: "block" if StoreGate(ORDERS).judge(call) else "allow") == set()
    assert red("arguments.store_gate", store_gate()) == set()


@pytest.mark.parametrize(
    ("without", "rows"),
    [
        ("get", {"unknown-order"}),
        ("status", {"on-its-way"}),
        ("currency", {"pounds-for-dollars"}),
        ("refunded", {"refunded-before", "refunded-in-full"}),
        ("exact", {"half-a-cent", "sum-of-floats"}),
        ("some", {"nothing"}),
        ("left", {"a-cent-too-much", "refunded-before", "refunded-in-full"}),
    ],
)
def test_each_question_that_is_not_asked_is_red_in_its_own_rows(without: str, rows: set[str]) -> None:
    assert red("arguments.store_gate", store_gate(**{without: True})) == rows


# --- the judge ------------------------------------------------------------------------------------------------------


def ask(arguments: Call, environ: Environ) -> str:
    """Ask as most programs do: no look at the status, a time-out for each read."""
    user = {"role": "user", "content": json.dumps({"tool": "refund_order", "arguments": arguments})}
    with httpx.Client(timeout=1.0, trust_env=False) as client:
        reply = client.post(environ["MODEL_BASE_URL"] + "/chat/completions", json={"messages": [user]})
    return str(reply.json()["choices"][0]["message"]["content"])


def first_version(arguments: Call, environ: Environ) -> str:
    try:
        return "allow" if json.loads(ask(arguments, environ))["decision"] == "allow" else "block"
    except Exception:  # noqa: BLE001 - the exercise
        return "block"


def test_the_kits_semantic_gate_stays_closed_behind_every_fault_and_open_to_a_sound_judge() -> None:
    def gate(arguments: Call, environ: Environ) -> str:
        return "block" if SemanticGate(environ=environ, timeout=1.0).judge("refund_order", arguments) else "allow"

    assert red("arguments.semantic_gate", gate) == set()


def test_a_first_try_and_except_catches_what_is_loud_and_lets_through_what_is_quiet() -> None:
    result = board("arguments.semantic_gate", first_version, trial=True)
    quiet = {row.rule.id for row in result.rows if not row.green and row.got.outcome == "allow"}
    endless = {row.rule.id for row in result.rows if row.got.outcome == "endless"}
    assert quiet == {
        "redirect", "unauthorized", "not-found", "rate-limit", "server-error", "not-200", "huge", "gzip-bomb",
        "two-choices", "cut-off", "filtered", "duplicate-key", "nan", "no-rationale", "empty-rationale",
        "huge-rationale", "extra-key",
    }  # fmt: skip
    assert endless == {"drip"} and set(result.red) == quiet | endless


def test_a_gate_without_except_crashes_and_one_that_blocks_everything_is_red_where_the_judge_allows() -> None:
    def open_handed(arguments: Call, environ: Environ) -> str:
        if "drip" in environ["MODEL_BASE_URL"]:
            return "block"  # shown above, and it takes two seconds
        return str(json.loads(ask(arguments, environ))["decision"])

    crashed = {row.rule.id for row in board("arguments.semantic_gate", open_handed, trial=True).rows
               if row.got.outcome == "crash"}  # fmt: skip
    assert {"reset", "html", "not-json", "prose", "fenced", "list", "null", "number", "no-choices"} <= crashed
    assert red("arguments.semantic_gate", lambda arguments, environ: "block") == {"damaged", "lost"}


def test_all_faults_but_two_slow_ones_are_on_the_board_and_no_other_case_is() -> None:
    cases = {rule.case for rule in load_board("arguments.semantic_gate").rules if rule.case}
    assert set(FAULTS) - cases == {"late", "drip-head"} and cases < set(FAULTS)


def test_refuses_a_board_with_a_fault_that_the_judge_does_not_have(tmp_path: Any) -> None:
    text = (HOME / "data/boards/arguments.semantic_gate.json").read_text(encoding="utf-8")
    (tmp_path / "data/boards").mkdir(parents=True)
    changed = text.replace('"case": "drip"', '"case": "drop"')
    (tmp_path / "data/boards/arguments.semantic_gate.json").write_text(changed, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"rule drip names the case drop\. Next: use one of redirect, "):
        load_board("arguments.semantic_gate", tmp_path)


def test_one_judge_serves_the_whole_process_and_the_good_call_passes_all_three_gates() -> None:
    assert local_judge() is local_judge()
    gates = Pipeline(CONTRACTS, semantic=SemanticGate(environ=local_judge().environ()))
    assert gates.judge("refund_order", GOOD_CALL).outcome == "allow"


TOGETHER = "Next: correct it; all calls are read together."

# --- the pack -------------------------------------------------------------------------------------------------------


def test_the_seven_calls_are_green_whatever_their_labels_say() -> None:
    assert red("arguments.rows", SEVEN) == set()
    relabelled = [{**row, "label": "block", "stage": "store"} if row["id"] == "t10" else row for row in SEVEN]
    assert red("arguments.rows", relabelled) == set()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"arguments": {"order_id": "ord_1842"}}, 'its arguments are {"order_id": "ord_1842"}'),
        ({"id": "t99"}, "no call has the id t06"),
        ({"label": "maybe"}, f't06: label "maybe" is not one of allow, repair, block. {TOGETHER}'),
        (
            {"label": "allow"},
            f"t06: stage must be null (None in Python) for an allowed call: it stops nowhere. {TOGETHER}",
        ),
        (
            {"stage": None},
            "t06: stage is null (None in Python), but a call that must stop stops somewhere: "
            f"parse, schema, store, semantic. {TOGETHER}",
        ),
        ({"note": " "}, f"t06: note must be a text: what the call shows. {TOGETHER}"),
    ],
)
def test_a_call_that_is_not_the_one_asked_for_is_red_and_says_why(change: dict[str, Any], says: str) -> None:
    rows = [{**row, **change} if row["id"] == "t06" else row for row in SEVEN]
    got = call_named(rows, "t06", SEVEN[2]["arguments"])
    assert got.outcome != "hold" and got.words == says


@pytest.mark.parametrize("some", [[], SEVEN[:1], SEVEN[:2], SEVEN[2:5], tuple(SEVEN)], ids=len)
def test_calls_are_green_as_soon_as_they_are_written_in_whatever_order(some: Any) -> None:
    missing = {row["id"] for row in SEVEN} - {row["id"] for row in some}
    assert red("arguments.rows", some) == missing


@pytest.mark.parametrize(
    ("rows", "is_it"),
    [
        (None, "None"),
        (SEVEN[0], '{"id": "t02", '),
        ({row["id"]: row for row in SEVEN}, '{"t02": '),
        ("t02", '"t02"'),
    ],
)
def test_what_is_no_list_of_calls_is_shown_as_it_is(rows: Any, is_it: str) -> None:
    got = call_named(rows, "t02", SEVEN[0]["arguments"])
    assert got.outcome == "no pack" and got.words.startswith(f"it is {is_it}")
    assert got.words.endswith("no list. Next: write the calls as a list, [labelled(…), …].")


def test_a_call_without_an_id_is_named_by_its_place() -> None:
    got = call_named([SEVEN[0], {"label": "block"}], "t02", SEVEN[0]["arguments"])
    assert got.outcome == "no pack" and got.words.startswith("call 2 of the list: id, note, ")
    assert got.words.count("Next: ") == 1


def test_the_kits_pack_holds_what_the_lab_says_of_it() -> None:
    gates = Pipeline(CONTRACTS, semantic=SemanticGate(environ=local_judge().environ()))
    stops = {call.id: gates.judge("refund_order", call.raw) for call in load_calls("fixtures/tool_calls.jsonl")}
    assert [stops[name].stage for name in ("t10", "t09", "t11", "t12")] == ["schema", "store", "store", "semantic"]
    assert sum(decision.stage == "schema" for decision in stops.values()) == 5


def test_three_gates_that_round_between_them_have_one_false_allow_in_the_hard_pack_and_the_pipeline_none() -> None:
    judge = SemanticGate(environ=local_judge().environ())

    def stage(raw: Any) -> str | None:
        decision: Decision = input_contract().judge(raw)
        if decision.value is None:
            return decision.stage
        if store_gate()(decision.value) != "allow":
            return "store"
        return "semantic" if judge.judge("refund_order", decision.value) else None

    calls = load_calls("fixtures/tool_calls_hard.jsonl")
    rows = [{"id": call.id, "human": call.label, "machine": "block" if stage(call.raw) else "allow"} for call in calls]
    false_allows = [row.id for row in scorecard(rows).rows if row.verdict == "false allow"]
    assert [call.raw for call in calls if call.id in false_allows] == [GOOD_CALL.replace("19.00", "19.000000000000001")]
    exact = Pipeline(CONTRACTS, semantic=judge)
    assert all(bool(exact.judge("refund_order", call.raw)) == (call.label == "allow") for call in calls)


# --- the counts -----------------------------------------------------------------------------------------------------

COUNTS = ("true_allow", "true_block", "false_allow", "false_block")


def tally(rows: list[dict[str, Any]], ran: Callable[[dict[str, Any]], bool], names: tuple[str, ...]) -> dict[str, int]:
    counts = dict.fromkeys(COUNTS, 0)
    for row in rows:
        agree = ran(row) == (row["human"] == "allow")
        counts[names[(0 if ran(row) else 1) + (0 if agree else 2)]] += 1
    return counts


def allowed(row: dict[str, Any]) -> bool:
    return bool(row["machine"] == "allow")


def test_four_counts_are_green_when_only_the_word_allow_lets_a_tool_run() -> None:
    assert red("arguments.tally", lambda rows: tally(rows, allowed, COUNTS)) == set()


@pytest.mark.parametrize(
    ("ran", "names", "rows"),
    [
        (lambda row: row["machine"] != "block", COUNTS, {"repair", "no-answer", "sum"}),
        (lambda row: row["machine"] in ("allow", "repair"), COUNTS, {"repair", "sum"}),
        (lambda row: bool(row["machine"]), COUNTS, {"true-block", "false-block", "repair", "repair-label", "sum"}),
        (allowed, ("true_allow", "true_block", "false_block", "false_allow"),
         {"false-allow", "false-block", "repair", "repair-label", "no-answer"}),
    ],
    ids=["not a block", "repair runs", "any answer", "false counts swapped"],
)  # fmt: skip
def test_each_wrong_count_is_red_in_its_own_rows(ran: Any, names: tuple[str, ...], rows: set[str]) -> None:
    assert red("arguments.tally", lambda given: tally(given, ran, names)) == rows


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        (
            {"name": "read file", "input_schema": {"type": "object"}},
            'open    "read file" cannot name a tool. begin with',
        ),
        (
            {"name": "read", "input_schema": {"type": "string"}},
            "open    a contract must be an object at its root. write",
        ),
        (
            {"name": "read", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}},
            'open    /properties/path write "maxLength": 200',
        ),
    ],
)
def test_what_is_open_in_ones_own_tool_is_named_wherever_it_stands(
    tool: dict[str, Any], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    book = nbformat.read(HOME / "notebooks/solutions/arguments/05_runner_and_scorecard.ipynb", as_version=4)
    [source] = [cell.source for cell in book.cells if cell.id == "score-import"]
    exec(source, {"my_tool": tool, "trusted": ["path"]})
    assert says in capsys.readouterr().out
