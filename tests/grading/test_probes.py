"""The probes themselves: the reference passes with any seed, a constant with none, and the same seed asks the same."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from typing import Any

import pytest

from gate.grading.exercises import Asked, asked, sections
from gate.grading.observe import observe
from gate.grading.observe.apart import apart
from gate.grading.probes import KNOWN, all, cases
from gate.lab.plan import load_plan

ASKED = [one for lab in load_plan() for name, section in sections(lab) for one in asked(name, section)]


def passed(one: Asked, student: Any, seed: int) -> list[bool]:
    """Return which checks pass, without a kernel: for students who can be trusted."""
    found = []
    for case in cases(one, seed):
        seen = observe(case.probe.observer, student, case.probe.given)
        judged = [judge(json.loads(seen)) for _, judge in case.probe.judges]
        found += judged or [seen == case.probe.right]
    return found


@pytest.mark.parametrize("one", ASKED, ids=lambda one: one.id)
@pytest.mark.parametrize("seed", [0, 11])
def test_the_reference_is_right(one: Asked, seed: int) -> None:
    found = passed(one, lambda: all.reference(one), seed)
    assert found and set(found) == {True}


def test_every_graded_exercise_has_probes_and_no_other() -> None:
    assert sorted(KNOWN) == sorted(one.id for one in ASKED)


@pytest.mark.parametrize("one", ASKED, ids=lambda one: one.id)
def test_the_same_seed_asks_the_same_and_another_does_not(one: Asked) -> None:
    def inputs(seed: int) -> list[Any]:
        all.cases.cache_clear()
        return [(case.id, case.probe.told, case.probe.given, case.probe.right) for case in cases(one, seed)]

    assert inputs(3) == inputs(3)
    if any(case.probe.given for case in cases(one, 3)) and len(cases(one, 3)) > 1:
        assert inputs(3) != inputs(4)


def test_what_is_tried_cannot_speak_for_its_observer() -> None:
    def pipes() -> set[int]:
        return {number for number in range(64) if _is_pipe(number)}

    def forges() -> str:
        for number in pipes() - before:
            with suppress(OSError):
                os.write(number, b'{"returned": 42}')
        os._exit(0)

    before = pipes()

    assert apart("any", forges) == '{"ended": "exit"}'
    assert apart("any", lambda: '{"returned": 42}') == '{"returned": 42}'


def _is_pipe(number: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(number).st_mode)
    except OSError:
        return False


def constant(value: Any) -> Any:
    """Return a student who always answers the same."""
    return lambda: lambda *_: value


@pytest.mark.parametrize("one", ASKED, ids=lambda one: one.id)
def test_one_answer_for_everything_is_never_right(one: Asked) -> None:
    for value in ("allow", "block", {}, [], "", None, True, 0, "unknown", "yes no Next 25 duplicates"):
        if any(case.probe.judges and case.probe.observer == "data" for case in cases(one, 1)):
            continue
        found = []
        for case in cases(one, 1):
            seen = observe(case.probe.observer, constant(value), case.probe.given)
            found += [_judged(judge, seen) for _, judge in case.probe.judges] or [seen == case.probe.right]
        assert not min(found)


def _judged(judge: Any, seen: str) -> bool:
    try:
        return bool(judge(json.loads(seen)))
    except Exception:  # noqa: BLE001 - as the grader does
        return False
