"""`gate check`: judge one payload from a file or from standard input."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli import main

VALID = b'{"sku":"SKU-19","quantity":4,"warehouse":"sfo"}'


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))

    return give


def test_the_issue_s_own_line_names_field_fault_and_next_step() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gate", "check", "--tool", "inventory.lookup", "--side", "output", "-"],
        input=b'{"sku":"SKU-19","quantity":"4","warehouse":"sfo"}\n', capture_output=True, check=False,
    )  # fmt: skip
    said = done.stdout.decode()
    assert done.returncode == 1
    assert "/quantity" in said and "schema.type" in said
    assert "quantity must be an integer, got a string." in said
    assert 'send a bare number: 4, not "4"' in said


def test_an_accepted_payload_exits_zero(stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin(VALID)
    assert main(["check", "--tool", "inventory.lookup"]) == 0
    assert capsys.readouterr().out == "allow: inventory.lookup accepts it.\n"


def test_json_is_the_decision(stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin(VALID.replace(b"4", b"4.0"))
    assert main(["check", "--tool", "inventory.lookup", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["outcome"], told["stage"], told["value"]) == ("block", "schema", None)
    assert [found["code"] for found in told["findings"]] == ["schema.type"]


def test_a_stage_that_was_not_asked_is_named(stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin(b'{"order_id":"ord_1842","amount":19.00,"currency":"USD","reason":"damaged on delivery"}')
    assert main(["check", "--tool", "refund_order", "--stages", "schema,store"]) == 0
    assert capsys.readouterr().out == "allow: refund_order accepts it (not asked: semantic).\n"


def test_a_schema_file_of_one_s_own_can_be_tried(tmp_path: Path, stdin, capsys: pytest.CaptureFixture[str]) -> None:
    schema = tmp_path / "add.json"
    schema.write_text(
        '{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer","minimum":0,"maximum":9}}}',
        encoding="utf-8",
    )
    stdin(b'{"n":10}')
    assert main(["check", "--tool", "add", "--schema", str(schema)]) == 1
    assert "n must be at most 9." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tool", "inventory.lookup", "nowhere.json"], '"nowhere.json" cannot be read (No such file or directory).'),
        (["--tool", "x", "--schema", "nowhere.json"], "nowhere.json: cannot be read"),
        (["--tool", "x", "--contracts", "nowhere"], "there is no contract in"),
        (["--tool", "refund_order", "--stages", "schema,stor"], "stor"),
        (["--tool", "inventory.lookup", "--stages", "schema,store"], "a result is judged by its schema alone."),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_two(
    arguments: list[str], said: str, stdin, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin(b"{}")
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and err.count("\n") == 1 and "Traceback" not in err


def test_a_payload_beyond_the_cap_is_not_read_whole(stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin(b'{"sku":"' + b"x" * 1_000_000)
    assert main(["check", "--tool", "inventory.lookup", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["code"] == "parse.size"


def test_asks_for_the_side_of_a_tool_that_has_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "additionalProperties": False, "properties": {"n": {"type": "integer"}}}
    for side in ("input", "output"):
        (tmp_path / f"count.{side}.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    (tmp_path / "payload").write_text('{"n": 1}', encoding="utf-8")
    assert main(["contract", "freeze", str(tmp_path)]) == 0
    line = ["check", "--tool", "count", "--contracts", str(tmp_path), str(tmp_path / "payload")]
    assert main(line) == 2
    assert '"count" has a contract for each side. Next: say --side input or --side output.' in capsys.readouterr().err
    assert main([*line, "--side", "output"]) == 0
