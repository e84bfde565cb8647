"""The responses: a row for every code, and `gate table`, which prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.cli import main
from gate.errors import CODES, ConfigError
from gate.files import locate, read_json
from gate.responses import ACTIONS, load_responses

ROWS: dict[str, Any] = read_json(locate("data/responses.json"))


def saved(tmp_path: Path, rows: dict[str, Any]) -> Path:
    path = tmp_path / "responses.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_every_code_has_its_row_in_the_order_of_the_codes() -> None:
    codes = [f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons]
    assert [row.code for row in load_responses()] == codes


def test_every_action_is_used_or_is_the_clean_one() -> None:
    assert {row.we_do for row in load_responses()} | {"allow"} == set(ACTIONS)


@pytest.mark.parametrize("code", ROWS)
def test_a_missing_row_refuses_to_start_and_is_named(tmp_path: Path, code: str) -> None:
    path = saved(tmp_path, {key: row for key, row in ROWS.items() if key != code})
    with pytest.raises(ConfigError) as refused:
        load_responses(path)
    assert str(refused.value).startswith(f"{path}: schema.missing_field at /{code}: ")
    assert "\n" not in str(refused.value)


FAULTS: dict[str, dict[str, Any]] = {
    "unknown code": {"parse.unheard_of": ROWS["parse.empty"]},
    "unknown action": {"parse.empty": ROWS["parse.empty"] | {"we_do": "guess"}},
    "no action": {"parse.empty": {"signal": "The payload is empty", "we_do_not": "Run the tool"}},
    "no signal": {"parse.empty": ROWS["parse.empty"] | {"signal": ""}},
    "extra field": {"parse.empty": ROWS["parse.empty"] | {"also": "this"}},
    "two lines": {"parse.empty": ROWS["parse.empty"] | {"signal": "The payload\nis empty"}},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_row_refuses_to_start(tmp_path: Path, fault: str) -> None:
    with pytest.raises(ConfigError, match=r"responses\.json: schema\."):
        load_responses(saved(tmp_path, ROWS | FAULTS[fault]))


def test_of_several_findings_the_strongest_response_counts() -> None:
    responses = load_responses()
    assert responses.action(["schema.type", "fence.unavailable"], max_repairs=2) == "escalate"
    assert responses.action(["schema.type", "parse.size"], max_repairs=2) == "block"
    assert responses.action(["fence.duplicate"]) == "replay_first"
    assert responses.action([]) == "allow"


def test_an_unknown_code_is_a_block() -> None:
    assert load_responses().action(["parse.unheard_of"], max_repairs=2) == "block"


@pytest.mark.parametrize(("tries", "action"), [(0, "repair"), (1, "repair"), (2, "escalate"), (9, "escalate")])
def test_repairs_are_bounded(tries: int, action: str) -> None:
    assert load_responses().action(["schema.enum"], tries=tries, max_repairs=2) == action


@pytest.mark.parametrize(("tries", "action"), [(0, "retry_same_key"), (2, "escalate")])
def test_retries_are_bounded(tries: int, action: str) -> None:
    assert load_responses().action(["fence.timeout"], tries=tries, max_repairs=2) == action


def test_gate_table_prints_every_row_and_what_the_words_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table"]) == 0
    page = capsys.readouterr().out
    assert all(code in page for code in ROWS)
    assert all(f"{action}:" in page for action in ACTIONS)


def test_gate_table_can_print_one_stage_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "--stage", "fence", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["responses"]
    assert [row["code"] for row in rows] == [f"fence.{reason}" for reason in CODES["fence"]]
    assert rows[1] == {"code": "fence.key_reused"} | ROWS["fence.key_reused"]


def test_gate_table_refuses_a_faulty_file_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, {key: row for key, row in ROWS.items() if key != "fence.timeout"})
    assert main(["table", "--responses", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
