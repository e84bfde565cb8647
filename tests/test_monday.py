"""The example that people copy, run as they run it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def monday(folder: Path, *words: str, example: Path = EXAMPLES) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(example / "monday.py"), "out", *words]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MODEL_")}
    environ |= {"PYTHONPATH": str(EXAMPLES.parent), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
    )


def test_it_runs_and_a_second_time_nothing_happens_twice(tmp_path: Path) -> None:
    first, second = monday(tmp_path), monday(tmp_path)
    assert (first.returncode, first.stderr) == (second.returncode, second.stderr) == (0, "")
    assert first.stdout.splitlines() == [
        "   (the ticket system: create_ticket T-7: 'SKU-19: 4 left')",
        "c1   inventory.lookup  repair        schema.pattern schema.unknown_field",
        'c2   inventory.lookup  allow         {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}',
        "c3   ticket            repair        call.incomplete",
        'c4   ticket            allow         {"ticket_id": "T-7", "comments": 0}',
        "done: Four are left, so I opened T-7.",
        "played again: the same decisions",
    ]
    assert "the ticket system" not in second.stdout
    assert 'c4   ticket            replay_first  {"' in second.stdout


def test_without_a_model_it_says_what_to_set(tmp_path: Path) -> None:
    done = monday(tmp_path, "--live")
    assert done.returncode == 1
    assert "stopped: run.planner_failed: the planner failed: the model cannot be asked: MODEL_BASE_URL" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"maximum": 1000000', '"maximum": 5', "inventory.lookup.output changed since it was frozen"),
        ('"quantity": {', '"amount": {}, "quantity": {', "monday: "),
    ],
    ids=["changed", "no contract"],
)
def test_a_contract_that_does_not_fit_is_one_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    example = tmp_path / "mine"
    shutil.copytree(EXAMPLES, example)
    path = example / "schemas" / "inventory.lookup.output.schema.json"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    done = monday(tmp_path, example=example)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
