"""`gate replay` and `gate demo`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.cli import main
from gate.evidence.demo import demo
from gate.evidence.fixtures import Fixture, save_fixture
from gate.evidence.recorded import load_recorded
from gate.registry import load_contracts


def test_the_kit_s_own_fixtures_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay"]) == 0
    assert "both engines and every label agree." in capsys.readouterr().out


def test_a_wrong_label_fails_and_stands_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
    save_fixture(Fixture("a-good", "inventory.lookup", "output", "allow", (), good), tmp_path)
    save_fixture(Fixture("b-bad", "inventory.lookup", "output", "block", ("schema.type",), good), tmp_path)
    assert main(["replay", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.index("b-bad") < said.index("a-good")
    told = "2 fixtures, each judged twice; 1 differ: inventory.lookup/b-bad. Next: a label that is right means another"
    assert told in " ".join(said.split())  # named once more, below what may be a long table


def test_replay_as_json_holds_both_decisions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["faults"] == 0 and told["fixtures"] == len(told["rows"]) >= 30
    assert all(row["first"] == row["second"] for row in told["rows"])


def test_both_engines_agree_on_everything_the_model_said() -> None:
    first = load_contracts()
    second = first.with_second_engine()
    rows = load_recorded()
    assert len(rows) == 476
    for row in rows:
        contracts = [side.input(row.tool) if row.side == "input" else side.output(row.tool) for side in (first, second)]
        one, two = (contract.judge(row.raw) for contract in contracts if contract)
        assert one == two, row.id


def test_the_demo_counts_what_each_memory_let_in() -> None:
    shown = demo(load_recorded(), load_contracts())
    assert sum(side.outputs for side in shown.prompts) == 199
    assert sum(side.naive for side in shown.prompts) == 115
    assert sum(side.gate for side in shown.prompts) == 72
    assert shown.elsewhere == 18
    assert shown.leaks["schema.unknown_field"] == 7


def test_the_demo_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    said = capsys.readouterr().out
    assert "What got into memory" in said and "Why the gate refused" in said
    assert "18 of the 72 accepted results" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "holds no recorded output"), ('{"id":"a"}\n', "line 1"), ('{"id":"a","id":"b"}\n', "line 1")],
)
def test_a_recorded_file_that_is_damaged_is_named(tmp_path: Path, text: str, said: str) -> None:
    from gate.errors import ConfigError

    file = tmp_path / "recorded.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        load_recorded(file)


@pytest.fixture
def own_schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `schemas` of one's own, without the kit's tools, where the command runs."""
    tool = {"name": "read", "input_schema": {"type": "object", "properties": {}}}
    (tmp_path / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["contract", "import", "tools.json"]) == 0


@pytest.mark.usefixtures("own_schemas")
def test_the_demo_shows_the_kit_s_contracts_beside_others(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["demo", "--json"]) == 0
    assert sum(side["gate"] for side in json.loads(capsys.readouterr().out)["prompts"]) == 72


@pytest.mark.usefixtures("own_schemas")
@pytest.mark.parametrize("command", [["lab", "status"], ["contract", "page", "--out", "page.md"]])
def test_what_is_about_the_kit_s_tools_works_beside_others(command: list[str]) -> None:
    assert main(command) == 0
