"""Writers of the kit on a disk that fails, in a process of their own: what each tries, and what it says of it.

    python -m tests.hard.disk FOLDER WHAT …            each in FOLDER/WHAT, whose own disk is the limit
    python -m tests.hard.disk FOLDER WHAT/LIMIT …      each in FOLDER/WHAT/LIMIT, no file larger than LIMIT bytes

Each goes on until it is refused, or has written 400 things, and prints a line for each thing: `[place, word, value]`.

Not here: what must hold afterwards (`test_full_disk`, `test_mounts`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.files import write_whole
from gate.lab.answers import Answers
from gate.ledgers.sqlite import SqliteLedger
from gate.memory import AgentMemory
from tests.fence_kit import LIMITS, comment, fence

TOOL = "inventory.lookup"
MOST = 400
Step = Callable[[int], str]  # does the next thing; returns what it was told when it was not done


def say(folder: Path, word: str, value: Any) -> None:
    print(json.dumps([folder.relative_to(sys.argv[1]).as_posix(), word, value]), flush=True)


def good(number: int) -> dict[str, Any]:
    return {"sku": f"SKU-{number}", "quantity": number, "warehouse": "sfo"}


def memory(folder: Path) -> Step:
    kept = AgentMemory(path=folder / "memory")

    def step(number: int) -> str:
        kept.append_tool_result(TOOL, good(number), f"c{number}")
        return ""

    return step


def quarantine(folder: Path) -> Step:
    kept = AgentMemory(quarantine=folder / "quarantine")
    kept.append_tool_result(TOOL, good(0), "c0")

    def step(number: int) -> str:
        try:
            kept.append_tool_result(TOOL, "x" * 300 + str(number), f"c{number}")
        except ConfigError:
            assert len(kept.events) == 1
            raise
        except Exception as error:  # noqa: BLE001 - refused, as it should be: it is in quarantine
            assert type(error).__name__ == "ResultGateError", error
        return ""

    return step


def ledger(folder: Path) -> Step:
    guard = fence(SqliteLedger(folder / "ledger", wait_s=1), LIMITS._replace(max_mutations=1000, max_wall_ms=60_000))

    def step(number: int) -> str:
        answer = guard.run(comment(number, body="b" * 300), lambda _: say(folder, "effect", number))
        assert answer["ok"] or answer["findings"], answer
        return "" if answer["ok"] else " ".join(found["message"] for found in answer["findings"])

    return step


def answers(folder: Path) -> Step:
    os.environ["GATE_WORK"] = str(folder)
    store = Answers("progress")

    def step(number: int) -> str:
        known = store.save({f"key-{number}": "x" * 300})
        assert f"key-{number}" in known and known == store.load()
        return "" if store.saved else " ".join(store.notes)

    return step


def whole(folder: Path) -> Step:
    def step(number: int) -> str:
        write_whole(folder / "whole.json", f"{number} " * 120 * number)
        return ""

    return step


WRITERS: dict[str, Callable[[Path], Step]] = {
    function.__name__: function for function in (memory, quarantine, ledger, answers, whole)
}


def write(what: str, folder: Path) -> None:
    """Do one thing after the other, say `done` of each that was acknowledged, and `told` of the one that was not."""
    try:
        step = WRITERS[what](folder)
        for number in range(1, MOST + 1):
            told = step(number)
            say(folder, *(("told", told) if told else ("done", number)))
            if told:
                return
    except ConfigError as error:
        say(folder, "told", str(error))


if __name__ == "__main__":
    for place in sys.argv[2:]:
        what, _, limit = place.partition("/")
        folder = Path(sys.argv[1], place)
        folder.mkdir(parents=True, exist_ok=True)
        if limit:
            import resource  # not on Windows

            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
        write(what, folder)
