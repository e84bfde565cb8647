"""The words of the grader: what was handed in, what is run for it, what came back, and the grade.

    folder ─ collect ─▶ Submitted ─ seal ─▶ Sealed ─ runner ─▶ what each cell came to ─ grade ─▶ Grade ─▶ reports

Not here: how any of them is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

#: What a check, an exercise or a submission came to. Only `pass` ever earns points.
Value = Literal["pass", "fail", "ungradable"]
#: What a cell of a sealed notebook came to. `differs`: it ran, and its output is not the stored one.
CellCame = Literal["same", "differs", "error", "timeout", "crashed", "missing"]


@dataclass(frozen=True)
class Submitted:
    """What one student handed in, as data. `problem` says why nothing of it can be graded, else it is empty.

    `cells`: answer cells by notebook (`memory/03_fail_closed`) and cell id, `work`: the JSON of the `work` folder by
    its name there (`table-memory.json`, `fixtures/valid.json`). `notes` are for people: what was left out, and why.
    """

    student: str
    source: str
    cells: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    work: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Sealed:
    """One notebook of ours with a student's answers set in, right outputs stored, and which cell proves which check.

    `notebook` is nbformat 4 as plain data. `probes` maps the id of a probe cell to the id of its check. `seconds` is
    the limit for one cell. It must never be readable from the kernel that runs it: it holds the right answers.
    """

    name: str
    notebook: Mapping[str, Any]
    probes: Mapping[str, str]
    seconds: float = 5.0


@dataclass(frozen=True)
class Ran:
    """What one cell came to, and what it showed (its text outputs, cut): a student's word, never a verdict."""

    came: CellCame
    shown: str = ""


class Runner(Protocol):
    """Runs one sealed notebook in a fresh process in a clean folder. `protection` says what kept it apart."""

    protection: tuple[str, ...]

    def run(self, sealed: Sealed, folder: Path) -> Mapping[str, Ran]:
        """Return what each code cell came to, by its id. Never raises for what a student's code does."""

    def close(self) -> None:
        """End what it keeps warm."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked. `told` is for the student: it never says a hidden input together with its answer."""

    id: str
    value: Value
    code: str = ""
    field: str = ""
    told: str = ""


@dataclass(frozen=True)
class Exercise:
    """One exercise (a board, a decision table, a fixture pack) of one notebook, its checks and its points."""

    id: str
    notebook: str
    value: Value
    points: float
    max_points: float
    checks: tuple[Check, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Grade:
    """What one submission came to in one lab. The same submission, kit and seed give the same grade, bit for bit."""

    student: str
    lab: str
    seed: int
    value: Value
    exercises: tuple[Exercise, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    protection: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The points earned."""
        return sum(one.points for one in self.exercises)

    @property
    def max_points(self) -> float:
        """The points that could be earned."""
        return sum(one.max_points for one in self.exercises)

    def why_ungradable(self) -> str:
        """Return why the whole, or which exercises, could not be graded; empty if all could."""
        ids: dict[str, list[str]] = {}
        for one in self.exercises:
            if one.value == "ungradable" and not self.problem:
                why = next((check.told for check in one.checks if check.value == "ungradable"), "") or one.note
                ids.setdefault(why, []).append(one.id)
        return self.problem or " ".join(f"{', '.join(of)}: {note}" for note, of in ids.items())
