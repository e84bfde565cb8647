"""Does jobs on a Dask cluster: on as many machines as it has workers.

The scheduler gives a job to another worker when one dies. What comes back is kept by the job's number, so that each
submission has one grade, however often it was begun. Every worker needs the same kit installed.

Not here: starting a cluster, and keeping strangers away from it. Whoever reaches a Dask scheduler can run code on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gate.errors import ConfigError, clip
from gate.grading.jobs import Job, do_job
from gate.grading.words import Grade

_CONNECT_SECONDS = 15


def on_dask(jobs: Mapping[int, Job], address: str, do: Callable[[Job], Grade] = do_job) -> Iterator[tuple[int, Grade]]:
    """Yield each job's number and grade, as they are done.

    A job whose worker dies goes to another one; when that happens too often, and again when it is alone, it is
    ungradable. Raises `ConfigError`
    where Dask is not installed, no cluster answers, or a worker has another kit.
    """
    if not jobs:
        return
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        advice = "pip install --no-deps -r requirements-scale.txt"
        raise ConfigError(f"Dask is not installed here. Next: {advice}.") from error
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        told = clip(str(error), 100)
        raise ConfigError(f"no cluster answers at {clip(address, 80)} ({told}). Next: start dask scheduler.") from error
    with client:
        numbers = {client.submit(do, job, pure=False): number for number, job in jobs.items()}
        suspected: list[int] = []
        for future in as_completed(list(numbers), loop=client.loop):
            number = numbers.pop(future)
            try:
                yield number, _result(future)
            except KilledWorker:
                suspected.append(number)
        for number in suspected:  # Dask suspects what only waited on that worker, too: each is tried again alone
            try:
                yield number, _result(client.submit(do, jobs[number], pure=False))
            except KilledWorker:
                told = "every worker that graded it died. Next: look at what it does to memory."
                yield number, jobs[number].ungradable(told)


def _result(future: Any) -> Grade:
    try:
        grade: Grade = future.result()
        return grade
    except ImportError as error:
        raise ConfigError(f"a worker lacks {error.name}. Next: install the kit on every machine.") from error
