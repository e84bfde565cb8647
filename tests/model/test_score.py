"""What three readers let through: the kinds are found without the gate, and the gate lets none of its own through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.cli import main
from gate.evidence.recorded import Recorded, load_recorded
from gate.files import HOME
from gate.model.picture import ScorePicture
from gate.model.prompts import load_prompts
from gate.model.score import FINE, KINDS, UNSEEN, Score, score, slipped, total
from gate.registry import load_contracts

CONTRACTS = load_contracts()
ASKED = {kind: prompt.asked for kind, prompt in load_prompts().items()}
KIT = score(load_recorded(), CONTRACTS, ASKED)
GOOD = '{"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": "arrived damaged"}'
STOCK = '{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}'


def scored(raw: str, reason: str = "stop", kind: str = "refund.oneshot") -> tuple[Any, ...]:
    tool = ("refund_order", "input") if kind.startswith("refund") else ("inventory.lookup", "output")
    [one] = score([Recorded("x", kind, *tool, raw, reason)], CONTRACTS, ASKED)  # type: ignore[arg-type]
    assert one.outputs == 1
    return one[0], *one[2:]


@pytest.mark.parametrize(
    ("raw", "kind", "naive", "by_schema", "gate"),
    [
        (GOOD, FINE, 1, 1, 1),
        (f"Sure! {GOOD} Done.", "prose around JSON", 0, 0, 0),
        ("I cannot do that.", "no JSON", 0, 0, 0),
        (f"[{GOOD}]", "no object", 0, 0, 0),
        (GOOD[:-1] + ', "amount": 500}', "duplicate keys", 1, 1, 0),
        (GOOD.replace('"amount": 19.0, ', ""), "missing keys", 1, 0, 0),
        (GOOD[:-1] + ', "vip": true}', "extra keys", 1, 0, 0),
        (GOOD.replace("USD", "usd"), "wrong enum", 1, 0, 0),
        (GOOD.replace("19.0", "0"), "another rule of the schema", 1, 0, 0),
        (GOOD.replace("USD", "EUR"), "wrong currency for the order", 1, 1, 0),
        (GOOD.replace("ord_1842", "ord_1700").replace("USD", "EUR").replace("19.0", "7.5"), "wrong order", 1, 1, 1),
        (GOOD.replace("19.0", "1.5"), "another amount than asked", 1, 1, 1),
    ],
)
def test_each_kind_of_fault_and_who_lets_it_through(raw: str, kind: str, naive: int, by_schema: int, gate: int) -> None:
    assert scored(raw) == (kind, naive, by_schema, gate)


def test_what_was_cut_off_is_let_through_by_readers_who_do_not_ask() -> None:
    assert scored(GOOD, "length") == ("cut off", 1, 1, 0)
    assert scored(STOCK, "length", "inventory.oneshot") == ("cut off", 1, 1, 0)


def test_a_perfect_answer_about_another_item_stops_at_the_echo() -> None:
    assert scored(STOCK, kind="inventory.oneshot") == (FINE, 1, 1, 1)
    assert scored(STOCK.replace("SKU-19", "SKU-20"), kind="inventory.oneshot") == ("wrong sku", 1, 1, 0)


def test_every_output_of_the_kit_s_recording_counts_once() -> None:
    assert total(KIT)[:2] == ("all", 476)
    assert [item.kind for item in KIT] == [kind for kind in KINDS if kind in {item.kind for item in KIT}]


def test_the_gate_lets_nothing_through_that_can_be_seen() -> None:
    assert slipped(KIT) == []
    assert {item.kind for item in KIT if item.gate} == {"another amount than asked", FINE}
    assert total(KIT) == Score("all", 476, 218, 138, 93)


def test_a_fault_that_the_gate_let_through_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gate.model.score._gate_allows", lambda row, *_: row.finish_reason == "length")
    assert main(["model", "score"]) == 1
    assert "THE GATE LET THROUGH 169 with cut off." in capsys.readouterr().out


def test_prints_the_table_and_writes_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "score", "--picture", str(tmp_path / "score.png")]) == 0
    said = capsys.readouterr().out
    row = next(line for line in said.splitlines() if "duplicate keys" in line)
    assert [cell.strip() for cell in row.split("│")] == ["duplicate keys", "11", "11", "4", "0"]
    assert (tmp_path / "score.png").read_bytes().startswith(b"\x89PNG")


def test_json_holds_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "score", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True and [Score(**item) for item in told["scores"]] == KIT


def test_the_picture_shows_every_count_and_says_it_in_words() -> None:
    picture = ScorePicture(KIT)
    axes = picture.figure().axes[0]
    widths = [[bar.get_width() for bar in group] for group in axes.containers]
    assert widths == [[item[2 + reader] for item in KIT] for reader in range(3)]
    assert "duplicate keys: 11, 4, 0 of 11" in repr(picture)
    assert {label.get_text().endswith("*") for label in axes.get_yticklabels()} == {True, False}
    assert sum(item.kind in UNSEEN for item in KIT) == 2


def test_a_recording_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "score", "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl: cannot be read." in capsys.readouterr().err


def test_the_page_on_the_model_says_these_numbers() -> None:
    text = (HOME / "docs" / "model.md").read_text(encoding="utf-8")
    every = total(KIT)
    assert f"{every.naive}, {every.jsonschema} and {every.gate} of its {every.outputs} outputs" in " ".join(
        text.split()
    )
