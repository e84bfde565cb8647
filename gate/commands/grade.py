"""`gate grade`: grade a folder of submissions, and write the reports."""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gate.commands import show
from gate.errors import counted, quote

if TYPE_CHECKING:
    from gate.grading.batch import Batch, DoAll

HELP = "grade a folder of submissions, and write the reports"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("submissions", metavar="SUBMISSIONS", help="a folder of zips, folders or notebooks, or one zip")
    parser.add_argument("--lab", help="which lab (default: the only one that they are about)")
    parser.add_argument("--out", default="grades", metavar="FOLDER", help="where the grades go (default: grades)")
    parser.add_argument(
        "--seed", type=_seed, help="of the hidden inputs (default: the one beside the grades, drawn once)"
    )
    parser.add_argument("--workers", type=_count, help="how many at once (default: one for each core)")
    parser.add_argument("--quick", action="store_true", help="a fast first look; without it, nbval gives the grade")
    parser.add_argument("--dask", metavar="ADDRESS", help="do it on a Dask cluster, tcp://host:8786")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when something could not be graded."""
    from pathlib import Path

    from gate.grading.batch import grade_batch, the_lab
    from gate.grading.collect import collect
    from gate.grading.jobs import Job, kit_fingerprint
    from gate.grading.seed import kept_seed
    from gate.lab.plan import load_plan

    submissions = collect(Path(args.submissions))
    lab = the_lab(submissions, args.lab, list(load_plan()))
    folder = Path(args.out) / lab
    seed = kept_seed(folder, args.seed)
    jobs = [Job(one, lab, seed, args.quick, kit_fingerprint()) for one in submissions]
    try:
        with _progress(len(jobs)) as done:
            batch = grade_batch(jobs, folder, _do_all(args), done)
    except KeyboardInterrupt:
        show.trouble(f"{folder}: what was graded is kept. Next: run the same command again, it goes on.")
        raise
    _tell(args, lab, seed, str(folder), batch)
    return 1 if any(grade.value == "ungradable" for grade in batch.grades) else 0


def _do_all(args: argparse.Namespace) -> DoAll:
    from gate.grading.cluster import on_dask
    from gate.grading.processes import in_processes

    if args.dask:
        return functools.partial(on_dask, address=args.dask)
    return functools.partial(in_processes, workers=args.workers or os.cpu_count() or 1)


@contextmanager
def _progress(count: int) -> Iterator[Any]:
    """Show a bar with the time that is left, where there is a terminal, and give what to call for each grade."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=show.console(stderr=True), transient=True) as bar:
        task = bar.add_task("grading", total=count)
        yield lambda grade: bar.advance(task)


def _tell(args: argparse.Namespace, lab: str, seed: int, folder: str, batch: Batch) -> None:
    from gate.grading.report_html import QUICK

    rows = [
        {"student": one.student, "value": one.value, "points": one.points, "max_points": one.max_points,
         "problem": one.why_ungradable()}
        for one in batch.grades
    ]  # fmt: skip
    protection = sorted({", ".join(one.protection) for one in batch.grades if one.exercises})
    ungradable = sum(one.value == "ungradable" for one in batch.grades)
    if args.json:
        told = {"lab": lab, "seed": seed, "out": folder, "grades": rows, "reused": batch.reused}
        show.as_json({**told, "ungradable": ungradable, "protection": protection})
        return
    cells = [(row["student"], row["value"], _worth(row), row["problem"]) for row in rows]
    show.table(f"Lab {lab}, seed {seed}", ("student", "value", "points", "problem"), cells, _note(batch, ungradable))
    show.line(f"Protection: {'; '.join(protection) or 'none'}.")
    if args.quick:
        show.line(QUICK)
    show.line(f"Next: open {folder}/class.html; grades.csv, junit.xml and students/ are beside it.")


def _worth(row: dict[str, Any]) -> str:
    from gate.grading.report_csv import number

    return f"{number(row['points'])} of {number(row['max_points'])}"


def _note(batch: Batch, ungradable: int) -> str:
    told = f"{counted(len(batch.grades), 'submission')}, {ungradable} ungradable."
    return f"{told} {batch.reused} were graded before." if batch.reused else told


def _seed(text: str) -> int:
    return _whole(text, 0)


def _count(text: str) -> int:
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    try:
        if least <= int(text) <= 10**9:
            return int(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{quote(text)} is no whole number of at least {least}")
