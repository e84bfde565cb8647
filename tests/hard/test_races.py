"""Threads of several processes at once on one ledger, memory file and answers file: nothing doubled, nothing lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gate.files import HOME
from gate.lab.answers import Answers
from gate.memory import AgentMemory
from tests.fence_kit import Place
from tests.hard.budget import times

PROCESSES, THREADS, CALLS = 2, 3, times(8)
TOOL = "inventory.lookup"

#: Each process runs `work(number of the thread)` on its threads, all begun together, and prints what they return.
_TOGETHER = """
import json, os, random, sys, threading
me, folder, threads, calls, seed = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
sys.setswitchinterval(1e-5)
{setup}
began, said = threading.Barrier(threads), []
def run(number):
    rng = random.Random(f"{{me}} {{number}} {{seed}}")
    began.wait(60)
    said.append(work(number, rng.sample(range(calls), calls)))
print("ready", flush=True)
input()
running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
for thread in running: thread.start()
for thread in running: thread.join()
print(json.dumps(said))
"""


def race(setup: str, folder: Path) -> list[Any]:
    """Run the same on the threads of all processes and return what each thread said."""
    source = _TOGETHER.format(setup=setup)
    command = [sys.executable, "-c", source]
    arguments = [str(folder), str(THREADS), str(CALLS), "7"]
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen([*command, str(number), *arguments], cwd=HOME, stdin=pipe, stdout=pipe, text=True)
        for number in range(PROCESSES)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate(timeout=600)[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return [said for text in told for said in json.loads(text)]


_LEDGER = """
from tests.fence_kit import LIMITS, comment, fence, said as word
{open_ledger}
limits = LIMITS._replace(max_mutations=10**6, max_wall_ms=60_000)
guard, effects = fence(ledger, limits), os.open(os.path.join(folder, "effects"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def tool(payload):
    os.write(effects, (payload["idempotency_key"] + "\\n").encode())
    return {{"by": me}}
def work(number, order):
    told = {{}}
    for call in order:
        while (answer := guard.run(comment(call), tool))["ok"] is False and word(answer) == "fence.in_progress":
            pass  # another mutation of the run is under way
        told[call] = [word(answer), answer["result"]]
    return told
"""


def test_each_key_has_one_effect_and_everybody_gets_its_result(place: Place) -> None:
    said = race(_LEDGER.format(open_ledger=place.code), place.folder)
    effects = Counter((place.folder / "effects").read_text(encoding="utf-8").split())
    assert (len(effects), set(effects.values())) == (CALLS, {1})
    for call in map(str, range(CALLS)):
        words = Counter(told[call][0] for told in said)
        assert words == {"ran": 1, "replayed": PROCESSES * THREADS - 1}
        assert len({json.dumps(told[call][1]) for told in said}) == 1
    with place.open() as ledger:
        assert ledger.used() == CALLS
        assert {entry.state for entry in ledger.entries()} == {"applied"}
        assert Counter(event.event for event in ledger.audit())["applied"] == CALLS


_MEMORY = f"""
from gate.errors import ResultGateError
from gate.memory import AgentMemory
memory = AgentMemory(path=os.path.join(folder, "memory"), quarantine=os.path.join(folder, "quarantine"))
def work(number, order):
    accepted = []
    for call in order:
        try:
            mine = {{"sku": f"SKU-{{me}}{{number}}", "quantity": call, "warehouse": "sfo"}}
            memory.append_tool_result({TOOL!r}, mine, f"c{{call}}")
            accepted.append(call)
        except ResultGateError as error:
            assert error.findings[0].code == "memory.duplicate_call_id"
    return accepted
"""


def test_each_call_has_one_result_in_memory_and_every_other_one_is_put_aside(tmp_path: Path) -> None:
    accepted = race(_MEMORY, tmp_path)
    assert sorted(call for calls in accepted for call in calls) == list(range(CALLS))
    memory = AgentMemory(path=tmp_path / "memory")
    assert (len(memory.events), memory.quarantined) == (CALLS, ())
    kept = Counter(event["content"]["sku"] for event in memory.events)
    assert sorted(kept.values()) == sorted(len(calls) for calls in accepted if calls)
    lines = (tmp_path / "quarantine").read_text(encoding="utf-8").splitlines()
    assert len(lines) == CALLS * (PROCESSES * THREADS - 1)
    assert {json.loads(line)["codes"][0] for line in lines} == {"memory.duplicate_call_id"}


_ANSWERS = """
os.environ["GATE_WORK"] = folder
from gate.lab import answers
answers.LOCK_SECONDS = 120.0
shared = answers.Answers("progress")
def work(number, order):
    store = shared if number else answers.Answers("progress")
    for call in order:
        store.update(lambda known: {**known, "count": known.get("count", 0) + 1, f"{me}-{number}-{call}": call})
    return list(store.notes)
"""


def test_no_answer_is_lost_and_none_is_counted_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert race(_ANSWERS, tmp_path) == [[]] * (PROCESSES * THREADS)
    monkeypatch.setenv("GATE_WORK", str(tmp_path))
    document = Answers("progress").load()
    assert document.pop("count") == len(document) == PROCESSES * THREADS * CALLS
