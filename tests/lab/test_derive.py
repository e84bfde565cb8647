"""Rules of derivation: the learner's copy follows from the solution, byte by byte, and nobody's work is lost."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from gate.errors import ConfigError
from gate.lab.derive import chosen, derive, learner_path, learner_paths, read_notebook, restore, solution_paths
from gate.lab.execute import execute
from tests.lab.notebook_kit import code, make_kit, save_solution, small_notebook

ENDLESS = """\
from gate.lab.limit import TimedOut, run_limited

def forever():
    while True:
        try:
            print
        except:
            pass
"""
KEPT = "03_fail_closed.kept-1.ipynb"


def test_keeps_cells_and_ids_and_takes_solutions_and_outputs_away(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    derived = read_notebook(learner_path(solution))
    assert [cell["id"] for cell in derived["cells"]] == [cell["id"] for cell in read_notebook(solution)["cells"]]
    code_cells = [cell for cell in derived["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells)
    text = learner_path(solution).read_text(encoding="utf-8")
    assert "return gate(" not in text and "# solution" not in text
    assert 'raise NotImplementedError(\\"validate_by_hand\\")' in text
    nbformat.validate(nbformat.reads(text, as_version=4))  # type: ignore[no-untyped-call]


def test_gives_the_same_bytes_each_time_and_writes_only_what_changed(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    first = learner_path(solution).read_bytes()
    assert derive(solution_paths(tmp_path)) == []
    learner_path(solution).unlink()
    assert [one.path for one in derive(solution_paths(tmp_path))] == [learner_path(solution)]
    assert learner_path(solution).read_bytes() == first and first.endswith(b"\n") and b"\r" not in first


def test_what_an_editor_leaves_in_a_solution_does_not_reach_the_copy(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    before = learner_path(solution).read_bytes()
    noisy = json.loads(solution.read_text(encoding="utf-8"))
    noisy["metadata"]["language_info"] = {"name": "python", "version": "3.99"}
    noisy["metadata"]["widgets"] = {"state": {}}
    noisy["cells"][3]["metadata"] = {"execution": {"iopub": "now"}, "collapsed": True}
    noisy["cells"][3]["execution_count"] = 77
    solution.write_text(json.dumps(noisy), encoding="utf-8")
    assert derive([solution]) == [] and learner_path(solution).read_bytes() == before


def test_names_the_cell_whose_mark_is_wrong_and_writes_nothing(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    before = learner_path(solution).read_bytes()
    save_solution(tmp_path, small_notebook(code("broken", "# solution\n")))
    with pytest.raises(ConfigError, match="cell broken: nothing stands under line 1"):
        derive([solution])
    assert learner_path(solution).read_bytes() == before


def run_by_a_student(path: Path) -> bytes:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][3].update(source="mine = 1", execution_count=5)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path.read_bytes()


def test_keeps_a_copy_that_somebody_ran_when_it_is_derived_again(tmp_path: Path) -> None:
    learner = learner_path(make_kit(tmp_path))
    mine = run_by_a_student(learner)
    written = derive(solution_paths(tmp_path))
    assert [(one.path.name, one.kept and one.kept.name) for one in written] == [(learner.name, KEPT)]
    assert learner.with_name(KEPT).read_bytes() == mine


def test_reset_restores_the_copy_and_keeps_every_old_one(tmp_path: Path) -> None:
    learner = learner_path(make_kit(tmp_path))
    handed_out = learner.read_bytes()
    mine = run_by_a_student(learner)
    assert [one.kept for one in restore(solution_paths(tmp_path))] == [learner.with_name(KEPT)]
    assert learner.read_bytes() == handed_out and learner.with_name(KEPT).read_bytes() == mine
    run_by_a_student(learner)
    restore(solution_paths(tmp_path))
    assert sorted(path.name for path in learner.parent.iterdir()) == [
        "03_fail_closed.ipynb", KEPT, "03_fail_closed.kept-2.ipynb"
    ]  # fmt: skip
    assert restore(solution_paths(tmp_path)) == []
    assert learner_paths(tmp_path) == [learner]


@pytest.mark.parametrize(
    "name", ["memory/03", "memory/03_fail_closed", "memory", "notebooks/memory/03_fail_closed.ipynb", r"memory\03"]
)
def test_finds_a_notebook_by_the_names_people_use(tmp_path: Path, name: str) -> None:
    solution = make_kit(tmp_path)
    assert chosen(solution_paths(tmp_path), [name]) == [solution]


@pytest.mark.parametrize("name", ["03", "memory/07", "nothing", ""])
def test_refuses_a_name_that_stands_for_no_notebook(tmp_path: Path, name: str) -> None:
    make_kit(tmp_path)
    with pytest.raises(ConfigError, match="write memory/03"):
        chosen(solution_paths(tmp_path), [name])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 4}', '{"cells": [{"source": 7}]}', '{"cells": [{}]}'])
def test_refuses_a_file_that_is_no_notebook(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="this is no notebook"):
        read_notebook(path)


def test_running_a_solution_stores_what_it_shows_and_the_same_the_next_time(tmp_path: Path) -> None:
    shown = code("show", 'from gate.lab import table\n\nprint("one")\nprint("two")\ntable("memory")')
    endless = code("endless", f"{ENDLESS}\ntry:\n    run_limited(forever, 0.1)\nexcept TimedOut:\n    print('stopped')")
    solution = make_kit(tmp_path, small_notebook(shown, endless))
    assert execute(solution) is True
    first = solution.read_bytes()
    cells = {cell["id"]: cell for cell in read_notebook(solution)["cells"]}
    assert cells["show"]["outputs"][0]["text"] == ["one\n", "two\n"]
    assert sorted(cells["show"]["outputs"][1]["data"]) == ["text/html", "text/plain"]  # the live view is not kept
    assert cells["try-it"]["outputs"][0]["data"]["text/plain"][0].endswith("6 of 6 green\n")
    assert cells["endless"]["outputs"][0]["text"] == ["stopped\n"]  # the time limit works in a real kernel
    assert execute(solution) is False and solution.read_bytes() == first


def test_a_kernel_that_does_not_see_the_kit_is_told_so_in_three_lines(tmp_path: Path) -> None:
    solution = make_kit(tmp_path)
    solution.with_name("gate.py").write_text("# a package of the same name\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="This kernel does not see the kit") as failure:
        execute(solution)
    assert "Then choose Kernel > Restart Kernel" in str(failure.value) and "Traceback" not in str(failure.value)


def test_a_solution_that_fails_is_named_with_its_cell_and_left_as_it_was(tmp_path: Path) -> None:
    solution = make_kit(tmp_path, small_notebook(code("bad", "1 / 0")))
    before = solution.read_bytes()
    with pytest.raises(ConfigError, match=r"(?s)03_fail_closed.*ZeroDivisionError"):
        execute(solution)
    assert solution.read_bytes() == before
