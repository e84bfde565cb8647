"""Rules of the learner's copies: they run green as they are handed out, every board of theirs red, none crashed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gate.files import HOME
from gate.lab.check import Pair, all_boards, all_pairs, colour_problems
from gate.lab.derive import (
    derive,
    derived_text,
    fingerprint,
    learner_copy,
    read_notebook,
    solution_paths,
    worked_in,
)
from gate.lab.rehearse import red_rows
from tests.notebooks.nbval_run import answers, nbval

LABS = sorted({pair.lab for pair in all_pairs()})


@pytest.mark.parametrize("lab", LABS)
def test_a_labs_copies_run_green_as_they_are_handed_out(lab: str, tmp_path: Path) -> None:
    there = Path("notebooks", "solutions", lab)
    shutil.copytree(HOME / there, tmp_path / there)
    derive(solution_paths(tmp_path))  # afresh: the copies in the kit may hold somebody's work
    run = nbval(tmp_path, "--nbval-lax", f"notebooks/{lab}")
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    boards, faults = all_boards()
    assert faults == []
    for pair in (pair for pair in all_pairs() if pair.lab == lab):
        red = red_rows(answers(tmp_path, pair.learner))
        assert list(colour_problems(pair.name, False, boards, red)) == []


@pytest.mark.parametrize("pair", all_pairs(), ids=lambda pair: pair.name)
def test_the_copy_that_is_handed_out_is_what_its_solution_gives(pair: Pair, tmp_path: Path) -> None:
    if (HOME / ".git").exists():
        solution, learner = committed(pair.solution, tmp_path / "solution"), committed(pair.learner, tmp_path / "copy")
    else:
        solution, learner = pair.solution, fresh(pair, tmp_path / "copy")
    assert fingerprint(read_notebook(learner)) == fingerprint(learner_copy(read_notebook(solution)))
    assert not worked_in(learner)


def committed(path: Path, to: Path) -> Path:
    """Write what git has of a file, whatever was done to the file since, and return where."""
    name = f"HEAD:{path.relative_to(HOME).as_posix()}"
    to.write_bytes(subprocess.run(["git", "show", name], cwd=HOME, capture_output=True, check=True).stdout)
    return to


def fresh(pair: Pair, to: Path) -> Path:
    """Return the learner's copy, a derived one in its place if somebody worked in it: their file is their own."""
    if not worked_in(pair.learner):
        return pair.learner
    to.write_text(derived_text(pair.solution), encoding="utf-8")
    return to
