"""`kill -9` at random instants, 500 with GATE_HARD=20: no second effect, nothing acknowledged is lost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gate.files import HOME
from gate.lab.answers import Answers
from tests.hard.budget import HARD, times
from tests.test_memory import Writer, results

MODES = {"blind": times(8), "keyed": times(7), "lookup": times(7)}
MEMORY, ANSWERS = times(2), times(1)

_SAVING = """
import sys
from gate.lab.answers import Answers
for number in range(int(sys.argv[1]), 10**9):
    Answers("progress").save({"number": number, f"key-{number % 50}": "x" * 20_000})
    print(number, flush=True)
"""


def soak_counts(*arguments: str) -> dict[str, Any]:
    """Run the soak of killed workers and return its counts; nothing may be wrong in them."""
    command = [sys.executable, "-m", "tests.ledger_kill.soak", "--seed", str(HARD), *arguments]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=HOME, timeout=1800)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    counts: dict[str, Any] = json.loads(ended.stdout)
    assert {name: value for name, value in counts.items() if isinstance(value, list) and value} == {}
    assert counts["audit"]["claimed"] >= counts["effects"] >= counts["states"].get("applied", 0)
    return counts


def test_there_are_five_hundred_kill_points_in_all() -> None:
    assert (sum(MODES.values()) + MEMORY + ANSWERS) * 20 == 500 * HARD


@pytest.mark.parametrize("mode", MODES)
def test_kills_make_no_second_effect_and_lose_none(mode: str) -> None:
    counts = soak_counts("--mode", mode, "--kills", str(MODES[mode]))
    assert counts["kills"] >= MODES[mode]


def test_kills_lose_no_acknowledged_result_of_the_memory(tmp_path: Path) -> None:
    rng, path = random.Random(HARD), tmp_path / "memory"
    acknowledged: set[str] = set()
    for killed in range(0, MEMORY, 2):
        writers = [Writer(path, letter) for letter in "ab"]
        calls = [f"c{4 * killed + number}" for number in range(8)]
        for writer in writers:
            writer.tell(rng.sample(calls, 8))
        for writer in writers:
            said = [writer.line() for _ in range(rng.randint(0, 3))]
            time.sleep(rng.expovariate(500))  # the random instant is what is being tested
            writer.process.kill()
            acknowledged |= {line for line in said + writer.rest() if line.startswith("c")}
        kept = [call for call, _ in results(path)]
        assert acknowledged <= set(kept)
        assert len(set(kept)) == len(kept) <= len(acknowledged) + killed + 2
    assert acknowledged


def test_kills_leave_the_answers_whole_and_the_last_one_said_in_them() -> None:
    rng, number = random.Random(HARD), 0
    for _ in range(ANSWERS):
        command = [sys.executable, "-c", _SAVING, str(number)]
        with subprocess.Popen(command, cwd=HOME, text=True, stdout=subprocess.PIPE) as kernel:
            assert kernel.stdout is not None
            seen = [kernel.stdout.readline() for _ in range(rng.randint(1, 20))]
            time.sleep(rng.expovariate(500))  # the random instant is what is being tested
            kernel.kill()
            number = int((seen + kernel.stdout.read().split("\n")[:-1])[-1])
        store = Answers("progress")
        assert number <= store.load()["number"] <= number + 1
        assert not store.notes
