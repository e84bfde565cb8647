"""Packs and scorecards: strict rows, four counts that add up, zero false allows, no network."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cli import main
from gate.decision import Decision, block
from gate.errors import ConfigError, Finding
from gate.evidence.calls import MIN_ROWS, Call, load_calls, missing_ids
from gate.evidence.picture import ConfusionPicture, confusion_frame, frame
from gate.evidence.scorecard import Row, score, scorecard
from gate.files import HOME
from gate.pipeline import Pipeline
from gate.registry import load_contracts

PACK = "fixtures/tool_calls.jsonl"
HARD = "fixtures/tool_calls_hard.jsonl"
CONTRACTS = load_contracts()
TWO = ("schema", "store")
CASES = Path(__file__).parent.parent / "cases"


def row(name: str = "t01", **changed: Any) -> dict[str, Any]:
    """One valid row of a pack, changed; `...` takes a field away."""
    given = {"id": name, "label": "allow", "stage": None, "arguments": {}, "note": "n", "reviewed_by_rule": "r"}
    return {key: value for key, value in {**given, **changed}.items() if value is not ...}


def pack(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "pack.jsonl"
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in rows)
    path.write_text(text, encoding="utf-8")
    return path


def full(*rows: Any) -> list[Any]:
    """The rows, filled up to a pack of twelve with allows and blocks."""
    rest = [row(f"z{n:02}", label="block", stage="schema") if n % 2 else row(f"z{n:02}") for n in range(12 - len(rows))]
    return [*rows, *rest]


def outcome(name: str, human: str, machine: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "human": human, "machine": machine, **more}


# --- The kit's own packs ---------------------------------------------------------------------------------------------


def test_the_twelve_are_four_allowed_four_of_the_wrong_form_and_four_wrong_in_substance() -> None:
    calls = load_calls(PACK)
    assert [call.id for call in calls] == [f"t{n:02}" for n in range(1, 13)]
    assert [call.label for call in calls] == ["allow"] * 4 + ["block"] * 8
    stages = [call.stage for call in calls]
    assert stages == [None] * 4 + ["schema"] * 4 + ["store", "schema", "store", "semantic"]


def test_nineteen_hundred_stops_at_the_schema_and_not_at_the_store() -> None:
    [call] = [call for call in load_calls(PACK) if isinstance(call.raw, dict) and call.raw["amount"] == 1900]
    decision = Pipeline(CONTRACTS, TWO).judge("refund_order", call.raw)
    assert (decision.stage, decision.codes, decision.skipped) == ("schema", ("schema.range",), ("store", "semantic"))
    assert call.stage == "schema"


def test_the_hard_pack_holds_every_stage() -> None:
    calls = load_calls(HARD, min_rows=40)
    stops = [call.stage for call in calls]
    assert {stage: stops.count(stage) >= 9 for stage in set(stops)} == dict.fromkeys(
        [None, "parse", "schema", "store", "semantic"], True
    )
    assert sum(isinstance(call.raw, str) for call in calls) >= 20


@pytest.mark.parametrize("name", [PACK, HARD])
def test_schema_and_store_judge_the_kit_s_packs_as_labelled(name: str) -> None:
    calls = load_calls(name)
    card = score(calls, Pipeline(CONTRACTS, TWO), stages=("parse", *TWO))
    assert card.faults == ()
    assert card.true_allow == sum(call.label == "allow" for call in calls)
    assert card.beyond == sum(call.stage == "semantic" for call in calls)
    assert (card.precision, card.recall, card.passed) == (1.0, 1.0, True)


def test_a_pack_is_judged_call_by_call_so_its_order_does_not_matter() -> None:
    calls, gates = load_calls(HARD), Pipeline(CONTRACTS, TWO)
    forward = {one.id: one for one in score(calls, gates, stages=TWO).rows}
    assert {one.id: one for one in score(calls[::-1], gates, stages=TWO).rows} == forward


# --- Reading a pack --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (row(label=...), "label is missing"),
        (row(id=...), "id is missing"),
        (row(note=...), "note is missing"),
        (row(stage=...), "stage is missing"),
        (row(reviewed_by_rule=""), "reviewed_by_rule must be a text: the rule behind the label"),
        (row(extra=1), '"extra" is no field of a call'),
        (row(arguments=...), "a call needs arguments or raw, one of the two"),
        (row(raw="{}"), "a call needs arguments or raw, one of the two"),
        (row(arguments=..., raw={}), "raw must be the text of the call"),
        (row(label="Block"), 'label "Block" is not one of allow, repair, block'),
        (row(label=None), "label a value of type NoneType is not one of"),
        (row(label=["allow"]), "label a value of type list is not one of"),
        (row(stage="store"), "stage must be null (None in Python) for an allowed call"),
        (row(label="block"), "stage is null (None in Python), but a call that must stop stops somewhere: parse"),
        (row(label="block", stage="memory"), 'stage "memory" is not one of'),
        (row(id="T 1"), 'id "T 1" must be a small letter'),
        (row(id=1), "id a value of type int must be a small letter"),
        ("", "the payload is empty"),
        ("[]", "must be one JSON object"),
        ('{"id": "t01", "id": "t02"}', 'the key "id" stands twice'),
        (json.dumps(row(arguments={"amount": float("nan")})), "NaN"),
        (json.dumps(row(arguments={"amount": "@"})).replace('"@"', "19.000000000000001"), "write it as raw"),
    ],
)
def test_refuses_a_bad_row_and_names_its_line(tmp_path: Path, bad: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_calls(pack(tmp_path, *full(row("a01"), bad)))
    assert "pack.jsonl: line 2: " in str(caught.value)
    assert words in str(caught.value)


def test_reads_windows_line_ends_and_numbers_as_written(tmp_path: Path) -> None:
    path = pack(tmp_path, *full(row("a01", arguments={"amount": 499.99})))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_calls(path)[0].raw == {"amount": 499.99}


def test_refuses_an_empty_pack(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="it holds 0 of at least 12 calls"):
        load_calls(pack(tmp_path))


def test_refuses_a_short_pack_and_names_the_missing_rows(tmp_path: Path) -> None:
    """iss-114: rows that were deleted must not vanish from the count."""
    with pytest.raises(ConfigError) as caught:
        load_calls(pack(tmp_path, row("t01"), row("t02", label="block", stage="schema")))
    assert ", ".join(f"t{n:02}" for n in range(3, 13)) in str(caught.value)
    assert [found.code for found in caught.value.findings] == ["grading.missing_rows"]


def test_names_no_missing_rows_where_ids_are_not_numbered_alike() -> None:
    assert missing_ids(["t01", "u02"], 12) == missing_ids(["one", "two"], 12) == missing_ids(["t1", "t02"], 12) == []


def test_refuses_an_id_that_stands_twice(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the id t01 stands 2 times"):
        load_calls(pack(tmp_path, *full(row("t01"), row("t01", label="block", stage="schema"))))


def test_refuses_a_pack_without_an_allow(tmp_path: Path) -> None:
    rows = [row(f"t{n:02}", label="block", stage="schema") for n in range(1, 13)]
    with pytest.raises(ConfigError, match="a gate that blocks everything is no gate"):
        load_calls(pack(tmp_path, *rows))


def test_refuses_a_pack_without_a_refusal(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"labelled allow, so it proves nothing\. Next: add some"):
        load_calls(pack(tmp_path, *[row(f"t{n:02}") for n in range(1, 13)]))


def test_refuses_a_pack_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    (tmp_path / "pack.jsonl").write_bytes(b"\xff\n")
    for name, told in (
        ("pack", "the pack cannot be read as UTF-8 text"),
        ("gone", "there is no such pack. Next: write"),
    ):
        with pytest.raises(ConfigError, match=f"{name}.jsonl: {told}"):
            load_calls(tmp_path / f"{name}.jsonl")


def test_names_all_fields_that_a_row_lacks_at_once(tmp_path: Path) -> None:
    short = {"id": "a", "label": "allow", "stage": None, "arguments": {}}
    with pytest.raises(ConfigError, match="line 1: note, reviewed_by_rule are missing. Next: write a line of JSON"):
        load_calls(pack(tmp_path, short))


# --- Counting --------------------------------------------------------------------------------------------------------


def test_repair_counts_as_not_allowed() -> None:
    card = scorecard(
        [outcome("a", "allow", "repair"), outcome("b", "repair", "repair"), outcome("c", "repair", "allow")]
    )
    assert (card.true_allow, card.true_block, card.false_allow, card.false_block) == (0, 1, 1, 1)


@given(st.lists(st.tuples(*[st.sampled_from(["allow", "repair", "block"])] * 2), min_size=1))
def test_the_counts_add_up_to_the_rows(pairs: list[tuple[str, str]]) -> None:
    rows = [outcome("first", "allow", "allow"), *(outcome(f"r{n}", *pair) for n, pair in enumerate(pairs))]
    card = scorecard(rows)
    assert card.true_allow + card.true_block + card.false_allow + card.false_block + card.beyond == len(rows)
    assert sum(count for cells in card.confusion.values() for count in cells.values()) == len(rows)
    assert card.passed == (card.false_allow == 0 and card.false_block == 0)


def test_precision_and_recall_are_of_blocking() -> None:
    rows = [*[outcome(f"a{n}", "block", "block") for n in range(3)], outcome("b", "block", "allow")]
    card = scorecard([*rows, outcome("c", "allow", "block"), outcome("d", "allow", "allow")])
    assert (card.precision, card.recall) == (0.75, 0.75)
    alone = scorecard([outcome("a", "allow", "allow")])
    assert (alone.precision, alone.recall) == (None, None)


def test_a_refusal_at_the_wrong_stage_is_a_fault() -> None:
    rows = [
        outcome("a", "allow", "allow"),
        outcome("b", "block", "block", stage_blocked="store", stage_expected="schema"),
    ]
    card = scorecard(rows)
    assert [(one.id, one.verdict) for one in card.faults] == [("b", "wrong stage")]
    assert not card.passed and card.false_allow == 0 and card.true_block == 1


def test_faults_come_with_false_allows_first() -> None:
    card = scorecard([outcome("a", "allow", "block"), outcome("b", "block", "allow"), outcome("c", "allow", "allow")])
    assert [one.verdict for one in card.faults] == ["false allow", "false block"]


def test_a_gate_that_blocks_everything_does_not_pass() -> None:
    class Wall:
        def judge(self, tool: str, raw: Any) -> Decision:
            return block("schema", [Finding("schema.other", "", "no")])

    card = score(load_calls(PACK), Wall())
    assert (card.false_allow, card.true_allow, card.passed) == (0, 0, False)


def test_a_row_for_a_gate_that_was_not_asked_is_counted_apart_and_shown() -> None:
    card = score(load_calls(PACK), Pipeline(CONTRACTS, ("schema",)), stages=("parse", "schema"))
    assert [one.id for one in card.rows if one.verdict == "beyond"] == ["t09", "t11", "t12"]
    assert (card.beyond, card.false_allow, card.true_block, len(card.rows)) == (3, 0, 5, 12)


def test_a_row_for_a_gate_that_was_not_asked_must_still_not_stop_before() -> None:
    bad = Call("x", "block", "semantic", {"order_id": "ord_9999"}, "n", "r")
    good = load_calls(PACK)[0]
    card = score([good, bad], Pipeline(CONTRACTS, TWO), stages=("parse", *TWO))
    assert [one.verdict for one in card.faults] == ["wrong stage"]


def test_no_row_can_declare_itself_beyond() -> None:
    with pytest.raises(ConfigError, match='"beyond" is no field of a row'):
        scorecard([outcome("a", "allow", "allow"), outcome("b", "block", "allow", beyond=True)])


GRADING = {
    "G01": [
        ([outcome("a", "allow", label)], 'row 1 ("a"): machine') for label in ("error", None, "Block", "", ["allow"])
    ]
    + [([outcome("a", "Block", "allow")], 'row 1 ("a"): human "Block" is not one of allow, repair, block')],
    "G02": [([], "a scorecard needs rows, there are none")],
    "G03": [([outcome("t01", "allow", "allow"), outcome("t01", "block", "block")], 'the id "t01" stands twice')],
    "G04": [([outcome("a", "block", "block")], "a gate that blocks everything is no gate")],
    "G05": [
        ([outcome("a", "allow", "allow"), {"id": "b", "machine": "allow"}], "row 2: human is missing"),
        ([{"human": "allow", "machine": "allow"}], "row 1: id is missing"),
        ([outcome("a", "allow", "allow", stage_blocked="somewhere")], 'stage_blocked "somewhere" is not one of'),
        ([outcome("", "allow", "allow")], "row 1: id must be a text"),
    ],
}


@pytest.mark.parametrize(
    ("rows", "words"),
    [pytest.param(*case, id=f"{name}-{n}") for name, cases in GRADING.items() for n, case in enumerate(cases)],
)
def test_rows_of_the_fault_list_about_counting(rows: list[Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scorecard(rows)
    assert words in str(caught.value)


def test_no_row_of_the_fault_list_about_counting_is_left_out() -> None:
    lines = (CASES / "faults.jsonl").read_text(encoding="utf-8").splitlines()
    named = {one["id"] for one in map(json.loads, lines) if one["surface"] == "grading"}
    assert named == set(GRADING)


# --- The command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def unplugged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the network away: opening a socket or looking up a name fails the test."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was used")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.usefixtures("unplugged")
def test_schema_and_store_need_no_network(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scorecard", "--gates", "schema,store", "--fixtures", PACK]) == 0
    out = capsys.readouterr().out
    for column in ("id", "human", "machine", "stage_blocked"):
        assert column in out
    assert "true allow 4, true block 7, false allow 0, false block 0, beyond 1: 12 calls." in out
    assert "Beyond these gates, for semantic was not asked: t12." in out
    assert "Every call that these gates can stop went as labelled." in out


@pytest.mark.usefixtures("unplugged")
def test_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scorecard", "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["confusion"] == {"allow": {"allow": 4, "block": 0}, "block": {"allow": 0, "block": 7}}
    assert (card["beyond"], card["passed"], len(card["rows"])) == (1, True, 12)
    assert card["rows"][8]["why"].startswith('store.unknown_order at /order_id: order_id is "ord_9999": no such order.')


def test_the_fixtures_beside_the_pack_are_scored_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scorecard"]) == 0
    assert "The fixtures of refund_order beside it kill 56 of 56 planted faults." in capsys.readouterr().out
    shutil.copy(PACK, tmp_path)
    command = ["scorecard", "--fixtures", str(tmp_path / Path(PACK).name)]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mutants"] is None  # there are none
    shutil.copytree(Path(PACK).parent / "refund_order", tmp_path / "refund_order")
    for one in (tmp_path / "refund_order").glob("reason-*.json"):
        one.unlink()
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "kill 47 of 56 planted faults; 9 survive. Next: gate mutants --tool refund_order." in out


def test_a_pack_of_another_tool_is_judged_by_its_contracts(tmp_path: Path) -> None:
    good = {"action": "noop", "ticket_id": "T-1", "idempotency_key": "k-0000001"}
    rows = [
        {"id": "a", "label": "allow", "stage": None, "arguments": good, "note": "n", "reviewed_by_rule": "r"},
        {"id": "b", "label": "block", "stage": "schema", "arguments": {}, "note": "n", "reviewed_by_rule": "r"},
    ]
    calls = tmp_path / "calls.jsonl"
    calls.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["scorecard", "--gates", "schema", "--fixtures", str(calls), "--min-rows", "2", "--contracts"]
    assert main([*command, str(HOME / "schemas"), "--tool", "ticket"]) == 0
    assert main([*command, str(HOME / "schemas")]) == 1  # as refunds, the first would be wrongly blocked
    assert main([*command, str(tmp_path), "--tool", "ticket"]) == 2


def test_a_false_allow_is_exit_1_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path(PACK).read_text(encoding="utf-8").splitlines()
    lines[0] = lines[0].replace('"allow", "stage": null', '"block", "stage": "schema"')
    assert main(["scorecard", "--fixtures", str(pack(tmp_path, *lines))]) == 1
    out = capsys.readouterr().out
    assert "FALSE ALLOW t01: a person says block at schema, the gates say allow." in out
    assert "false allow 1" in out


def test_a_false_block_is_exit_1_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path(PACK).read_text(encoding="utf-8").splitlines()
    lines[8] = lines[8].replace('"block", "stage": "store"', '"allow", "stage": null')
    assert main(["scorecard", "--fixtures", str(pack(tmp_path, *lines))]) == 1
    out = capsys.readouterr().out
    assert "FALSE BLOCK t09: a person says allow, the gates say block at store." in out
    assert "store.unknown_order at /order_id" in out


def test_a_wrong_stage_is_exit_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path(PACK).read_text(encoding="utf-8").splitlines()
    lines[9] = lines[9].replace('"stage": "schema"', '"stage": "store"')
    assert main(["scorecard", "--fixtures", str(pack(tmp_path, *lines))]) == 1
    assert "WRONG STAGE t10: a person says block at store, the gates say block at schema." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--gates", "schema,judge"], "is no stage"),
        (["--gates", ""], "is no stage"),
        (["--fixtures", "gone.jsonl"], "gone.jsonl: there is no such pack"),
        (["--min-rows", "13"], "it holds 12 of at least 13 calls; missing: t13"),
        (["--gates", "semantic", "--timeout", "0"], "time-out must be a number above 0"),
        (["--gates", "semantic", "--timeout", "nan"], "time-out must be a number above 0"),
        (["--gates", "semantic", "--judge", "nice"], '"nice" is no fault of the judge'),
        (["--judge", "policy"], "--judge is for the semantic gate"),
    ],
)
def test_a_misconfigured_run_is_exit_2_with_one_clear_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scorecard", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert words in said.err


def test_without_settings_nothing_is_allowed_and_the_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MODEL_BASE_URL", raising=False)
    assert main(["scorecard", "--gates", "schema,store,semantic"]) == 1
    out = capsys.readouterr().out
    assert "false allow 0, false block 4" in out
    assert "MODEL_BASE_URL is not set" in out


def test_the_stand_in_judge_makes_all_twelve_right(capsys: pytest.CaptureFixture[str]) -> None:
    for name, line in ((PACK, "true allow 4, true block 8"), (HARD, "true allow 12, true block 72")):
        assert main(["scorecard", "--gates", "schema,store,semantic", "--judge", "policy", "--fixtures", name]) == 0
        assert f"{line}, false allow 0, false block 0:" in capsys.readouterr().out


# --- In a notebook ---------------------------------------------------------------------------------------------------


def test_the_frames_show_the_rows_and_the_table() -> None:
    card = score(load_calls(PACK), Pipeline(CONTRACTS, TWO), stages=("parse", *TWO))
    table = frame(card)
    assert list(table.columns) == ["human", "machine", "stage_blocked", "verdict"]
    assert list(table.loc["t09"]) == ["block", "block", "store", "true block"]
    assert confusion_frame(card).to_numpy().tolist() == [[4, 0], [0, 7]]


def test_the_picture_is_a_png_and_says_the_same_in_words() -> None:
    picture = ConfusionPicture(scorecard([outcome("a", "allow", "allow"), outcome("b", "block", "allow")]))
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert repr(picture) == (
        "<confusion of 2 calls: true allow 1, true block 0, false allow 1, false block 0, beyond 0>"
    )
    shown = [text.get_text() for text in picture.figure().axes[0].texts]
    assert "FALSE ALLOW" in shown and shown.count("1") == 2


def test_a_row_is_judged_the_same_as_a_mapping() -> None:
    assert scorecard([Row("a", "allow", "allow")]) == scorecard([outcome("a", "allow", "allow")])


def test_the_smallest_pack_is_twelve() -> None:
    assert MIN_ROWS == 12


def test_an_import_s_fixture_of_a_tool_that_nobody_has_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]}
    Path("tools.json").write_text(json.dumps([{"name": "find", "input_schema": schema}]), encoding="utf-8")
    assert main(["contract", "import", "tools.json"]) == 0
    fits = {"stage": None, "arguments": {"day": "2026-03-01"}, "note": "fits", "reviewed_by_rule": "a day"}
    calls = [{**fits, "id": "a", "label": "allow"}, {**fits, "id": "b", "label": "block", "stage": "schema"}]
    calls[1]["arguments"] = {"day": "soon"}
    Path("fixtures/calls.jsonl").write_text("\n".join(map(json.dumps, calls)), encoding="utf-8")
    capsys.readouterr()
    line = ["--gates", "schema", "--fixtures", "fixtures/calls.jsonl", "--tool", "find", "--contracts", "schemas"]
    assert main(["scorecard", *line, "--min-rows", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mutants"]["survived"] == 0
    assert main(["mutants", "fixtures", "--contracts", "schemas"]) == 0
