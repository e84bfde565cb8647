"""One sealed notebook in each protection that works here: what nbval says of a cell, and what a kernel can reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.files import HOME
from gate.grading import protect
from gate.grading.runner import NbvalRunner, came
from gate.grading.words import Ran, Sealed

LOOK = f"""
import json, os, socket
from pathlib import Path

home, seen = Path({str(HOME)!r}), {{}}
ours = ("notebooks", "data/boards", "data/tables", "fixtures/ticket")
seen["answers"] = [name for name in ours if (home / name).exists()]
calls = home / "fixtures" / "tool_calls.jsonl"
seen["calls"] = len(calls.read_text(encoding="utf-8").splitlines())
seen["secret"] = "GATE_TEST_SECRET" in os.environ
seen["notebook"] = [str(path) for path in Path.cwd().parent.rglob("*.ipynb")]
seen["writes"] = []
for place in (home, home / "gate", home / "fixtures"):  # a box serves one student after the other
    try:
        (place / "was_here.txt").write_text("x")
        (place / "was_here.txt").unlink()
        seen["writes"].append(place.name)
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", int(PORT)), timeout=2).close()
    seen["network"] = True
except OSError:
    seen["network"] = False
with socket.create_server(("127.0.0.1", 0)) as server:
    seen["itself"] = bool(socket.create_connection(server.getsockname(), timeout=2))
print(json.dumps(seen))
"""


def cell(id: str, source: str, shown: str | None = None) -> dict[str, Any]:
    outputs = [] if shown is None else [{"output_type": "stream", "name": "stdout", "text": shown}]
    count = None if shown is None else 1
    return {
        "cell_type": "code",
        "id": id,
        "metadata": {},
        "source": source,
        "outputs": outputs,
        "execution_count": count,
    }


def sealed(*cells: dict[str, Any], seconds: float = 20.0) -> Sealed:
    return Sealed("test", {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, {}, seconds)


@pytest.mark.parametrize("kind", protect.working())
def test_each_protection_keeps_apart_what_it_says(
    kind: protect.Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    monkeypatch.setenv("GATE_TEST_SECRET", "x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = NbvalRunner(kind).run(sealed(cell("look", LOOK.replace("PORT", str(port)))), tmp_path)
    assert ran["look"].came == "same"
    seen = json.loads(ran["look"].shown)
    assert seen["network"] is (kind == "nothing")
    assert seen["itself"] is True
    assert seen["secret"] is False and seen["notebook"] == []
    if kind == "bubblewrap":
        assert seen["answers"] == [] and seen["writes"] == []
        assert seen["calls"] == 5


def test_says_what_each_cell_came_to(tmp_path: Path) -> None:
    cells = {
        "same": "print(4)", "differs": "print(5)", "error": "1 / 0", "skip": "# NBVAL_SKIP\nprint(5)",
        "loud": "print(4); print(4)", "slow": "import time; time.sleep(99)", "late": "print(4)",
    }  # fmt: skip
    made = [cell("shown", "print('free')"), *(cell(id, source, "4\n") for id, source in cells.items())]
    ran = NbvalRunner().run(sealed(*made, seconds=8), tmp_path)
    assert ran["same"] == Ran("same", "4\n")
    assert ran["differs"] == Ran("differs", "5\n")
    assert ran["error"].came == "error"
    assert ran["shown"] == Ran("same", "free\n")
    assert ran["slow"].came == "timeout"
    assert ran["late"].came == "missing"
    assert ran["skip"].came == "missing"
    assert ran["loud"].came == "differs"


@pytest.mark.parametrize(
    ("source", "came"),
    [
        ("import os; os._exit(0)", "crashed"),
        ("import os; os.kill(os.getpid(), 9)", "crashed"),
        ("while True: pass", "timeout"),
        ("kept = bytearray(3 * 2**30)", "error"),
    ],
)
def test_what_ends_a_kernel_is_noticed_at_once(source: str, came: str, tmp_path: Path) -> None:
    ran = NbvalRunner().run(sealed(cell("bad", source), cell("next", "print(4)", "4\n"), seconds=60), tmp_path)
    assert ran["bad"].came == came
    assert ran["next"].came == ("same" if came == "error" else "missing")


def test_a_run_as_a_whole_has_a_limit(tmp_path: Path) -> None:
    slow = sealed(cell("first", "print(4)", "4\n"), cell("slow", "import time; time.sleep(600)"), seconds=600)
    came = [one.came for one in NbvalRunner(seconds=6).run(slow, tmp_path).values()]
    assert came in (["same", "timeout"], ["timeout", "missing"])  # the second where the machine has much to do


def test_a_record_that_was_cut_off_tells_of_the_cells_before(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text('{"cell": "a", "came": "same", "shown": "1"}\n{"cell": "b", "ca', encoding="utf-8")
    found = {"a": Ran("same", "1"), "b": Ran("timeout"), "c": Ran("missing")}
    assert came(record, ["a", "b", "c"], "timeout") == found
