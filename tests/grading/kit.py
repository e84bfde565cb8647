"""Submissions as tests need them: what a learner would hand in, from the solutions, with some of it changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

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


class Wanted(NamedTuple):
    """What an exercise must come to: its value, and the codes of the checks that did not pass."""

    value: str
    codes: set[str]


def corpus(name: str) -> tuple[Cells, dict[str, Wanted]]:
    """Return the submission `corpus/<name>.cells`: its answer cells, and what each exercise must come to."""
    text = (Path(__file__).parent / "corpus" / f"{name}.cells").read_text(encoding="utf-8")
    cells, wanted = Cells(), dict[str, Wanted]()
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, source = block.partition("\n")
        place, _, rest = head.partition(": ")
        notebook, id = place.split()
        exercise, value, *codes = rest.split()
        cells.setdefault(notebook, {})[id] = source
        wanted[exercise] = Wanted(value, set(codes))
    return cells, wanted
