"""Rules of the solutions: run strictly, they show what is stored in them, and every board of theirs is green."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gate.files import HOME
from gate.lab.check import all_boards, all_pairs, colour_problems
from gate.lab.rehearse import red_rows
from tests.notebooks.nbval_run import answers, nbval

LABS = sorted({pair.lab for pair in all_pairs()})


@pytest.mark.parametrize("lab", LABS)
def test_a_labs_solutions_show_what_is_stored_in_them(lab: str, tmp_path: Path) -> None:
    pairs = [pair for pair in all_pairs() if pair.lab == lab]
    there = Path("notebooks", "solutions", lab)
    shutil.copytree(HOME / there, tmp_path / there)
    run = nbval(tmp_path, "--nbval", str(there))
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    boards, faults = all_boards()
    assert faults == []
    for pair in pairs:
        red = red_rows(answers(tmp_path, pair.solution))
        assert list(colour_problems(pair.name, True, boards, red)) == []


def test_every_lab_that_is_begun_is_run() -> None:
    begun = sorted(path.name for path in (HOME / "notebooks" / "solutions").iterdir() if path.is_dir())
    assert begun == LABS and "memory" in LABS
