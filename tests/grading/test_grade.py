"""The grade of whole submissions, run by nbval in the strongest protection there is."""

from __future__ import annotations

from pathlib import Path

from gate.grading.grade import grade
from gate.grading.runner import NbvalRunner
from tests.grading.kit import perfect, submitted

ONE = "memory/01_reproduce_the_leak"


def test_a_solution_earns_all_points_and_a_stub_none(tmp_path: Path) -> None:
    cells = {ONE: perfect("memory")[ONE]}
    found = grade(submitted(cells), "memory", 3, NbvalRunner(), tmp_path)
    first, *others = [one for one in found.exercises if not one.id.startswith(("table.", "pack."))]
    assert (first.id, first.value, first.points) == ("memory.invented", "pass", first.max_points)
    assert {one.value for one in others} == {"fail"}
    assert {check.code for one in others for check in one.checks} == {"answer.missing"}
    assert found.protection
