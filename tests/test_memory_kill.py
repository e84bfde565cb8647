"""Killed at each step of one append, in turn: what was acknowledged is there, and no half of what was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gate.files import HOME
from gate.memory import AgentMemory
from tests.cases_kit import kit

# Each kill is a fork of this process that keeps c0, and dies on the way to c1 at the step named, after so many bytes.
DRIVER = """
import json, os, signal, sys
from gate.memory import AgentMemory

def result(number):
    return {"sku": f"SKU-{number}", "quantity": number, "warehouse": "sfo"}

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def child(path, step, written, say):
    memory = AgentMemory(path=path)
    memory.append_tool_result("inventory.lookup", result(0), "c0")
    os.write(say, b"c0 ")
    write = os.write
    if step == "write":
        os.write = lambda handle, data: write(handle, data[:written]) and die() or die()
    elif step == "sync":
        os.fsync = die
    elif step == "cut":
        with open(path, "ab") as file:
            file.write(b'{"half')
        os.fsync = die
    memory.append_tool_result("inventory.lookup", result(1), "c1")
    write(say, b"c1 ")
    die()

for number, (step, written) in enumerate(json.loads(sys.argv[2])):
    hear, say = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(f"{sys.argv[1]}/{number}", step, written, say)
    os.close(say)
    _, status = os.waitpid(pid, 0)
    print(os.WTERMSIG(status), os.read(hear, 99).decode())
"""

LINE = 250  # a line has about so many bytes
STEPS = [
    ("write", 0), ("write", 1), ("write", LINE // 2), ("write", LINE - 25), ("write", 100_000), ("sync", 0), ("cut", 0),
    ("acknowledged", 0),
]  # fmt: skip


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", DRIVER, str(folder), json.dumps(STEPS)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, encoding="utf-8", check=True)
    return folder, done.stdout.splitlines()


@pytest.mark.parametrize("number", range(len(STEPS)), ids=lambda number: "-".join(map(str, STEPS[number])))
def test_a_kill_leaves_whole_events_and_all_that_were_acknowledged(killed: tuple[Path, list[str]], number: int) -> None:
    path, (how, *told) = killed[0] / str(number), killed[1][number].split()
    step, written = STEPS[number]
    assert how == str(int(signal.SIGKILL))
    assert told == (["c0", "c1"] if step == "acknowledged" else ["c0"])
    memory = AgentMemory(kit(False), path=path)
    kept = [event["tool_use_id"] for event in memory.events]
    reached_the_file = step in ("sync", "acknowledged") or written > LINE
    assert kept == (["c0", "c1"] if reached_the_file else ["c0"])
    assert memory.quarantined == ()
    assert Path(f"{path}.half").exists() == (step == "cut" or 0 < written < LINE)
    memory.append_tool_result("inventory.lookup", {"sku": "SKU-2", "quantity": 2, "warehouse": "sfo"}, "c2")
    again = AgentMemory(kit(False), path=path)
    assert [event["tool_use_id"] for event in again.events] == [*kept, "c2"]
    assert path.read_bytes().count(b"\n") == len(kept) + 1 and os.path.getsize(path) < (len(kept) + 2) * LINE
