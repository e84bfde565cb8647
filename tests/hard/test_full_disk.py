"""A disk that is full at any byte: one clear line, nothing acknowledged is lost, nothing half-written."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gate.files import HOME
from gate.lab.answers import Answers
from gate.ledgers.sqlite import SqliteLedger
from gate.memory import AgentMemory
from tests.fence_kit import comment, fence, said
from tests.hard.budget import HARD, times
from tests.hard.disk import MOST, TOOL, WRITERS, good


class Told(NamedTuple):
    """What a writer acknowledged, which effects its tool had, and what it was told when the disk was full."""

    done: list[int]
    effect: list[int]
    told: list[str]


def write(folder: Path, places: list[str], *around: str) -> dict[str, Told]:
    """Let a writer write in each place until it is refused, and return what each said. It never ends in a traceback."""
    command = [*around, sys.executable, "-m", "tests.hard.disk", str(folder), *places]
    ended = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False, timeout=600)
    assert (ended.returncode, ended.stderr) == (0, "")
    said = {place: Told([], [], []) for place in places}
    for line in ended.stdout.splitlines():
        place, word, value = json.loads(line)
        said[place]._asdict()[word].append(value)
    return said


def check_memory(folder: Path, told: Told) -> None:
    memory = AgentMemory(path=folder / "memory")
    assert [event["tool_use_id"] for event in memory.events] == [f"c{number}" for number in told.done]
    assert memory.quarantined == () and not (folder / "memory.half").exists()
    memory.append_tool_result(TOOL, good(0), "after")


def check_quarantine(folder: Path, told: Told) -> None:
    path = folder / "quarantine"
    lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
    assert lines.pop() == b""
    assert [json.loads(line)["tool_use_id"] for line in lines] == [f"c{number}" for number in told.done]


def check_ledger(folder: Path, told: Told) -> None:
    assert set(told.done) <= set(told.effect) and len(told.effect) == len(set(told.effect))
    with SqliteLedger(folder / "ledger") as ledger:
        states = {int(entry.key[2:]): entry.state for entry in ledger.entries()}
        assert {number for number, state in states.items() if state == "applied"} == set(told.done)
        assert set(told.effect) <= states.keys()
        for number in set(told.effect) - set(told.done):  # it happened, and could not be written: never again by itself
            answer = fence(ledger).run(comment(number, body="b" * 300), lambda payload: {"twice": True})
            assert said(answer) == "fence.unknown_outcome"
        if told.done:
            assert said(fence(ledger).run(comment(told.done[0], body="b" * 300), lambda payload: None)) == "replayed"


def check_answers(folder: Path, told: Told) -> None:
    store = Answers("progress")
    assert sorted(store.load()) == sorted(f"key-{number}" for number in told.done)
    assert store.notes == () and store.save({"after": 1})["after"] == 1 and store.saved


def check_whole(folder: Path, told: Told) -> None:
    path, last = folder / "whole.json", max(told.done, default=0)
    assert (path.read_text(encoding="utf-8") if path.exists() else "") == f"{last} " * 120 * last
    assert [found.name for found in folder.iterdir()] == ([path.name] if last else [])


CHECKS: dict[str, Callable[[Path, Told], None]] = {
    "memory": check_memory, "quarantine": check_quarantine, "ledger": check_ledger, "answers": check_answers,
    "whole": check_whole,
}  # fmt: skip
#: From nothing to almost all of what 40 things take; the ledger's first page alone has 4,096 bytes.
LARGEST = {"memory": 9_000, "quarantine": 14_000, "ledger": 200_000, "answers": 11_000, "whole": 9_000}


def limits(what: str) -> list[int]:
    rng = random.Random(f"{what} {HARD}")
    return [0, 1, *(rng.randrange(2, LARGEST[what]) for _ in range(times(4)))]


def check(what: str, folder: Path, told: Told) -> None:
    """Hold what is on the disk, once there is room again, against what was acknowledged."""
    assert told.done == list(range(1, len(told.done) + 1))
    assert len(told.done) < MOST and len(told.told) == 1
    assert "\n" not in told.told[0] and len(told.told[0]) < 600
    CHECKS[what](folder, told)


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Told]]:
    """What all writers said with every limit."""
    folder = tmp_path_factory.mktemp("full")
    return folder, write(folder, [f"{what}/{limit}" for what in WRITERS for limit in limits(what)])


@pytest.mark.parametrize("what", WRITERS)
def test_a_file_that_cannot_grow_is_said_and_nothing_is_half_written(
    what: str, tried: tuple[Path, dict[str, Told]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, said_of = tried
    for limit in limits(what):
        here = folder / what / str(limit)
        monkeypatch.setenv("GATE_WORK", str(here))
        check(what, here, said_of[f"{what}/{limit}"])
