"""Does jobs in processes of this machine. Which process does which job changes nothing in a grade.

Ctrl-C reaches only the one who asked; when that one stops or is killed, all workers stop with everything that they
have started. They write in one folder, which goes with them.

Not here: other machines (`cluster`), keeping what was done (`batch`).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection

import psutil

from gate.grading.jobs import Job, do_job
from gate.grading.words import Grade

Do = Callable[[Job], Grade]
_TRIES = 2


def in_processes(jobs: Mapping[int, Job], workers: int, do: Do = do_job) -> Iterator[tuple[int, Grade]]:
    """Yield each job's number and grade, as they are done.

    When a process is killed, the jobs that it may have had are tried again, each alone; one that is killed each time is
    ungradable. Raises what `do` raises for a kit that cannot be used.
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
    for _ in range(_TRIES):
        with contextlib.suppress(BrokenProcessPool):
            return next(grade for _, grade in _round({0: job}, 1, do))
    return job.ungradable("the process that graded it was killed each time. Next: look at what it does to memory.")


def _round(jobs: Mapping[int, Job], workers: int, do: Do) -> Iterator[tuple[int, Grade]]:
    """Yield what a set of workers does, until it is done or one of them is killed."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory(prefix="gate-", ignore_cleanup_errors=True) as folder:
        pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(theirs, folder))
        try:
            numbers = {pool.submit(do, job): number for number, job in list(jobs.items())}
            for done in as_completed(numbers):
                yield numbers[done], done.result()
            pool.shutdown()
        finally:
            ours.close()  # the workers read it, and stop
            pool.shutdown(cancel_futures=True)
            theirs.close()


def _begin(line: Connection, folder: str) -> None:
    """Keep Ctrl-C from this worker, and end it when whoever started it stops. It writes in `folder`."""
    tempfile.tempdir = folder
    if os.name == "posix":
        os.setpgrp()
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(line, folder), daemon=True).start()


def _end_with(line: Connection, folder: str) -> None:
    with contextlib.suppress(OSError, EOFError):
        line.recv()  # nothing is ever sent: it ends when the other end is closed
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            child.kill()
    shutil.rmtree(folder, ignore_errors=True)  # whoever asked may be gone
    os._exit(1)
