"""The README says what is so: its commands exist, its example runs, its numbers are the kit's."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from gate.cli import command_names, main
from gate.errors import ResultGateError
from gate.evidence.demo import demo
from gate.evidence.recorded import load_recorded
from gate.files import HOME
from gate.registry import load_contracts

README = (HOME / "README.md").read_text(encoding="utf-8")


def test_every_command_is_named() -> None:
    named = set(re.findall(r"gate ([a-z]+)", README))
    assert set(command_names()) - named == set()


def test_every_file_it_points_to_is_there() -> None:
    listed = re.findall(r"`((?:notebooks|examples|labconfig)/[^`]*)`|\]\(([A-Z]+\.md)\)", README)
    assert listed and [name for pair in listed for name in pair if name and not (HOME / name).exists()] == []


def test_the_demo_s_numbers_are_those_it_prints() -> None:
    shown = demo(load_recorded(), load_contracts())
    outputs, naive, gated = (sum(column) for column in list(zip(*shown.prompts, strict=True))[1:])
    said = f"A small model played a warehouse {outputs} times. A naive memory took in {naive} of its outputs"
    assert f"{said}, the gate {gated}" in README


def test_the_lengths_of_the_labs_are_those_of_the_plan() -> None:
    labs = json.loads((HOME / "data/labs.json").read_text(encoding="utf-8"))["labs"]
    told = dict(re.findall(r"^\| ([a-z]+) \| ([0-9]+) \|", README, re.MULTILINE))
    assert told == {lab["id"]: str(lab["sections"][-1]["end"]) for lab in labs}


def test_the_monday_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    shutil.copytree(HOME / "schemas", tmp_path / "schemas")
    monkeypatch.chdir(tmp_path)
    call = {"id": "c1", "name": "ticket", "arguments": {
        "action": "noop", "ticket_id": "T-1", "idempotency_key": "k-12345678"}}  # fmt: skip
    names: dict[str, Any] = {"call": call, "my_tools": {"ticket": lambda **_: {"done": True}}}
    exec(compile(code, "README.md", "exec"), names)  # the ticket tool has no result contract, so its result is refused
    assert names["decision"].outcome == "allow"
    assert names["memory"].events == ()
    assert names["memory"].quarantined[0]["codes"] == ["result.no_contract"]
    with pytest.raises(ResultGateError):
        names["memory"].append_tool_result("ticket", {"done": True}, "c1")


def test_the_line_it_shows_is_what_the_command_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    payload = tmp_path / "payload.json"
    payload.write_text('{"sku":"SKU-19","quantity":"4","warehouse":"sfo"}', encoding="utf-8")
    assert main(["check", "--tool", "inventory.lookup", str(payload)]) == 1
    first = capsys.readouterr().out.splitlines()[0].strip()
    assert first in README


def test_what_the_ledgers_promise_is_shown_by_tests_that_are_there() -> None:
    files = [HOME / "tests" / name for name in ("test_ledger.py", "test_redis_ledger.py")]
    tests = re.findall(r"^def (test_\w+)", "\n".join(path.read_text(encoding="utf-8") for path in files), re.MULTILINE)
    named = re.findall(r"`(test_\w+)`", (HOME / "docs" / "monday.md").read_text(encoding="utf-8"))
    assert len(named) >= 10
    assert set(named) - set(tests) == set()
