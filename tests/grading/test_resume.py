"""Rules of a run over a class: nothing is lost, nothing is done twice, and the same seed gives the same grades."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.grading.batch import Batch, grade_batch, the_lab
from gate.grading.jobs import Job, do_job
from gate.grading.processes import in_processes
from gate.grading.words import Grade, Submitted
from tests.grading.class_kit import do_what_needs_no_kernel, jobs
from tests.waiting import wait_until

STUDENTS = ("ada", "bob", "eve", "joe", "zoe")
do = do_what_needs_no_kernel


class Here:
    """Does jobs one after the other in this process, remembers which, and stops before the job numbered `stop`."""

    def __init__(self, stop: int | None = None) -> None:
        self.did: list[str] = []
        self.stop = stop

    def __call__(self, wanted: Mapping[int, Job]) -> Iterator[tuple[int, Grade]]:
        for number, job in wanted.items():
            if number == self.stop:
                raise KeyboardInterrupt
            self.did.append(job.submitted.student)
            yield number, do(job)


def run(folder: Path, wanted: Sequence[Job], here: Here) -> Batch:
    return grade_batch(wanted, folder, here, lambda grade: None)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_that_was_stopped_goes_on_where_it_was_and_ends_the_same(tmp_path: Path) -> None:
    run(tmp_path / "whole", jobs(*STUDENTS), Here())
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "stopped", jobs(*STUDENTS), Here(stop=2))
    again = Here()
    batch = run(tmp_path / "stopped", jobs(*STUDENTS), again)
    assert again.did == ["eve", "joe", "zoe"] and batch.reused == 2
    assert files(tmp_path / "stopped") == files(tmp_path / "whole")


def test_every_report_is_written(tmp_path: Path) -> None:
    run(tmp_path, jobs("ada", "../bob"), Here())
    names = set(files(tmp_path))
    assert {"grades.csv", "junit.xml", "class.html", "students/ada.html", "saved/ada.json"} < names
    assert len(names) == 7 and sum(name.startswith("students/bob-") for name in names) == 1


@pytest.mark.parametrize("change", ["seed", "work", "cells", "kit", "quick", "lab"])
def test_what_changed_is_graded_anew_and_nothing_else(tmp_path: Path, change: str) -> None:
    wanted = jobs(*STUDENTS)
    run(tmp_path, wanted, Here())
    one = wanted[1]
    wanted[1] = {
        "seed": replace(one, seed=8),
        "work": replace(one, submitted=replace(one.submitted, work={})),
        "cells": replace(one, submitted=replace(one.submitted, cells={"memory/03_fail_closed": {"a": "1"}})),
        "kit": replace(one, kit="another"),
        "quick": replace(one, quick=True),
        "lab": replace(one, lab="fence"),
    }[change]
    again = Here()
    run(tmp_path, wanted, again)
    assert again.did == ["bob"]


def test_a_damaged_saved_grade_is_made_anew(tmp_path: Path) -> None:
    run(tmp_path, jobs(*STUDENTS), Here())
    (tmp_path / "saved" / "eve.json").write_text("{", encoding="utf-8")
    again = Here()
    run(tmp_path, jobs(*STUDENTS), again)
    assert again.did == ["eve"]


def test_a_submission_of_which_nothing_was_graded_is_tried_again(tmp_path: Path) -> None:
    def broken(wanted: Mapping[int, Job]) -> Iterator[tuple[int, Grade]]:
        yield from ((number, job.ungradable("a fault")) for number, job in wanted.items())

    grade_batch(jobs("ada"), tmp_path, broken, lambda grade: None)
    again = Here()
    run(tmp_path, jobs("ada"), again)
    assert again.did == ["ada"]


@pytest.fixture(scope="module")
def alone() -> list[Grade]:
    return [do(job) for job in jobs(*STUDENTS)]


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_processes_gives_the_same_grades_and_bytes(
    tmp_path: Path, workers: int, alone: list[Grade]
) -> None:
    run(tmp_path / "here", jobs(*STUDENTS), Here())
    told: list[str] = []
    all_of_them = partial(in_processes, workers=workers, do=do)
    batch = grade_batch(jobs(*STUDENTS), tmp_path / "there", all_of_them, lambda grade: told.append(grade.student))
    assert list(batch.grades) == alone and sorted(told) == list(STUDENTS)
    assert files(tmp_path / "here") == files(tmp_path / "there")


def test_a_process_that_is_killed_costs_only_its_own_submission(tmp_path: Path) -> None:
    students = ("ada", "killed-always", "bob", "killed-once", "eve", "joe")
    wanted = [*jobs(*students, note=str(tmp_path / "once"))]
    wanted[1] = replace(wanted[1], submitted=replace(wanted[1].submitted, source=str(tmp_path / "twice")))
    found = list(in_processes(dict(enumerate(wanted)), 2, do))
    assert sorted(number for number, _ in found) == [0, 1, 2, 3, 4, 5]
    grades = {grade.student: grade for _, grade in found}
    assert grades["killed-always"].value == "ungradable" and "was killed each time" in grades["killed-always"].problem
    assert {student for student, grade in grades.items() if grade.problem} == {"killed-always"}


def test_a_kit_that_cannot_be_used_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="another one"):
        list(in_processes(dict(enumerate(jobs("ada", "other-kit"))), 2, do))


def test_a_worker_with_another_kit_refuses() -> None:
    with pytest.raises(ConfigError, match="put the same kit on every machine"):
        do_job(replace(jobs("ada")[0], kit="another"))


def numbers(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def test_when_the_one_who_asked_is_killed_its_workers_stop_and_leave_no_folder(tmp_path: Path) -> None:
    code = (
        "from tests.grading.class_kit import do_what_needs_no_kernel, jobs\n"
        "from gate.grading.processes import in_processes\n"
        f"wanted = dict(enumerate(jobs('waits', 'waits', note={str(tmp_path)!r})))\n"
        "if __name__ == '__main__':\n    list(in_processes(wanted, 2, do_what_needs_no_kernel))\n"
    )
    (tmp_path / "asks.py").write_text(code, encoding="utf-8")
    (tmp_path / "scratch").mkdir()
    environ = {"PYTHONPATH": str(HOME), "TMPDIR": str(tmp_path / "scratch")}
    with subprocess.Popen([sys.executable, str(tmp_path / "asks.py")], cwd=HOME, env=environ) as asks:
        wait_until(lambda: len(numbers(tmp_path)) == 2 or asks.poll() is not None)
        workers = numbers(tmp_path)
        assert len([*(tmp_path / "scratch").glob("gate-*")]) == 1
        asks.kill()
    gone, alive = psutil.wait_procs([psutil.Process(pid) for pid in workers if psutil.pid_exists(pid)], timeout=30)
    assert (len(workers), alive, [*(tmp_path / "scratch").glob("gate-*")]) == (2, [], [])


def test_the_lab_is_the_one_that_the_submissions_are_about() -> None:
    about = [Submitted("ada", "", {"memory/03_fail_closed": {"a": "1"}}), Submitted("bob", "")]
    both = [*about, Submitted("eve", "", {"fence/01_parse_once": {}})]
    assert the_lab(about, None, ("memory", "fence")) == "memory"
    assert the_lab(both, "fence", ("memory", "fence")) == "fence"
    for submissions, named in ((both, None), ([], None), (about, "nothing")):
        with pytest.raises(ConfigError, match="Next: --lab with one of memory, fence"):
            the_lab(submissions, named, ("memory", "fence"))
