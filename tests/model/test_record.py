"""Recording keeps every word with its prompt; a planner of text runs behind the gates. The recorded model speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.calls.tools import Tools
from gate.cli import main
from gate.errors import GateError
from gate.evidence.double import Double
from gate.evidence.recorded import load_recorded
from gate.loop import run_turn
from gate.model.planner import said, text_planner
from gate.model.prompts import load_prompts
from gate.model.record import kinds_of
from gate.model.replay import running_replay
from gate.pipeline import Pipeline
from gate.registry import load_contracts

PROMPT = load_prompts()["refund.oneshot"]
TOLD = {row.id: row.raw for row in load_recorded()}


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    with running_replay() as running:
        point(monkeypatch, running)
        yield running


def point(monkeypatch: pytest.MonkeyPatch, double: Double, fault: str = "") -> None:
    for name, value in double.environ(fault).items():
        monkeypatch.setenv(name, value)


def test_keeps_every_word_with_seed_finish_reason_model_and_prompt(
    double: Double, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "said.jsonl"
    assert main(["model", "record", "--n", "3", "--seed", "2", "--out", str(out), "--json"]) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(row["id"], row["seed"], row["raw"]) for row in rows] == [
        (f"refund.oneshot-00{seed}", seed, TOLD[f"refund.oneshot-00{seed}"]) for seed in (2, 3, 4)
    ]
    assert {(row["finish_reason"], row["model"]) for row in rows} == {("stop", "recorded-smollm2")}
    prompt = json.loads((tmp_path / "said.prompt.json").read_text(encoding="utf-8"))
    assert prompt["request"]["messages"] == PROMPT.messages
    assert (prompt["request"]["temperature"], prompt["request"]["max_tokens"]) == (0.8, 200)
    assert json.loads(capsys.readouterr().out)["model"] == "remote"
    assert main(["model", "score", str(out)]) == 0


def test_a_recording_is_never_written_over(double: Double, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "said.jsonl"
    out.write_text("kept", encoding="utf-8")
    assert main(["model", "record", "--n", "1", "--out", str(out)]) == 2
    assert "a recording is kept. Next: give --out another name." in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "kept"


def test_a_model_that_cannot_be_asked_leaves_no_file(
    double: Double, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    point(monkeypatch, double, "server-error")
    assert main(["model", "record", "--n", "2", "--out", str(tmp_path / "said.jsonl")]) == 2
    assert "the model cannot be asked: it answered 500" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_was_said_before_a_fault_is_kept(
    double: Double, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gate.model import record as recording

    once = iter([recording.complete])

    def then_fail(*arguments: Any, **more: Any) -> dict[str, Any]:
        complete = next(once, None)
        if complete is None:
            raise GateError("the connection broke")
        return complete(*arguments, **more)

    monkeypatch.setattr(recording, "complete", then_fail)
    assert main(["model", "record", "--n", "5", "--out", str(tmp_path / "said.jsonl")]) == 1
    assert "1 outputs of" in (told := capsys.readouterr().out) and "the connection broke" in told
    assert len(load_recorded(tmp_path / "said.jsonl")) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--tool", "x"], "there is no prompt for a tool of that name. Next: one of inventory.lookup, refund_order"),
        (["--kind", "ticket.plain"], "there is no prompt of that kind for refund_order. Next: one of refund.oneshot"),
        (["--n", "0"], "--n must be 1 or more"),
    ],
)
def test_a_wish_that_cannot_be_met_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "record", *words]) == 2
    assert told in capsys.readouterr().err


def test_what_was_recorded_is_not_recorded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MODEL_BASE_URL", raising=False)
    monkeypatch.setenv("GATE_MODEL", str(tmp_path))
    assert main(["model", "record"]) == 2
    assert "there is no model to record. Next: gate model install" in capsys.readouterr().err


def test_every_tool_with_a_prompt_has_kinds() -> None:
    assert kinds_of("inventory.lookup")[0] == "inventory.oneshot" and kinds_of("ticket") == ["ticket.plain"]


# --- A planner of text -----------------------------------------------------------------------------------------------


def turn(environ: dict[str, str], *seeds: int) -> tuple[Any, list[dict[str, Any]]]:
    """Run a turn with the recorded planner; return it and what reached the tool."""
    reached: list[dict[str, Any]] = []

    def refund(**arguments: Any) -> dict[str, Any]:
        reached.append(arguments)
        return {"refunded": arguments["amount"]}

    contracts = load_contracts()
    tools = Tools({"refund_order": refund}, contracts)
    gates = Pipeline(contracts, ("schema", "store"))
    return run_turn("refund", text_planner(PROMPT, "refund_order", environ, seeds), tools, judge=gates.judge), reached


def test_a_planner_tries_again_until_the_gates_allow(double: Double) -> None:
    over, reached = turn(double.environ(), 2, 33, 3)
    assert [(row["id"], *row["codes"]) for row in over.transcript] == [
        ("002", "schema.missing_field"), ("033", "parse.duplicate_key"), ("003",),
    ]  # fmt: skip
    assert over.status == "done" and reached == [json.loads(TOLD["refund.oneshot-003"])]


def test_a_planner_that_is_never_right_ends_with_a_person_and_no_refund(double: Double) -> None:
    over, reached = turn(double.environ(), 6, 37, 4, 3)
    assert (over.status, over.code, reached) == ("stopped", "run.too_many_errors", [])


def test_a_planner_without_seeds_left_says_so(double: Double) -> None:
    over, reached = turn(double.environ(), 2)
    assert (over.status, over.text, reached) == ("done", "no seed is left", [])


def test_a_cut_off_reply_runs_nothing(double: Double) -> None:
    over, reached = turn(double.environ("cut-off"), 3)
    assert over.transcript[0]["codes"] == ["call.incomplete"] and reached == []


def test_every_recorded_plan_reaches_the_tool_only_through_the_gates(double: Double) -> None:
    contracts = load_contracts()
    gates = Pipeline(contracts, ("schema", "store"))
    for seed in (int(name[-3:]) for name in TOLD if name.startswith("refund.oneshot-")):
        _, reached = turn(double.environ(), seed)
        assert bool(reached) == bool(gates.judge("refund_order", TOLD[f"refund.oneshot-{seed:03}"])), seed


@pytest.mark.parametrize(
    "reply", [{}, {"choices": []}, {"choices": [{}, {}]}, {"choices": [{"finish_reason": "stop", "message": {}}]}]
)
def test_a_reply_without_one_text_is_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(GateError, match="no chat completion with exactly one choice of text"):
        said(reply)
