"""Rules of "if you fell behind": the reference comes in, and what the student has is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.lab import board, reference
from gate.lab.derive import read_notebook, solution_paths
from gate.lab.reference import exercise_names, solutions
from tests.lab.notebook_kit import code, make_kit, small_notebook


def notebook(**names: Any) -> dict[str, Any]:
    """The names of a notebook, in which a cell may be run."""
    return {"reference": reference, "board": board, **names}


def in_cell(names: dict[str, Any], source: str) -> Any:
    """Run one line as a cell of a notebook does, and return its value."""
    return eval(source, names)


def good(tool: Any, payload: Any) -> Any:
    from gate.results import validate_tool_result

    return validate_tool_result(tool, payload)


def poor(tool: Any, payload: Any) -> Any:
    return payload


def unwritten(tool: Any, payload: Any) -> Any:
    raise NotImplementedError("validate_by_hand")


CALL = 'reference("memory", "03", "validate_by_hand")'
KEPT = "validate_by_hand: yours, kept; for the reference run del validate_by_hand, and this cell again"


@pytest.mark.parametrize("names", [{}, {"validate_by_hand": unwritten}, {"validate_by_hand": ...}])
def test_loads_what_is_missing_or_not_written_yet(names: dict[str, Any]) -> None:
    here = notebook(**names)
    assert repr(in_cell(here, CALL)) == "validate_by_hand: the reference, loaded"
    assert in_cell(here, 'board("memory.by_hand", validate_by_hand)').green
    assert "my_validate_by_hand" not in here


def test_keeps_a_red_one_under_another_name_and_loads_the_reference() -> None:
    here = notebook(validate_by_hand=poor)
    in_cell(here, 'board("memory.by_hand", validate_by_hand)')
    assert repr(in_cell(here, CALL)).endswith("yours is my_validate_by_hand (its board is red)")
    assert here["my_validate_by_hand"] is poor and here["validate_by_hand"] is not poor


def test_keeps_a_green_one_in_its_place() -> None:
    here = notebook(validate_by_hand=good)
    in_cell(here, 'board("memory.by_hand", validate_by_hand)')
    assert repr(in_cell(here, CALL)) == "validate_by_hand: yours, kept (its board is green)"
    assert here["validate_by_hand"] is good


def test_says_that_a_reference_which_was_loaded_before_is_kept_and_does_not_call_it_the_students() -> None:
    here = notebook()
    in_cell(here, CALL)
    loaded = here["validate_by_hand"]
    assert repr(in_cell(here, CALL)) == "validate_by_hand: the reference, kept"
    in_cell(here, 'board("memory.by_hand", validate_by_hand)')
    assert repr(in_cell(here, CALL)) == "validate_by_hand: the reference, kept"
    assert here["validate_by_hand"] is loaded
    here["validate_by_hand"] = poor  # the student writes one after all
    assert repr(in_cell(here, CALL)) == KEPT


def test_keeps_what_is_written_and_has_no_board_and_says_how_to_get_the_reference() -> None:
    here = notebook(validate_by_hand=poor)
    assert repr(in_cell(here, CALL)) == KEPT
    del here["validate_by_hand"]
    assert repr(in_cell(here, CALL)) == "validate_by_hand: the reference, loaded"


def test_a_class_with_one_stub_in_it_is_not_written_yet() -> None:
    class AgentMemory:
        @property
        def events(self) -> Any:
            raise NotImplementedError("AgentMemory.events")

    here = notebook(AgentMemory=AgentMemory)
    in_cell(here, 'reference("memory", "04", "AgentMemory")')
    assert here["AgentMemory"] is not AgentMemory


def test_refuses_a_section_or_a_name_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="has no section"):
        reference("memory", "77")
    with pytest.raises(ConfigError, match="has no section"):
        reference("nothing", "01")
    with pytest.raises(ConfigError, match="is no exercise of memory 03. Next: use validate_by_hand"):
        reference("memory", "03", "something_else")


def test_brings_along_what_an_exercise_needs_and_runs_no_other_cell(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    helper = code("helper", "import math as maths\n\nHALF = 0.5\n\ndef halved(n):\n    return n * HALF")
    effect = code("effect", f"open({str(marker)!r}, 'w').close()\nunused = 1 / 0")
    exercise = code("exercise", "def floor_of_half(n):\n    # solution\n    return maths.floor(halved(n))")
    value = code("value", "# solution\nanswer = floor_of_half(9)\nassert answer == 4\n# end solution\nprint(answer)")
    solution = make_kit(tmp_path, small_notebook(helper, effect, exercise, value))
    loaded = solutions(solution.parent, "03")
    assert list(loaded) == ["validate_by_hand", "floor_of_half", "answer"]
    assert loaded["floor_of_half"](7) == 3 and loaded["answer"] == 4 and not marker.exists()


@pytest.mark.parametrize("path", solution_paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_solution_of_the_kit_can_be_loaded_by_itself(path: Path) -> None:
    assert list(solutions(HOME / "notebooks" / "solutions" / path.parent.name, path.stem)) == exercise_names(
        read_notebook(path)
    )
