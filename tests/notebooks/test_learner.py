"""Rules of the learner's copies: they run green as they are handed out, every board of theirs red, none crashed."""

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
def test_a_labs_copies_run_green_as_they_are_handed_out(lab: str, tmp_path: Path) -> None:
    there = Path("notebooks", lab)
    shutil.copytree(HOME / there, tmp_path / there, ignore=shutil.ignore_patterns("*.kept-*"))
    run = nbval(tmp_path, "--nbval-lax", "notebooks")
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    boards, faults = all_boards()
    assert faults == []
    for pair in (pair for pair in all_pairs() if pair.lab == lab):
        red = red_rows(answers(tmp_path, pair.learner))
        assert list(colour_problems(pair.name, False, boards, red)) == []
