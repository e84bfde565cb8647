"""Rules of `gate lab check`: whatever can go wrong with a notebook is found, and the message says how to mend it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.cli import main
from gate.lab.check import check, not_checked
from gate.lab.derive import derive, learner_copy, learner_path, read_notebook, solution_paths
from gate.lab.form import Problem
from tests.lab.notebook_kit import SOLVED, code, make_kit, markdown, save_solution, small_notebook

Change = Callable[[dict[str, Any]], object]


def only(problems: list[Problem]) -> str:
    """Return the one problem as it is printed."""
    assert len(problems) == 1, problems
    assert problems[0].next
    return str(problems[0])


def changed(home: Path, change: Change) -> list[Problem]:
    """Return what is wrong with the form of a small notebook after a change, its copy derived again."""
    make_kit(home)
    notebook = small_notebook()
    change(notebook)
    save_solution(home, notebook)
    derive(solution_paths(home))
    return check(home, run=False)


def cell(notebook: dict[str, Any], cell_id: str) -> dict[str, Any]:
    return next(one for one in notebook["cells"] if one["id"] == cell_id)


def insert(*cells: dict[str, Any]) -> Change:
    return lambda notebook: notebook["cells"].__setitem__(slice(-1, -1), cells)


def source(cell_id: str, old: str, new: str) -> Change:
    return lambda notebook: cell(notebook, cell_id).update(source=cell(notebook, cell_id)["source"].replace(old, new))


def outputs(*shown: dict[str, Any]) -> Change:
    return lambda notebook: cell(notebook, "try-it").update(outputs=list(shown))


def test_finds_nothing_in_a_notebook_that_is_fit_to_teach(tmp_path: Path, work: Path) -> None:
    make_kit(tmp_path)
    work.mkdir()
    (work / "boards.json").write_text('{"version": 1}', encoding="utf-8")
    assert check(tmp_path) == []
    # A person's own answers are neither read nor changed.
    assert (work / "boards.json").read_text(encoding="utf-8") == '{"version": 1}'
    assert [path.name for path in work.iterdir()] == ["boards.json"]


LONG = " ".join(["word"] * 81)
FORM: dict[str, tuple[Change, str]] = {
    "too many cells": (insert(*(markdown(f"more-{n}", "A line.") for n in range(35))), "it has 41 cells"),
    "an id twice": (lambda notebook: cell(notebook, "scene").update(id="title"), "the cell id 'title' is no id"),
    "no id": (lambda notebook: cell(notebook, "scene").update(id=""), "the cell id '' is no id, or there twice"),
    "a long text": (insert(markdown("long", LONG)), "cell long: it has 81 words"),
    "a long cell": (insert(code("long", "\n".join(["x = 1"] * 15))), "cell long: it has 15 lines"),
    "a line that the page cuts off": (
        insert(code("wide", "x = 1" + " " * 99 + "# 1")),
        "cell wide: a line has 107 characters",
    ),
    "output that breaks within a word": (
        outputs({"output_type": "stream", "name": "stdout", "text": "x" * 105}),
        "cell try-it: a line has 105 characters",
    ),
    "a long exercise": (insert(code("long", "# solution\n" + "\n".join(["x = 1"] * 30))), "cell long: it has 31 lines"),
    "a cell never run": (lambda notebook: cell(notebook, "write").update(execution_count=None), "it was never run"),
    "an nbval marker": (source("try-it", "board", "# NBVAL_SKIP\nboard"), "a marker keeps nbval from looking"),
    "an exception tag": (
        lambda notebook: cell(notebook, "try-it").update(metadata={"tags": ["raises-exception"]}),
        "a marker keeps nbval from looking",
    ),
    "a stored error": (
        outputs({"output_type": "error", "ename": "E", "evalue": "", "traceback": []}),
        "its stored output is an error",
    ),
    "a stored stub": (
        outputs({"output_type": "execute_result", "data": {"text/plain": ["got  not written yet: f"]}}),
        "an unwritten exercise",
    ),
    "another first cell": (source("start", "clock(", "print(1)\nclock("), "its first code cell is not the kit's"),
    "another section's clock": (source("start", "03_fail", "02_fail"), "its first code cell is not the kit's"),
    "another title": (source("title", "Fail closed", "Fail open"), "begin with the one line # Fail closed"),
    "a second title": (source("scene", "## Fail", "# One\n\n## Fail"), "begin with the one line # Fail closed"),
    "another window": (source("scene", "(0-45)", "(0-40)"), "write ## Fail closed (0-45)"),
    "a window outside": (insert(markdown("late", "### Late (30-50)")), "overlap or leave the planned one"),
    "windows that overlap": (insert(markdown("a", "### A (5-20)"), markdown("b", "### B (15-30)")), "overlap or leave"),
    "no honest end": (source("end", "What this does not prove", "Done"), "end with ### Keep and ### What this does"),
    "a board that is not there": (insert(code("odd", 'board("no.such", 1)')), "write data/boards/no.such.json"),
    "a board that nobody uses": (source("try-it", "memory.by_hand", "memory.by_foot"), "does not use it"),
}


@pytest.mark.parametrize("name", FORM)
def test_finds(tmp_path: Path, name: str) -> None:
    change, says = FORM[name]
    found = [str(problem) for problem in changed(tmp_path, change)]
    assert any(says in problem for problem in found), found
    assert all("Next: " in problem for problem in found)


def test_heads_up_to_twelve_lines_a_first_cell_and_windows_in_order_are_fine(tmp_path: Path) -> None:
    windows = insert(markdown("a", "### A (5-20)"), markdown("b", "### B (20-45)\n\n```\n# no title\n```"))
    assert changed(tmp_path, windows) == []


def test_finds_a_learners_copy_that_drifted(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    solution.write_text(solution.read_text(encoding="utf-8").replace("Write it.", "Write it!"), encoding="utf-8")
    message = only(check(tmp_path, run=False))
    assert "the learner's copy is not what its solution gives. " in message
    assert "Next: change the solution, never the copy, and run make notebooks." in message


def test_a_cell_id_that_changed_in_the_solution_is_drift_too(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    solution.write_text(solution.read_text(encoding="utf-8").replace('"scene"', '"scenery"'), encoding="utf-8")
    assert "the learner's copy is not what its solution gives" in only(check(tmp_path, run=False))


def worked(notebook: dict[str, Any], what: str) -> None:
    exercise = cell(notebook, "write")
    if what == "answered":
        exercise["source"] = SOLVED.replace("# solution: ask the gate", "")
    elif what == "failing":
        exercise["source"] = "1 / 0"
    elif what == "run":
        exercise["execution_count"] = 4
    elif what == "shown":
        exercise["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "4"}]
    elif what == "cell-added":
        notebook["cells"].append(code("mine", "1"))
    else:
        del notebook["metadata"]["gate"]


@pytest.mark.parametrize("what", ["answered", "failing", "run", "shown", "cell-added", "unmarked"])
def test_a_copy_that_somebody_worked_in_is_no_drift_and_is_not_run_but_named(tmp_path: Path, what: str) -> None:
    learner = learner_path(make_kit(tmp_path))
    notebook = read_notebook(learner)
    assert not_checked(tmp_path) == []
    worked(notebook, what)
    learner.write_text(json.dumps(notebook), encoding="utf-8")
    assert check(tmp_path) == [] and not_checked(tmp_path) == ["memory/03_fail_closed"]


def test_what_an_editor_saves_into_a_copys_metadata_is_neither_work_nor_drift(tmp_path: Path) -> None:
    learner = learner_path(make_kit(tmp_path))
    notebook = json.loads(learner.read_text(encoding="utf-8"))
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.99", "file_extension": ".py"}
    notebook["cells"][3]["metadata"] = {"collapsed": False}
    learner.write_text(json.dumps(notebook, indent=4), encoding="utf-8")
    assert check(tmp_path, run=False) == [] and not_checked(tmp_path) == []


def test_finds_a_notebook_that_is_missing_or_not_listed(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    learner_path(solution).unlink()
    assert "there is no learner's copy. Next: run make notebooks" in only(check(tmp_path, run=False))
    derive(solution_paths(tmp_path))
    stray = solution.with_name("09_more.ipynb")
    stray.write_bytes(solution.read_bytes())
    assert only(check(tmp_path, run=False)) == (
        "notebooks/solutions/memory/09_more.ipynb: data/labs.json does not list this notebook. "
        "Next: list it there, or delete it."
    )
    stray.unlink()
    solution.unlink()
    found = [str(problem) for problem in check(tmp_path, run=False)]
    assert any("data/labs.json lists it, but there is no solution. Next: write " in problem for problem in found)


def test_leaves_alone_a_notebook_that_a_student_made(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    own = learner_path(solution).with_name("Untitled.ipynb")
    own.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    assert check(tmp_path, run=False) == []
    own.write_bytes(learner_path(solution).read_bytes())  # a derived copy that no plan lists is the kit's own fault
    assert "data/labs.json does not list this notebook" in only(check(tmp_path, run=False))


def test_asks_nothing_of_a_lab_that_is_not_begun(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    learner_path(solution).unlink()
    solution.unlink()
    solution.parent.rmdir()
    assert check(tmp_path) == []


def test_finds_a_mark_that_cannot_be_followed(tmp_path: Path) -> None:
    make_kit(tmp_path)
    save_solution(tmp_path, small_notebook(code("odd", "# end solution")))
    found = [str(problem) for problem in check(tmp_path, run=False)]
    assert any("cell odd: line 1 ends a solution that none opened" in problem for problem in found)


# --- the notebooks are run ------------------------------------------------------------------------------------------


def test_finds_a_solution_that_leaves_its_board_red(tmp_path: Path) -> None:
    make_kit(tmp_path)
    notebook = small_notebook()
    source("write", "return gate(tool, payload)", "return payload")(notebook)
    save_solution(tmp_path, notebook)
    assert re.search(r"the solution leaves memory\.by_hand red: extra-key, .*Next: mend", only(check(tmp_path)))


def test_finds_an_exercise_that_is_solved_already(tmp_path: Path) -> None:
    make_kit(tmp_path)
    notebook = small_notebook()
    source("write", "# solution: ask the gate", "# not marked")(notebook)
    save_solution(tmp_path, notebook)
    derive(solution_paths(tmp_path))
    assert "the learner's copy has memory.by_hand green already. Next: put # solution" in only(check(tmp_path))


def test_finds_an_exercise_that_a_learners_copy_calls_unsolved(tmp_path: Path) -> None:
    make_kit(tmp_path)
    save_solution(tmp_path, small_notebook(code("call", 'validate_by_hand("x", {})')))
    derive(solution_paths(tmp_path))
    found = [str(problem) for problem in check(tmp_path)]
    assert any("the learner's copy fails: cell call: NotImplementedError: validate_by_hand" in one for one in found)
    assert any("the solution fails: cell call: ResultGateError" in one for one in found)


def test_finds_a_board_that_is_only_tried(tmp_path: Path) -> None:
    make_kit(tmp_path)
    notebook = small_notebook()
    source("try-it", "by_hand)", "by_hand, trial=True)")(notebook)
    save_solution(tmp_path, notebook)
    derive(solution_paths(tmp_path))
    found = [str(problem) for problem in check(tmp_path)]
    assert [("never runs memory.by_hand, except as a trial" in one) for one in found] == [True, True]


# --- the kit's own, and the command ---------------------------------------------------------------------------------


def test_the_kits_own_notebooks_and_boards_are_fit_to_teach(capsys: pytest.CaptureFixture[str]) -> None:
    # They are run, and their colours looked at, in tests/notebooks.
    status, out = main(["lab", "check", "--quick"]), capsys.readouterr().out
    assert (status, out.splitlines()[-1]) == (0, "All notebooks and boards are fit to teach.")


def test_no_copy_is_handed_out_that_somebody_worked_in() -> None:
    # On a student's machine it is their work; where the kit itself is checked, it is a change made in the wrong file.
    assert not_checked() == [] or not os.environ.get("CI")


def test_every_exercise_of_the_kit_is_a_cell_of_its_learners_copy() -> None:
    for solution in solution_paths():
        ids = [one["id"] for one in learner_copy(read_notebook(solution))["cells"]]
        assert ids == [one["id"] for one in read_notebook(solution)["cells"]]
        assert len(ids) == len(set(ids))


def test_every_notebook_of_a_lab_leads_to_the_next_one(tmp_path: Path) -> None:
    first = make_kit(tmp_path)
    plan_file = tmp_path / "data" / "labs.json"
    plan = json.loads(plan_file.read_text(encoding="utf-8"))
    section = plan["labs"][0]["sections"][0]
    second = {**section, "id": "04_next", "title": "The next", "start": section["end"], "end": section["end"] + 5}
    second["notebook"] = "notebooks/memory/04_next.ipynb"
    plan["labs"][0] = {**plan["labs"][0], "sections": [section, second], "minutes": second["end"]}
    plan_file.write_text(json.dumps(plan), encoding="utf-8")
    first.with_name("04_next.ipynb").write_bytes(first.read_bytes())
    said = f"Next, from minute {section['end']}: [The next](04_next.ipynb)."
    found = [str(problem) for problem in check(tmp_path, run=False)]
    assert f"memory/03_fail_closed: it does not lead to the next notebook. Next: end its last text with {said}" in found
    notebook = read_notebook(first)
    notebook["cells"][-1]["source"] += f"\n\n{said}"
    first.write_text(json.dumps(notebook), encoding="utf-8")
    assert not [problem for problem in check(tmp_path, run=False) if "lead to the next" in str(problem)]
