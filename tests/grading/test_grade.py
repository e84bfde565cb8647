"""The grade of whole submissions, run by nbval in the strongest protection there is."""

from __future__ import annotations

from pathlib import Path

from gate.grading.grade import grade
from gate.grading.words import Runner, Submitted
from gate.lab.exercise import stub
from tests.grading.kit import perfect, submitted

ONE = "memory/01_reproduce_the_leak"


def test_a_solution_earns_all_points_and_a_stub_none(nbval: Runner, tmp_path: Path) -> None:
    cells = {ONE: perfect("memory")[ONE]}
    found = grade(submitted(cells), "memory", 3, nbval, tmp_path)
    first, *others = [one for one in found.exercises if not one.id.startswith(("table.", "pack."))]
    assert (first.id, first.value, first.points) == ("memory.invented", "pass", first.max_points)
    assert {one.value for one in others} == {"fail"}
    assert {check.code for one in others for check in one.checks} == {"answer.missing"}
    assert found.protection


def test_an_answer_does_not_fail_with_the_one_that_it_builds_on(nbval: Runner, tmp_path: Path) -> None:
    name = "arguments/03_schema_gate"
    cells = {**perfect("arguments")[name], "schema-schema": "schema = {'type': 'object'}"}
    found = grade(submitted({name: cells}), "arguments", 3, nbval, tmp_path)
    came = {one.id: one.value for one in found.exercises if one.notebook == name}
    assert came == {"arguments.schema": "fail", "arguments.schema_gate": "pass"}


def test_half_of_the_work_earns_half_of_it_and_slow_is_not_wrong(nbval: Runner, tmp_path: Path) -> None:
    name = "memory/03_fail_closed"
    slow = perfect("memory")[name]["closed-by-hand"].replace("    if tool", "    sum(range(10**6))\n    if tool", 1)
    naive = "def validate_tool_result(tool, payload):\n    return validate_by_hand(tool, payload)"
    found = grade(submitted({name: {"closed-by-hand": slow, "closed-gate": naive}}), "memory", 3, nbval, tmp_path)
    came = {one.id: (one.value, one.points) for one in found.exercises if one.notebook == name}
    assert came == {"memory.by_hand": ("pass", 2), "memory.validate": ("fail", 0)}


def test_an_answer_that_lacks_what_was_not_handed_in_is_told_the_name_once(nbval: Runner, tmp_path: Path) -> None:
    name = "memory/03_fail_closed"
    answer = "def validate_tool_result(tool, payload):\n    return checked(CONTRACTS, tool, payload)"
    found = grade(submitted({name: {"closed-gate": answer}}), "memory", 3, nbval, tmp_path)
    (one,) = [one for one in found.exercises if one.id == "memory.validate"]
    assert {check.told for check in one.checks if check.value != "pass"} == {
        "no cell that was handed in makes checked. Next: put into the answer cell itself what makes it, "
        "and hand in again."
    }


def test_an_answer_in_the_cell_before_its_own_counts_where_its_own_is_empty(nbval: Runner, tmp_path: Path) -> None:
    name = "memory/03_fail_closed"
    first, _, second = perfect("memory")[name].values()
    together = {"closed-by-hand": f"{first}\n\n{second}"}
    unsolved = stub(second)
    for cells, wanted in (
        (together, "pass"),
        ({**together, "closed-gate": "# it stands above"}, "pass"),
        ({**together, "closed-gate": unsolved}, "fail"),  # which defines the name anew
    ):
        found = grade(submitted({name: cells}), "memory", 3, nbval, tmp_path)
        came = {one.id: one.value for one in found.exercises if one.notebook == name}
        assert came == {"memory.by_hand": "pass", "memory.validate": wanted}


def test_what_has_nothing_to_do_with_the_input_is_told_once(nbval: Runner, tmp_path: Path) -> None:
    name = "memory/03_fail_closed"
    ends = "import os\nos._exit(0)\ndef validate_by_hand(tool, payload):\n    return payload"
    loops = "def validate_tool_result(tool, payload):\n    while True:\n        pass"
    cells = {
        name: {"closed-by-hand": ends, "closed-gate": loops},
        "memory/05_replay_fixtures": {"replay-pack": "pack = []"},
    }
    found = grade(submitted(cells), "memory", 3, nbval, tmp_path)
    told = {one.id: [check.told for check in one.checks] for one in found.exercises}
    (first,) = set(told["memory.by_hand"])
    assert first.startswith("when the answer cell itself was run, the kernel ended")
    assert len({one for one in told["memory.validate"] if "was not tried" in one}) == 1
    assert "A gate that refuses everything is noticed: it came to" in told["memory.pack"][0]
    assert not any(".:" in one for all_of_them in told.values() for one in all_of_them)


def test_nothing_handed_in_is_a_fail_and_nothing_readable_is_ungradable(nbval: Runner, tmp_path: Path) -> None:
    nothing = grade(submitted({}), "results", 3, nbval, tmp_path)
    assert (nothing.value, nothing.points) == ("fail", 0) and nothing.max_points > 0
    broken = grade(Submitted("eve", "eve.zip", problem="no zip"), "results", 3, nbval, tmp_path)
    assert (broken.value, broken.problem, broken.points, broken.max_points) == (
        "ungradable", "no zip", 0, nothing.max_points,
    )  # fmt: skip


def test_a_refused_answer_is_ungradable_and_the_others_go_on(nbval: Runner, tmp_path: Path) -> None:
    name = "memory/03_fail_closed"
    cells = {**perfect("memory")[name], "closed-gate": "%run reference.py"}
    found = grade(submitted({name: cells}), "memory", 3, nbval, tmp_path)
    came = {
        one.id: (one.value, {check.code for check in one.checks}) for one in found.exercises if one.notebook == name
    }
    assert came == {"memory.by_hand": ("pass", {""}), "memory.validate": ("ungradable", {"answer.magic"})}
    assert found.value == "ungradable"


def test_the_same_seed_gives_the_same_grade_bit_for_bit(nbval: Runner, tmp_path: Path) -> None:
    cells = {ONE: perfect("memory")[ONE]}
    first, again = (grade(submitted(cells), "memory", 9, nbval, tmp_path) for _ in range(2))
    assert first == again
