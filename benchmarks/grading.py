r"""Grading a class: the kit beside nbgrader and plain nbval, on the same sealed notebooks.

One worker each, and the kit also with one for each core, as it comes: nbgrader grades one after the other.

    NBGRADER_PYTHON=/tmp/nbgrader/bin/python python -m benchmarks.grading [--quick]

nbgrader is no part of the kit; without it, its row says so. Make it an environment of its own that sees the kit's:

    python -m venv /tmp/nbgrader && /tmp/nbgrader/bin/pip install nbgrader
    .venv/bin/python -c "import os, sysconfig; print(sysconfig.get_path('purelib'), os.getcwd(), sep=os.linesep)" \
        > "$(/tmp/nbgrader/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/kit.pth"

Every submission answers a whole lab; every second one has a stub in it. The sealed notebooks are those of `gate grade`.
nbgrader has the class twice: with the notebooks as students hand them in, which is what it is made for, and with our
sealed ones, which spare it the lesson. Each probe is a graded test of one point that compares what it shows, so that
nbgrader's kernels hold the right answers. Neither nbgrader nor plain nbval has a box around a student's code.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.timing import Work, seconds
from benchmarks.topic import Curve, Effort, Part, Table, alone, number, ratio
from gate.grading.exercises import asked, sections, solution
from gate.grading.grade import grade
from gate.grading.jobs import Job, kit_fingerprint
from gate.grading.probes import KNOWN
from gate.grading.processes import in_processes
from gate.grading.quick import QuickRunner
from gate.grading.runner import NbvalRunner
from gate.grading.seal import seal
from gate.grading.warm_runner import WarmRunner
from gate.grading.words import Grade, Runner, Sealed, Submitted
from gate.lab.derive import exercise_cells
from gate.lab.exercise import stub

TITLE = "Grading a class"
LAB, SEED = "memory", 3
STUBBED = "memory.validate"
_SUBMISSIONS = 20
_SIZES = (1, 2, 5, 10, 20, 30)
_TEST = """import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as said:
    {}
assert said.getvalue() == {!r}"""
_SPEC = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


class Assignment(NamedTuple):
    """One notebook for nbgrader: its cells, and the ids of those that are graded tests."""

    cells: list[dict[str, Any]]
    tests: set[str]


def handed_in(number: int) -> Submitted:
    """Return a submission: our solutions, with a stub for one exercise in every second one."""
    cells = {name: {cell["id"]: cell["source"] for cell in exercise_cells(solution(name))} for name, _ in sections(LAB)}
    if number % 2:
        wrong = cells[f"{LAB}/03_fail_closed"]
        last = list(wrong)[-1]
        wrong[last] = stub(wrong[last])
    return Submitted(f"student-{number:02}", "benchmark", cells)


def sealed(one: Submitted) -> Iterator[Sealed]:
    """Yield the sealed notebooks of a submission."""
    for name, section in sections(LAB):
        yield seal(name, asked(name, section), one.cells[name], SEED)


def with_runner(make: Callable[[], Runner], class_: list[Submitted]) -> None:
    """Grade with one of the kit's runners."""
    runner = make()
    for one in class_:
        as_it_should_be(grade(one, LAB, SEED, runner))
    runner.close()


def as_it_should_be(found: Grade) -> None:
    """Raise unless a submission got what it earned: a grader that runs nothing would be the fastest."""
    failed = [one.id for one in found.exercises if one.id in KNOWN and one.value != "pass"]
    if failed != ([STUBBED] if int(found.student[-2:]) % 2 else []):
        raise SystemExit(f"{found.student} failed {failed}. Next: run gate doctor; nothing here may be measured.")


def in_workers(size: int, quick: bool, workers: int) -> None:
    """Grade a class of this size as the command does, with worker processes that are started for it."""
    jobs = [Job(handed_in(number), LAB, SEED, quick, kit_fingerprint()) for number in range(size)]
    for _, found in in_processes(dict(enumerate(jobs)), workers):
        as_it_should_be(found)


def with_nbval(class_: list[Submitted]) -> None:
    """Run plain nbval: one call for a submission."""
    for one in class_:
        with tempfile.TemporaryDirectory() as folder:
            for number, notebook in enumerate(sealed(one)):
                Path(folder, f"{number}.ipynb").write_text(json.dumps(dict(notebook.notebook)), encoding="utf-8")
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--nbval",
                 "--nbval-current-env", "."], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                check=False,
            )  # fmt: skip


def handed(one: Submitted) -> Iterator[Assignment]:
    """Yield the notebooks of a submission as they are handed in, each with its probes at its end.

    The cells that load our own answer, for who fell behind, are left out: nbgrader would run them too.
    """
    for notebook in sealed(one):
        answers = one.cells[notebook.name]
        lesson = [cell for cell in solution(notebook.name)["cells"] if not cell["source"].startswith("reference(")]
        theirs = [{**cell, "source": answers.get(cell["id"], cell["source"])} for cell in lesson]
        tests = [cell for cell in notebook.notebook["cells"] if cell["id"] in notebook.probes]
        yield Assignment([*theirs, *tests], set(notebook.probes))


def spared(one: Submitted) -> Iterator[Assignment]:
    """Yield the sealed notebooks of a submission."""
    for notebook in sealed(one):
        yield Assignment(notebook.notebook["cells"], set(notebook.probes))


@contextmanager
def course(class_: list[Submitted], notebooks: Callable[[Submitted], Iterator[Assignment]]) -> Iterator[Path]:
    """Give a course of nbgrader with this class handed in."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'gate'\n", "utf-8")
        for place, one in [("source/./lab", class_[0]), *((f"submitted/{one.student}/lab", one) for one in class_)]:
            (root / place).mkdir(parents=True)
            for number, notebook in enumerate(notebooks(one)):
                (root / place / f"{number}.ipynb").write_text(json.dumps(_for_nbgrader(notebook)), encoding="utf-8")
        yield root


def _for_nbgrader(one: Assignment) -> dict[str, Any]:
    cells = [_graded(cell, cell["id"] in one.tests) if cell["cell_type"] == "code" else cell for cell in one.cells]
    return {"cells": cells, "metadata": _SPEC, "nbformat": 4, "nbformat_minor": 5}


def _graded(cell: dict[str, Any], probe: bool) -> dict[str, Any]:
    about = {"schema_version": 3, "grade_id": cell["id"], "grade": probe, "locked": probe, "solution": False,
             "task": False, **({"points": 1} if probe else {})}  # fmt: skip
    right = "".join(out["text"] for out in cell["outputs"]) if probe else ""
    source = _TEST.format(cell["source"].replace("; ", "\n    "), right) if right else cell["source"]
    return {**cell, "source": source, "outputs": [], "execution_count": None, "metadata": {"nbgrader": about}}


def with_nbgrader(
    python: str, class_: list[Submitted], notebooks: Callable[[Submitted], Iterator[Assignment]]
) -> float:
    """Return the seconds that `nbgrader autograde` takes; making the assignment does not count."""
    with course(class_, notebooks) as root:
        _nbgrader(python, root, "generate_assignment", "lab", "--create")
        begin = time.perf_counter()
        _nbgrader(python, root, "autograde", "lab", "--create")
        taken = time.perf_counter() - begin
        _as_nbgrader_should(python, root)
        return taken


def _as_nbgrader_should(python: str, root: Path) -> None:
    """Raise unless nbgrader gave what was earned: all points to every second student, some to the others."""
    _nbgrader(python, root, "export")
    with (root / "grades.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            full, got = float(row["max_score"]), float(row["score"])
            if not 0 < got <= full or (got == full) != (int(row["student_id"][-2:]) % 2 == 0):
                raise SystemExit(
                    f"nbgrader gave {row['student_id']} {got:g} of {full:g}. Next: nothing here may be measured."
                )


def _nbgrader(python: str, root: Path, *words: str) -> None:
    path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])  # it calls tools of its own by their names
    done = subprocess.run(
        [python, "-m", "nbgrader", *words], cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"nbgrader {words[0]} failed. Next: read what it said.\n{done.stderr[-3000:]}")


def measure(effort: Effort) -> Iterator[Part]:
    """Yield all graders on one class, and the growth with the number of submissions and workers."""
    class_ = [handed_in(number) for number in range(effort.of(_SUBMISSIONS, 2))]
    with_runner(QuickRunner, class_[:1])  # what is right is worked out once for a class, by any of them
    ways: dict[str, Work] = {
        "gate grade": lambda: with_runner(WarmRunner, class_),
        "gate grade --quick": lambda: with_runner(QuickRunner, class_),
        "gate grade, nothing warm": lambda: with_runner(NbvalRunner, class_),
        "pytest --nbval, sealed notebooks": lambda: with_nbval(class_),
    }
    taken = {name: seconds(work) for name, work in ways.items()}
    if (cores := os.cpu_count() or 1) > 1:  # as the command does it if nothing is said; the others have no such thing
        for quick in (False, True):
            name = f"gate grade{' --quick' if quick else ''}, {cores} workers"
            taken[name] = seconds(lambda quick=quick: in_workers(len(class_), quick, cores))
    python = os.environ.get("NBGRADER_PYTHON")
    if python:
        taken["nbgrader autograde"] = with_nbgrader(python, class_, handed)
        taken["nbgrader autograde, sealed notebooks"] = with_nbgrader(python, class_, spared)
    yield compared_graders(taken, len(class_), bool(python))
    yield growth(effort)


def compared_graders(taken: dict[str, float], count: int, with_nbgrader: bool) -> Table:
    """Return the table of all graders."""
    base = taken["gate grade"]
    rows: list[tuple[str, ...]] = [
        (name, number(took / count), number(60 * count / took), ratio(took, base)) for name, took in taken.items()
    ]
    if not with_nbgrader:
        rows.append(("nbgrader autograde", "left out: NBGRADER_PYTHON names no Python that has it", "-", "-"))
    exercises = sum(len(section.exercises) for _, section in sections(LAB))
    title = f"{count} submissions of {len(sections(LAB))} notebooks, {exercises} graded exercises"
    return Table(title, ("with", "seconds a submission", "submissions a minute", "times gate grade"), rows)


def growth(effort: Effort) -> Curve:
    """Return the seconds for classes of more and more submissions, with one worker and with one for each core."""
    lines: dict[str, dict[int, float]] = {}
    cores = os.cpu_count() or 1
    for quick, workers in [(False, 1), (False, cores), (True, 1), (True, cores)]:
        line = lines.setdefault(f"gate grade{' --quick' if quick else ''}, workers: {workers}", {})
        for size in (size for size in _SIZES if size <= effort.of(max(_SIZES), 2)):
            line[size] = seconds(lambda size=size, quick=quick, workers=workers: in_workers(size, quick, workers))
    return Curve("submissions", "A class that grows, workers started with it", "submissions", "seconds", lines)


if __name__ == "__main__":
    alone(measure)
