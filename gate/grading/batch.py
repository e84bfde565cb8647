"""Grades a class: takes what an earlier run has saved, does the rest, saves each grade at once, writes the reports.

    grades/memory/grades.csv  junit.xml  class.html  students/<name>.html  saved/<name>.json

Not here: how the jobs are done (`processes`, `cluster`), how the pages look (`report_html`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gate.errors import ConfigError
from gate.files import write_whole
from gate.grading.jobs import Job
from gate.grading.report_csv import as_csv
from gate.grading.report_html import class_page, student_page
from gate.grading.report_junit import as_junit
from gate.grading.saved import file_names, save_grade, saved_grade
from gate.grading.words import Grade, Submitted

DoAll = Callable[[Mapping[int, Job]], Iterator[tuple[int, Grade]]]


class Batch(NamedTuple):
    """A class that was graded: the grades in the order of the submissions, and how many of them were there before."""

    grades: tuple[Grade, ...]
    reused: int


def grade_batch(jobs: Sequence[Job], folder: Path, do_all: DoAll, done: Callable[[Grade], None]) -> Batch:
    """Return a grade for each job, and call `done` with each as soon as it is there and saved.

    `folder` takes what is saved, and the reports in the end. Raises `ConfigError` when it cannot be written.
    """
    names = file_names(job.submitted for job in jobs)
    paths = [folder / "saved" / f"{name}.json" for name in names]
    grades: dict[int, Grade] = {}
    for number, job in enumerate(jobs):
        known = saved_grade(paths[number], job.key())
        if known:
            grades[number] = known
            done(known)
    reused = len(grades)
    for number, grade in do_all({number: job for number, job in enumerate(jobs) if number not in grades}):
        # Under no key: nothing was graded, and what was in the way may be gone next time.
        save_grade(paths[number], "" if grade.problem else jobs[number].key(), grade)
        grades[number] = grade
        done(grade)
    ordered = tuple(grades[number] for number in range(len(jobs)))
    write_reports(folder, ordered, names, any(job.quick for job in jobs))
    return Batch(ordered, reused)


def write_reports(folder: Path, grades: Sequence[Grade], names: Sequence[str], quick: bool = False) -> None:
    """Write every report of a class, each one whole."""
    write_whole(folder / "grades.csv", as_csv(grades))
    write_whole(folder / "junit.xml", as_junit(grades))
    write_whole(folder / "class.html", class_page(grades, names, quick))
    for grade, name in zip(grades, names, strict=True):
        write_whole(folder / "students" / f"{name}.html", student_page(grade))


def the_lab(submissions: Sequence[Submitted], named: str | None, labs: Sequence[str]) -> str:
    """Return the lab to grade: the one that is named, else the only one that the submissions are about.

    Raises `ConfigError` for a lab that is none, and when it is not clear which one is meant.

    >>> the_lab([Submitted("ada", "a.zip", {"memory/03_fail_closed": {}})], None, ("memory", "fence"))
    'memory'
    """
    found = {name.split("/")[0] for one in submissions for name in one.cells}
    chosen = [named] if named else sorted(found.intersection(labs))
    if len(chosen) == 1 and chosen[0] in labs:
        return chosen[0]
    about = f"the submissions are about {', '.join(chosen) or 'no lab'}" if not named else f"there is no lab {named}"
    raise ConfigError(f"{about}. Next: --lab with one of {', '.join(labs)}.")
