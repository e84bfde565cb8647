"""Does jobs in processes of this machine. Which process does which job changes nothing in a grade.

Every worker is a process group of its own: Ctrl-C reaches the one who asked, and when that one stops or is killed, all
workers stop with everything that they have started.

Not here: other machines (`cluster`), keeping what was done (`batch`).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection

from gate.grading.jobs import Job, do_job
from gate.grading.words import Grade

Do = Callable[[Job], Grade]


def in_processes(jobs: Mapping[int, Job], workers: int, do: Do = do_job) -> Iterator[tuple[int, Grade]]:
    """Yield each job's number and grade, as they are done.

    A job whose process is killed is tried once more, alone; if that is killed too, it is ungradable. Raises what `do`
    raises for a kit that cannot be used.
    """
    left = dict(jobs)
    while left:
        try:
            for number, grade in _round(left, min(workers, len(left)), do):
                del left[number]
                yield number, grade
        except BrokenProcessPool:
            for number in list(left)[: 2 * workers + 1]:  # no more than these were handed out
                yield number, _alone(left.pop(number), do)


def _alone(job: Job, do: Do) -> Grade:
    try:
        return next(grade for _, grade in _round({0: job}, 1, do))
    except BrokenProcessPool:
        return job.ungradable("the process that graded it was killed, twice. Next: look at what it does to memory.")


def _round(jobs: Mapping[int, Job], workers: int, do: Do) -> Iterator[tuple[int, Grade]]:
    """Yield what a set of workers does, until it is done or one of them is killed."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(theirs,))
    try:
        numbers = {pool.submit(do, job): number for number, job in list(jobs.items())}
        for done in as_completed(numbers):
            yield numbers[done], done.result()
        pool.shutdown()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        ours.close()  # the workers read it, and stop
        theirs.close()


def _begin(line: Connection) -> None:
    """Make this worker a group of its own that ends when whoever started it does."""
    if os.name == "posix":
        os.setpgrp()
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()


def _end_with(line: Connection) -> None:
    with contextlib.suppress(OSError, EOFError):
        line.recv()  # nothing is ever sent: it ends when the other end is closed
    if os.name == "posix":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
