"""`gate fixtures add`: one payload becomes one fixture, with a person's label, and nothing is overwritten."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from gate import AgentMemory, ResultGateError, load_fixtures
from gate.calls.running import Ran
from gate.calls.tape import Tape, save_tape
from gate.cli import main
from gate.files import HOME

Capture = pytest.CaptureFixture[str]
GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
TEXT = {**GOOD, "quantity": "4"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _add(payload: Any, *words: str) -> int:
    file = Path("payload.json")
    file.write_text(payload if isinstance(payload, str) else json.dumps(payload), encoding="utf-8")
    return main(["fixtures", "add", str(file), "--tool", "inventory.lookup", "--side", "output", *words])


def _said(label: str, why: str = "because") -> list[str]:
    return ["--label", label, "--why", why]


def test_a_file_becomes_a_fixture_with_the_label_and_the_reason(capsys: Capture) -> None:
    assert _add(TEXT, *_said("block", "a number sent as text")) == 0
    told = capsys.readouterr().out
    assert "quantity must be an integer" in told and "type.json: block schema.type" in told
    (made,) = load_fixtures("fixtures")
    assert (made.id, made.tool, made.side, made.label) == ("type", "inventory.lookup", "output", "block")
    assert (made.codes, made.payload, made.note) == (("schema.type",), TEXT, "a number sent as text")
    assert main(["replay", "fixtures"]) == 0


def test_standard_input_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(GOOD).encode())))
    assert main(["fixtures", "add", "-", "--tool", "inventory.lookup", "--side", "output", *_said("allow")]) == 0
    assert [one.id for one in load_fixtures("fixtures")] == ["valid"]


def test_a_person_is_asked_until_there_is_a_label_and_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["yes", "block", "", "text for a number"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert _add(TEXT) == 0
    assert load_fixtures("fixtures")[0].note == "text for a number"


def test_without_anybody_to_ask_it_says_what_to_add(capsys: Capture) -> None:
    assert _add(TEXT, "--label", "block") == 2
    assert "Next: add --label allow|block and --why TEXT." in capsys.readouterr().err
    assert not Path("fixtures").exists()


def test_the_same_payload_is_not_added_twice_however_it_is_written(capsys: Capture) -> None:
    assert _add(GOOD, *_said("allow")) == 0
    assert _add('{ "warehouse":"sfo", "sku":"SKU-19","quantity":4 }', *_said("allow")) == 1
    assert "Not added: valid has the same payload." in capsys.readouterr().out
    assert _add(f"```json\n{json.dumps(GOOD)}\n```", *_said("allow")) == 0  # a fence is another way in
    assert [one.id for one in load_fixtures("fixtures")] == ["valid", "valid-2"]


def test_a_taken_name_is_never_overwritten(capsys: Capture) -> None:
    assert _add(GOOD, *_said("allow"), "--id", "mine") == 0
    before = Path("fixtures/inventory.lookup/mine.json").read_bytes()
    assert _add(TEXT, *_said("block"), "--id", "mine") == 1
    assert "Next: choose another --id." in capsys.readouterr().out
    assert Path("fixtures/inventory.lookup/mine.json").read_bytes() == before


def test_the_file_of_another_tool_in_the_same_folder_is_not_overwritten() -> None:
    shutil.copytree(HOME / "fixtures/inventory.lookup", "fixtures/inventory.lookup")
    file = Path("fixtures/inventory.lookup/unknown-tool.json")  # it is about inventory.lookpu
    before = file.read_bytes()
    assert _add(TEXT | {"sku": "SKU-7"}, *_said("block"), "--id", "unknown-tool") == 1
    assert file.read_bytes() == before


@pytest.mark.parametrize(("payload", "label"), [(TEXT, "allow"), (GOOD, "block")], ids=["allow", "block"])
def test_a_label_that_contradicts_the_contract_names_the_way_to_change_it(
    payload: dict[str, Any], label: str, capsys: Capture
) -> None:
    assert _add(payload, *_said(label)) == 1
    told = capsys.readouterr().out
    assert f"Not added: you say {label}, the contract says" in told
    assert "edit inventory.lookup.output.schema.json" in told
    assert "gate contract diff OLD NEW" in told and "gate contract freeze --bump inventory.lookup.output" in told
    assert not Path("fixtures").exists()


def test_with_the_contract_changed_the_label_holds() -> None:
    shutil.copytree(HOME / "schemas", "mine")
    schema = Path("mine/inventory.lookup.output.schema.json")
    schema.write_text(schema.read_text(encoding="utf-8").replace('"nrt"', '"nrt", "lon"'), encoding="utf-8")
    assert main(["contract", "freeze", "mine", "--bump", "inventory.lookup.output"]) == 0
    assert _add({**GOOD, "warehouse": "lon"}, *_said("allow")) == 1
    assert _add({**GOOD, "warehouse": "lon"}, *_said("allow"), "--contracts", "mine") == 0


def test_secrets_stay_out_with_a_warning(capsys: Capture) -> None:
    secret = "sk-live-abcdefgh12345678"
    payload = {**GOOD, "api_key": "hunter2!", "deep": [{"note": f"Bearer {secret}"}]}
    assert _add(payload, *_said("block", f"leaks {secret}")) == 0
    told = capsys.readouterr()
    assert "what looks like a secret was replaced by [redacted]" in told.err
    text = next(Path("fixtures").rglob("*.json")).read_text(encoding="utf-8")
    assert secret not in text and "hunter2" not in text and text.count("[redacted]") == 3
    assert secret not in told.out


def test_a_secret_in_the_reason_alone_is_warned_of_too(capsys: Capture) -> None:
    assert _add(GOOD, *_said("allow", "seen with sk-live-abcdefgh12345678"), "--json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["redacted"] is True
    assert told.err.strip() == "gate: what looks like a secret was replaced by [redacted] in the reason."


def test_where_the_secret_is_what_decides_nothing_is_written(capsys: Capture) -> None:
    contracts = Path("mine")
    contracts.mkdir()
    schema = {"type": "object", "additionalProperties": False, "properties": {
        "token": {"type": "string", "pattern": "^[a-z]{4,8}$"}}}  # fmt: skip
    (contracts / "login.input.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    assert main(["contract", "freeze", "mine"]) == 0
    Path("p.json").write_text('{"token": "abcd"}', encoding="utf-8")
    command = ["fixtures", "add", "p.json", "--tool", "login", "--contracts", "mine", *_said("allow")]
    assert main(command) == 1
    assert "without the secret the contract decides otherwise" in capsys.readouterr().out


def _quarantine(*payloads: str) -> None:
    memory = AgentMemory(quarantine="quarantine.jsonl")
    for raw in payloads:
        with pytest.raises(ResultGateError):
            memory.append_tool_result("inventory.lookup", raw)


def test_a_refused_payload_becomes_a_fixture_by_its_row(capsys: Capture) -> None:
    _quarantine(json.dumps(TEXT), '{"sku":')
    assert main(["fixtures", "add", "--from", "quarantine.jsonl", "--row", "1", *_said("block")]) == 0
    assert main(["fixtures", "add", "--from", "quarantine.jsonl", *_said("block")]) == 0
    found = {one.id: (one.codes, one.payload) for one in load_fixtures("fixtures")}
    assert found == {"type": (("schema.type",), TEXT), "not-json": (("parse.not_json",), '{"sku":')}
    assert main(["replay", "fixtures"]) == 0
    capsys.readouterr()
    assert main(["fixtures", "add", "--from", "quarantine.jsonl", "--row", "9", *_said("block")]) == 2
    assert "has 2 lines. Next: choose --row from 1 to 2." in capsys.readouterr().err


def test_it_says_which_row_it_took_of_how_many_and_how_to_take_another(capsys: Capture) -> None:
    _quarantine(json.dumps(TEXT))
    add = ["fixtures", "add", "--from", "quarantine.jsonl", *_said("block")]
    assert main(add) == 0
    assert capsys.readouterr().out.startswith("row 1 of 1\n")
    _quarantine('{"sku":', "{")
    assert main(add) == 0
    assert capsys.readouterr().out.startswith("row 3 of 3 (--row N takes another)\n")
    assert main([*add, "--row", "2"]) == 0
    assert capsys.readouterr().out.startswith("row 2 of 3\n")
    assert main([*add, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["row"], told["rows"]) == (3, 3)


def test_a_payload_that_quarantine_does_not_hold_whole_is_refused(capsys: Capture) -> None:
    memory = AgentMemory(quarantine="quarantine.jsonl")
    with pytest.raises(ResultGateError):
        memory.append_tool_result("inventory.lookup", {"sku": {1, 2}})
    assert main(["fixtures", "add", "--from", "quarantine.jsonl", *_said("block")]) == 2
    assert "does not hold the whole payload" in capsys.readouterr().err


def test_what_a_memory_accepted_becomes_a_fixture() -> None:
    AgentMemory(path="memory.jsonl").append_tool_result("inventory.lookup", GOOD, "c1")
    assert main(["fixtures", "add", "--from", "memory.jsonl", *_said("allow")]) == 0
    assert load_fixtures("fixtures")[0].payload == GOOD


def test_recorded_output_knows_its_tool() -> None:
    recorded = str(HOME / "fixtures/recorded/smollm2.jsonl")
    assert main(["fixtures", "add", "--from", recorded, "--row", "5", *_said("block")]) == 0
    (made,) = load_fixtures("fixtures")
    assert (made.tool, made.side, made.codes[0]) == ("refund_order", "input", "schema.missing_field")


def _tape() -> None:
    call = {"id": "c1", "name": "inventory.lookup", "arguments": {"sku": "SKU-19"}}
    bad = {"id": "c2", "name": "ticket", "raw": '{"action": "close"}'}
    reply = {"text": "", "calls": [call, bad], "finish_reason": None}
    ran = {**Ran("returned", TEXT)._asdict(), "findings": []}
    save_tape("tape.json", Tape("look it up", [reply], {"c1": ran}))


def test_a_call_on_a_tape_gives_its_arguments_or_its_result(capsys: Capture) -> None:
    _tape()
    assert main(["fixtures", "add", "--from", "tape.json", "--call", "c2", *_said("block")]) == 0
    assert main(["fixtures", "add", "--from", "tape.json", "--call", "c1", "--side", "output", *_said("block")]) == 0
    found = {(one.tool, one.side): one.payload for one in load_fixtures("fixtures")}
    assert found == {("ticket", "input"): {"action": "close"}, ("inventory.lookup", "output"): TEXT}
    capsys.readouterr()
    assert main(["fixtures", "add", "--from", "tape.json", "--call", "c2", "--side", "output", *_said("block")]) == 2
    assert 'the call "c2" did not run' in capsys.readouterr().err
    assert main(["fixtures", "add", "--from", "tape.json", "--call", "c9", *_said("block")]) == 2
    assert 'choose --call out of "c1", "c2"' in capsys.readouterr().err


def test_an_unknown_tool_is_a_fixture_too() -> None:
    Path("p.json").write_text(json.dumps(GOOD), encoding="utf-8")
    assert main(["fixtures", "add", "p.json", "--tool", "inventory.look", "--side", "output", *_said("block")]) == 0
    assert load_fixtures("fixtures")[0].codes == ("call.unknown_tool",)


def test_a_number_that_python_would_round_stays_as_it_was_written() -> None:
    text = '{"order_id": "ord_1842", "amount": 19.000000000000001, "currency": "USD", "reason": "damaged on delivery"}'
    Path("p.json").write_text(text, encoding="utf-8")
    assert main(["fixtures", "add", "p.json", "--tool", "refund_order", "--side", "input", *_said("allow")]) == 0
    assert load_fixtures("fixtures")[0].payload == text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "one payload is wanted"),
        (["p.json", "--from", "q.jsonl"], "one payload is wanted"),
        (["--from", "gone.jsonl"], "name a quarantine, a memory, a tape or a record"),
        (["p.json"], "nothing says whose payload this is"),
    ],
)
def test_what_cannot_be_understood_is_one_line(words: list[str], told: str, capsys: Capture) -> None:
    Path("p.json").write_text("{}", encoding="utf-8")
    assert main(["fixtures", "add", *words]) == 2
    error = capsys.readouterr().err
    assert told in error and "Next:" in error and error.count("\n") == 1


def test_bytes_that_are_no_text_are_refused(capsys: Capture) -> None:
    Path("p.json").write_bytes(b'{"a": "\xff"}')
    assert main(["fixtures", "add", "p.json", "--tool", "ticket", "--side", "input", *_said("block")]) == 2
    assert "no UTF-8" in capsys.readouterr().err


def test_json_tells_the_decision_and_the_refusal(capsys: Capture) -> None:
    assert _add(TEXT, *_said("allow"), "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["path"] is None and told["refused"].startswith("you say allow")
    assert told["decision"]["outcome"] == "block" and told["redacted"] is False
    assert _add(TEXT, *_said("block"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["path"].endswith("type.json")
