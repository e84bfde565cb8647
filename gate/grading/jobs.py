"""One job: a submission to grade in one lab, with one seed. It is data, so that another process or machine can do it.

Not here: how many are done at once (`processes`, `cluster`), what a grade is made of (`grade`).
"""

from __future__ import annotations

import functools
import hashlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path

from gate.errors import ConfigError, clip, escape
from gate.files import HOME
from gate.grading.words import Grade, Runner, Submitted

#: What decides a grade beside the submission and the seed. A change in any of it means grading anew.
_KIT = ("gate", "data", "schemas", "fixtures", "notebooks/solutions")


@dataclass(frozen=True)
class Job:
    """What is to be graded, by the kit with this fingerprint. `quick` is the fast first look; else nbval decides."""

    submitted: Submitted
    lab: str
    seed: int
    quick: bool
    kit: str

    def key(self) -> str:
        """Return what a saved grade must have been saved under, to be taken instead of grading again."""
        one = self.submitted
        handed = [one.student, _plain(one.cells), _plain(one.work), list(one.notes), one.problem]
        text = json.dumps([handed, self.lab, self.seed, self.quick, self.kit], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def ungradable(self, problem: str) -> Grade:
        """Return the grade for a job that came to nothing."""
        return Grade(self.submitted.student, self.lab, self.seed, "ungradable", problem=clip(problem))


def do_job(job: Job) -> Grade:
    """Return the grade. A fault of the grader costs this one submission, and says that it was the grader's.

    Raises `ConfigError` where the kit here is not the one that the job is for, or cannot be used at all.
    """
    if job.kit != kit_fingerprint():
        raise ConfigError("the kit on this worker is another one. Next: put the same kit on every machine.")
    try:
        return _grade(job)
    except ConfigError:
        raise
    except Exception as error:
        return job.ungradable(f"a fault of the grader: {type(error).__name__}: {escape(str(error), 160)}")


def _grade(job: Job) -> Grade:
    from gate.grading.grade import grade  # brings the runners along, which only a worker needs

    return grade(job.submitted, job.lab, job.seed, _runner(job.quick, threading.get_ident()))


@functools.cache
def _runner(quick: bool, thread: int) -> Runner:
    """Return the runner of this worker, which may keep something warm between two jobs: one for each thread."""
    from gate.grading.quick import QuickRunner
    from gate.grading.warm_runner import best_runner

    return QuickRunner() if quick else best_runner()


@functools.cache
def kit_fingerprint(home: Path = HOME) -> str:
    """Return a hash of the kit: of its version, code, data, contracts, fixtures and solutions."""
    made = hashlib.sha256()
    for place in _KIT:
        for path in sorted((home / place).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                made.update(f"{path.relative_to(home).as_posix()}\0{path.stat().st_size}\0".encode())
                made.update(path.read_bytes())
    return made.hexdigest()


def _plain(value: object) -> object:
    """Return a mapping as a plain `dict`, which JSON takes."""
    return json.loads(json.dumps(value, default=dict))
