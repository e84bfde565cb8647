"""Grades one submission: seals its notebooks, has them run, and says of every exercise what it came to.

An exercise passes when all its checks do; nothing else earns its points. So a gate that refuses everything, or one
that guesses, has none. How many of its checks passed is in the report.

Whatever ends a run early (an endless loop, an exit) costs the exercise in whose cells it happened: the notebook is run
again without it, for the others.

Not here: decision tables (`tables`), fixture packs (`packs`), how a cell is run (`runner`), reports.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from gate.grading.exercises import Asked, asked, sections, solution
from gate.grading.inspect import Refused, refused
from gate.grading.packs import grade_pack
from gate.grading.probes import cases
from gate.grading.seal import answer_cells, seal
from gate.grading.tables import grade_table
from gate.grading.verdict import cell_ended, not_run, verdicts
from gate.grading.words import Check, Exercise, Grade, Ran, Runner, Sealed, Submitted, Value
from gate.lab.derive import exercise_cells
from gate.lab.exercise import stub
from gate.lab.names import defined, unmade
from gate.lab.plan import Section

_ENDED = ("timeout", "crashed")


def grade(submitted: Submitted, lab: str, seed: int, runner: Runner, folder: Path | None = None) -> Grade:
    """Return the grade of one submission in one lab. Never raises for what was handed in.

    `folder` is where the runner may work; a temporary one is made if none is given. Raises `ConfigError` for a lab
    that does not exist, or a kit that is at fault.
    """
    with tempfile.TemporaryDirectory(prefix="gate-grade-", ignore_cleanup_errors=True) as own:
        found = [
            one
            for name, section in sections(lab)
            for one in _section(submitted, name, section, _Run(seed, runner, folder or Path(own)))
        ]
    return Grade(
        submitted.student, lab, seed, _whole(submitted, found), tuple(found), submitted.notes, submitted.problem,
        runner.protection,
    )  # fmt: skip


class _Run(NamedTuple):
    """With what a submission is run."""

    seed: int
    runner: Runner
    folder: Path


def _whole(submitted: Submitted, found: list[Exercise]) -> Value:
    if submitted.problem or any(one.value == "ungradable" for one in found):
        return "ungradable"
    return "pass" if all(one.value == "pass" for one in found) else "fail"


def _section(submitted: Submitted, name: str, section: Section, run: _Run) -> list[Exercise]:
    """Return the exercises of one notebook, in the order of the plan."""
    questions = asked(name, section)
    found: dict[str, Exercise] = {}
    if not submitted.problem:
        found |= _saved(name, section, submitted.work)
        found |= _answered(name, questions, submitted.cells.get(name, {}), run)
    unread = {one.id: Exercise(one.id, name, "ungradable", 0, one.points) for one in section.exercises}
    return [(unread | found)[one.id] for one in section.exercises]


def _saved(name: str, section: Section, work: Mapping[str, Any]) -> dict[str, Exercise]:
    """Return the exercises that are answered in the JSON of `work/`: decision tables and fixture packs."""
    found = {}
    for one in section.exercises:
        kind, _, about = one.id.partition(".")
        if kind == "table":
            found[one.id] = grade_table(about, name, work, one.points)
        elif kind == "pack":
            found[one.id] = grade_pack(about, name, work, one.points, one.enough)
    return found


def _answered(name: str, questions: list[Asked], cells: Mapping[str, str], run: _Run) -> dict[str, Exercise]:
    """Return the exercises that are answered in cells: those not handed in, those refused, and those that were run."""
    stubs = {cell["id"]: stub(cell["source"]) for cell in exercise_cells(solution(name))}
    written = {id: text for id, text in cells.items() if id in stubs and text.strip() != stubs[id].strip()}
    reasons = {id: reason for id, text in written.items() if (reason := refused(name, text))}
    usable = {id: text for id, text in written.items() if id not in reasons}
    elsewhere = {
        name for text in usable.values() for name in defined(text)
    }  # in a cell before its own, if that is empty
    found, to_run = dict[str, Exercise](), list[Asked]()
    for one in questions:
        mine = answer_cells(name, [one])[one.id]
        bad = next((reasons[id] for id in mine if id in reasons), None)
        if bad:
            found[one.id] = _refused(one, bad)
        elif not any(id in usable or (not cells.get(id, "").strip() and one.name in elsewhere) for id in mine):
            told = f"{one.name} was not handed in. Next: write it in its cell, and hand in again."
            found[one.id] = _exercise(one, (Check(f"{one.id}/answer", "fail", "answer.missing", one.name, told),))
        else:
            to_run.append(one)
    found |= dict(_run(name, to_run, usable, run))
    return found | dict(_beside_ours(name, [one for one in to_run if found[one.id].value == "fail"], usable, run))


def _run(name: str, questions: list[Asked], answers: Mapping[str, str], run: _Run) -> Iterator[tuple[str, Exercise]]:
    """Run a notebook, again for the others when one question ended it, and yield each question with what it came to."""
    while questions:
        sealed = seal(name, questions, answers, run.seed)
        ran = run.runner.run(sealed, run.folder)
        culprit = _culprit(name, questions, sealed, ran)
        done = [one for one in questions if one == culprit or _is_done(one, sealed, ran)]
        for one in done:
            yield one.id, _exercise(one, _checks(one, sealed, ran, run.seed))
        questions = [one for one in questions if one not in done]
        answers = {id: text for id, text in answers.items() if id not in ran or ran[id].came not in _ENDED}
        if not done:  # our own cells, or the machine: nobody's answer was tried
            for one in questions:
                yield one.id, Exercise(one.id, name, "ungradable", 0, one.points, note=not_run(ran))
            return


def _beside_ours(
    name: str, failed: list[Asked], answers: Mapping[str, str], run: _Run
) -> Iterator[tuple[str, Exercise]]:
    """Yield what passes after all when our answer stands in the place of one that failed and that it builds on.

    So does a learner go on in the notebook: the reference is loaded for what is red.
    """
    cells = answer_cells(name, failed)
    for one in failed:
        others = {id for other in failed if other != one for id in cells[other.id]} - set(cells[one.id])
        kept = {id: text for id, text in answers.items() if id not in others}
        needed = {cell["id"] for cell in seal(name, [one], kept, run.seed).notebook["cells"]}
        if needed & others & set(answers):
            again = dict(_run(name, [one], kept, run))[one.id]
            if again.value == "pass":
                yield (
                    one.id,
                    replace(again, note=f"{again.note} It was tried beside our answer to what comes before it."),
                )


def _culprit(name: str, questions: list[Asked], sealed: Sealed, ran: Mapping[str, Ran]) -> Asked | None:
    """Return the question in whose cells a run ended early."""
    mine = answer_cells(name, questions)
    for id, one in ran.items():
        if one.came in _ENDED:
            check = sealed.probes.get(id, "")
            return next((q for q in questions if check.startswith(f"{q.id}/") or id in mine[q.id]), None)
    return None


def _is_done(one: Asked, sealed: Sealed, ran: Mapping[str, Ran]) -> bool:
    mine = [ran[id].came for id, check in sealed.probes.items() if check.startswith(f"{one.id}/")]
    return "missing" not in mine and not any(came in _ENDED for came in mine)


def _checks(one: Asked, sealed: Sealed, ran: Mapping[str, Ran], seed: int) -> tuple[Check, ...]:
    """Return the checks of a question. Where its answer cell ended the run, that is what all of them came to."""
    answers = answer_cells(one.notebook, [one])[one.id]
    mine = [ran[id] for id in answers if id in ran and ran[id].came in _ENDED]
    cells = {check: mine[0] if mine else ran[id] for id, check in sealed.probes.items()}
    texts = {cell["id"]: cell["source"] for cell in sealed.notebook["cells"]}
    lacks = unmade([text for id, text in texts.items() if id in answers], texts.values())
    checks = tuple(verdicts([(case, cells[case.id]) for case in cases(one, seed)], one.name, lacks))
    return tuple(replace(check, told=cell_ended(mine[0])) for check in checks) if mine else checks


def _refused(one: Asked, reason: Refused) -> Exercise:
    check = Check(f"{one.id}/answer", "ungradable", reason.code, one.name, reason.told)
    return Exercise(one.id, one.notebook, "ungradable", 0, one.points, (check,), "The answer was not run.")


def _exercise(one: Asked, checks: tuple[Check, ...]) -> Exercise:
    passed = sum(check.value == "pass" for check in checks)
    value: Value = "pass" if passed == len(checks) else "fail"
    note = f"{passed} of {len(checks)} checks passed."
    return Exercise(one.id, one.notebook, value, one.points if value == "pass" else 0, one.points, checks, note)
