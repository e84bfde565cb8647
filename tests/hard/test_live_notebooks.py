"""Real kernels in a hostile hour: `work/` deleted under them, two of them on one table, a restart in every exercise."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gate.lab.check import Pair, all_pairs
from gate.lab.derive import read_notebook
from gate.lab.sheet import load_sheet
from gate.warm import use_warm_kernels
from tests.hard.budget import HARD
from tests.warm.kernel_kit import Kernel, kernel

#: With the small budget only the main lab's notebooks are restarted, and only after their last board.
NOTEBOOKS = [pair for pair in all_pairs() if HARD > 1 or pair.lab == "memory"]
ROWS = load_sheet("memory").row_ids()
_TABLE = "from gate.lab.table import Table\ntable = Table('memory')\n"


@contextmanager
def on(work: Path, folder: Path | None = None) -> Iterator[Kernel]:
    """Start a kernel with this answers folder, in a notebook's own folder."""
    environ = {**os.environ, "GATE_WORK": str(work), "GATE_PLAIN": "1"}
    with kernel(not use_warm_kernels(), env=environ, cwd=str(folder or work.parent)) as started:
        yield started


def saved(work: Path) -> dict[str, Any]:
    """Return what the answers folder holds, without the moments at which it was written."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: timeless(item) for key, item in value.items() if key != "at"}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    found = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(work.glob("*.json"))}
    assert not [name for name in found if "broken" in name]
    return {name: timeless(document) for name, document in found.items()}


def test_a_deleted_work_folder_costs_a_live_notebook_no_answer(work: Path) -> None:
    with on(work) as live:
        assert live.run(_TABLE + "table.choose('row-1', 'allow', 'before')") == ""
        shutil.rmtree(work)
        assert live.run("table.choose('row-2', 'block', 'after')\nprint(len(table.notes), table.missing())").startswith(
            "1 "
        )
    rows = saved(work)["table-memory.json"]["rows"]
    assert {name: (row["choice"], row["reason"]) for name, row in rows.items()} == {
        "row-1": ("allow", "before"), "row-2": ("block", "after"),
    }  # fmt: skip


def test_two_kernels_that_fill_one_table_lose_no_choice(work: Path) -> None:
    def choices(name: str, mine: tuple[str, ...]) -> str:
        lines = [f"table.choose({row!r}, 'block', '{name} {turn}')" for turn in range(8) for row in mine]
        return _TABLE + "\n".join(lines) + "\nprint(table.notes)"

    with on(work) as one, on(work) as two:
        one.client.execute(choices("a", ROWS[:4]))  # does not wait for its end
        assert two.run(choices("b", ROWS[2:])) == "()"
        assert one.run("print(table.notes)") == "()"
        shown = [live.facts("import json; print(json.dumps(Table('memory').decided()))") for live in (one, two)]
    assert shown[0] == shown[1]
    reasons = [shown[0][row]["reason"] for row in ROWS]
    assert reasons[:2] == ["a 7"] * 2 and reasons[4:] == ["b 7"] * (len(ROWS) - 4)
    assert set(reasons[2:4]) <= {"a 7", "b 7"}


def cells_of(pair: Pair) -> list[str]:
    return [cell["source"] for cell in read_notebook(pair.solution)["cells"] if cell["cell_type"] == "code"]


def play(live: Kernel, cells: list[str]) -> None:
    for source in cells:
        said = live.run(source)
        assert not said.endswith("Error"), f"{source}\n{said}"


def restart(live: Kernel) -> None:
    live.manager.restart_kernel(now=True)
    live.client.wait_for_ready(timeout=60)


@pytest.mark.parametrize("pair", NOTEBOOKS, ids=lambda pair: pair.name)
def test_a_restart_in_the_middle_of_an_exercise_changes_no_board_and_no_table(pair: Pair, work: Path) -> None:
    cells, folder = cells_of(pair), pair.solution.parent
    boards = [number for number, source in enumerate(cells) if "board(" in source and number]
    with on(work, folder) as live:
        play(live, cells)
        straight = saved(work)
        shutil.rmtree(work)
        for number in boards if HARD > 1 else boards[-1:]:
            restart(live)
            play(live, cells[: number + 1])
            restart(live)
            play(live, cells)
            assert saved(work) == straight
