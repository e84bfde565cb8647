"""What goes wrong with notebooks is caught: each of these is a notebook with one fault, run as the kit's are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.lab.derive import as_text, learner_path, read_notebook
from gate.lab.execute import execute
from tests.lab.notebook_kit import code, make_kit, small_notebook
from tests.notebooks.nbval_run import nbval


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    """A small solution that was run, so that what it shows is stored."""
    result = '{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}'
    path = make_kit(tmp_path, small_notebook(code("call", f'validate_by_hand("inventory.lookup", {result})')))
    execute(path)
    return path


def test_an_unsolved_exercise_in_a_solution_is_caught_where_a_board_runs_it_and_where_it_is_called(
    tmp_path: Path, solution: Path
) -> None:
    notebook, unsolved = read_notebook(solution), read_notebook(learner_path(solution))
    notebook["cells"][3]["source"] = unsolved["cells"][3]["source"]
    solution.write_text(as_text(notebook), encoding="utf-8")
    run = nbval(tmp_path, "--nbval", "notebooks/solutions")
    assert run.returncode == 1
    assert "2 failed, 2 passed" in run.stdout
    assert "Cell 2: Cell outputs differ" in run.stdout and "Cell 3: Cell execution caused an exception" in run.stdout
    assert 'NotImplementedError(' in run.stdout


def test_answers_left_behind_and_what_a_reset_put_beside_do_not_matter(tmp_path: Path, solution: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "boards.json").write_text("half a file", encoding="utf-8")
    solution.with_name("03_fail_closed.kept-1.ipynb").write_text("half a notebook", encoding="utf-8")
    run = nbval(tmp_path, "--nbval", "notebooks/solutions")
    assert run.returncode == 0, run.stdout
    assert "4 passed" in run.stdout
