"""Submissions as data (`corpus/*.cells`), in the strongest protection: each gets what it earned, whoever runs it.

The fastest runner takes every notebook. The other takes the memory lab and `budget.times(1)` notebooks of each other
lab: one in `make test`, all in `make hard` and in CI.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from gate.grading import protect
from gate.grading.box import works
from gate.grading.exercises import notebooks
from gate.grading.grade import grade
from gate.grading.probes import KNOWN
from gate.grading.quick import QuickRunner
from gate.grading.runner import NbvalRunner
from gate.grading.warm_runner import best_runner
from gate.grading.words import Grade, Runner
from tests.grading.kit import Wanted, corpus, perfect, submitted
from tests.hard.budget import times

SEED = 5
HOSTILE, WANTED = corpus("hostile")


def came_to(found: Grade) -> dict[str, Wanted]:
    return {
        one.id: Wanted(one.value, {check.code for check in one.checks if check.value != "pass"})
        for one in found.exercises
        if one.id in KNOWN
    }


RUNNERS = [QuickRunner, best_runner] if works(protect.working()[0]) else [best_runner]
ALL = 99  # more notebooks than a lab has
OF_OTHERS = ALL if os.environ.get("CI") else times(1)


def taken() -> Iterator[tuple[object, str]]:
    """Yield which runner takes which notebook: the first all, the other those within the budget."""
    for lab, names in groupby(sorted(HOSTILE), key=lambda name: name.partition("/")[0]):
        own = list(names)
        for runner in RUNNERS:
            most = ALL if runner is RUNNERS[0] or lab == "memory" else OF_OTHERS
            yield from ((runner, name) for name in own[:most])


@pytest.fixture(scope="module")
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """The runner of `gate grade --quick`, and of `gate grade`."""
    made: Runner = request.param()
    yield made
    made.close()


@pytest.mark.parametrize(("runner", "name"), list(taken()), indirect=["runner"])
def test_an_attack_costs_its_exercise_and_no_other(name: str, runner: Runner, tmp_path: Path) -> None:
    lab = name.partition("/")[0]
    found = grade(submitted({name: HOSTILE[name]}), lab, SEED, runner, tmp_path)
    mine = {one.id for one in found.exercises if one.notebook == name and one.id in KNOWN}
    assert {id: one for id, one in came_to(found).items() if id in mine} == {id: WANTED[id] for id in mine}
    assert all(one.points == (one.max_points if one.value == "pass" else 0) for one in found.exercises)
    assert list(tmp_path.iterdir()) == []


def test_an_attack_is_there_for_every_exercise() -> None:
    assert set(WANTED) == set(KNOWN)
    assert set(HOSTILE) == set(notebooks())


def test_a_solution_earns_all_points(tmp_path: Path) -> None:
    found = grade(submitted(perfect("results")), "results", SEED, NbvalRunner(), tmp_path)
    assert (found.value, found.points) == ("pass", found.max_points)
    assert found.points > 0


def test_no_feedback_holds_what_a_student_made_up_or_a_hidden_input(tmp_path: Path) -> None:
    name = "fence/04_block_retry_or_escalate"
    found = grade(submitted({name: HOSTILE[name]}), "fence", SEED, NbvalRunner(), tmp_path)
    [told] = [[check.told for check in one.checks] for one in found.exercises if one.id == "fence.next_step"]
    assert told and not any("the answer to" in text or "fence." in text.replace("fence.next_step", "") for text in told)
