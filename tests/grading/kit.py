"""Submissions as tests need them: what a learner would hand in, from the solutions, with some of it changed."""

from __future__ import annotations

from collections.abc import Mapping

from gate.grading.exercises import sections, solution
from gate.grading.words import Submitted
from gate.lab.derive import exercise_cells

Cells = dict[str, dict[str, str]]


def perfect(*labs: str) -> Cells:
    """Return the answer cells of the solutions of some labs."""
    return {
        name: {cell["id"]: cell["source"] for cell in exercise_cells(solution(name))}
        for lab in labs
        for name, _ in sections(lab)
    }


def submitted(cells: Mapping[str, Mapping[str, str]], student: str = "ann") -> Submitted:
    """Return a submission with these answer cells."""
    return Submitted(student, f"{student}.zip", cells)
