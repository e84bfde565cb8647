"""What a class came to: each exercise, what was missed most often, which planted faults survived, what to talk about.

Not here: how it is shown (`report_html`). Nothing is ranked by student, and nothing by time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gate.grading.words import Check, Exercise, Grade

SURVIVOR = "pack.survivor"
_MOST = 12
_NOTHING = ("answer.missing", "table.open")  # nothing was tried, so there is nothing to talk about


class ExerciseSummary(NamedTuple):
    """One exercise over the class: how many came to which value, and the part of the points earned, 0 to 1."""

    id: str
    notebook: str
    passed: int
    failed: int
    ungradable: int
    share: float


class Often(NamedTuple):
    """Something that went wrong `times` times: the check, its code and field, and what most students were told."""

    id: str
    code: str
    field: str
    times: int
    told: str


class Summary(NamedTuple):
    """A class in one lab. `missed` and `survivors` begin with what was most common; `talk` is for tomorrow."""

    students: int
    ungradable: tuple[Grade, ...]
    share: float
    exercises: tuple[ExerciseSummary, ...]
    missed: tuple[Often, ...]
    survivors: tuple[Often, ...]
    talk: tuple[str, ...]


def summarize(grades: Sequence[Grade]) -> Summary:
    """Return what the grades of one lab come to; the same for the same grades in any order.

    >>> summarize([]).talk
    ('Nothing was handed in.',)
    """
    exercises = _exercises(grades)
    wrong = [
        (one, check) for grade in grades for one in grade.exercises for check in one.checks if check.value != "pass"
    ]
    missed = _often(check for one, check in wrong if check.code != SURVIVOR and one.value != "pass")
    survivors = _often(check for _, check in wrong if check.code == SURVIVOR)
    ungradable = tuple(grade for grade in grades if grade.value == "ungradable")
    earned, possible = sum(grade.points for grade in grades), sum(grade.max_points for grade in grades)
    share = earned / possible if possible else 0.0
    packs = sum(_has_pack(grade) for grade in grades)
    talk = tuple(_talk(len(grades), packs, exercises, missed, survivors))
    return Summary(len(grades), ungradable, share, exercises, missed, survivors, talk)


def _has_pack(grade: Grade) -> bool:
    codes = (check.code for one in grade.exercises if one.id.startswith("pack.") for check in one.checks)
    return any(code not in _NOTHING for code in codes)


def _exercises(grades: Sequence[Grade]) -> tuple[ExerciseSummary, ...]:
    """Return the exercises in the order in which the lab has them."""
    by_id: dict[str, list[Exercise]] = {}
    places: dict[str, int] = {}
    for grade in grades:
        for place, one in enumerate(grade.exercises):
            by_id.setdefault(one.id, []).append(one)
            places[one.id] = max(place, places.get(one.id, 0))
    found = []
    for name, all_of_them in by_id.items():
        values = Counter(one.value for one in all_of_them)
        possible = sum(one.max_points for one in all_of_them)
        share = sum(one.points for one in all_of_them) / possible if possible else 0.0
        counts = values["pass"], values["fail"], values["ungradable"]
        found.append(ExerciseSummary(name, all_of_them[0].notebook, *counts, share))
    return tuple(sorted(found, key=lambda one: (places[one.id], one.id)))


def _often(checks: Iterable[Check]) -> tuple[Often, ...]:
    counts: Counter[tuple[str, str, str]] = Counter()
    told: dict[tuple[str, str, str], Counter[str]] = {}
    for check in checks:
        key = (check.id, check.code, check.field)
        counts[key] += 1
        told.setdefault(key, Counter())[check.told] += 1
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    found: dict[tuple[str, str, str], Often] = {}  # one reason may fail many checks, and is told once
    for key, count in most:
        one = Often(*key, count, min(told[key], key=lambda text: (-told[key][text], text)))
        found.setdefault((one.code, one.field, one.told or one.id), one)
    return tuple(found.values())[:_MOST]


def _talk(
    students: int, packs: int, exercises: Sequence[ExerciseSummary], missed: Sequence[Often], survivors: Sequence[Often]
) -> Iterable[str]:
    if not students:
        yield "Nothing was handed in."
        return
    hard = min(exercises, key=lambda one: (one.share, one.id), default=None)
    if hard and hard.share < 1:
        yield f"{hard.id} ({hard.notebook}) earned {hard.share:.0%} of its points: do it again together."
    mistakes = [one for one in missed if one.code not in _NOTHING]
    if mistakes:
        most = mistakes[0]
        yield f"{most.times} of {students} went wrong at {most.field or most.id}: {most.told or most.code}"
    if survivors:
        most = survivors[0]
        survived = f"The planted fault {most.field} survived {most.times} of {packs} packs."
        yield f"{survived} Who finds a fixture that notices it?"
    if not (hard and hard.share < 1) and not survivors:
        yield "Everyone has everything. Ask for a fault that nobody planted."
