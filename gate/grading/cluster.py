"""Does jobs on a Dask cluster: on as many machines as it has workers.

The scheduler gives a job to another worker when one dies. What comes back is kept by the job's number, so that each
submission has one grade, however often it was begun. Every worker needs the same kit installed.

Not here: starting a cluster, and keeping strangers away from it. Whoever reaches a Dask scheduler can run code on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Any

from gate.errors import ConfigError, clip
from gate.grading.jobs import Job, do_job
from gate.grading.words import Grade

_CONNECT_SECONDS = 15
_LOOK_SECONDS, _LOOKS = 15, 3  # a worker that died is started again within seconds, where anybody does that


def on_dask(jobs: Mapping[int, Job], address: str, do: Callable[[Job], Grade] = do_job) -> Iterator[tuple[int, Grade]]:
    """Yield each job's number and grade, as they are done.

    A job whose worker dies goes to another one; when that happens too often, and again when it is alone, it is
    ungradable. Raises `ConfigError`
    where Dask is not installed, no cluster answers, no worker is left, the scheduler ends, or a
    worker has another kit.
    """
    if not jobs:
        return
    try:
        from distributed import Client
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
        for future in _as_done(client, numbers):
            try:
                yield numbers[future], _result(future)
            except KilledWorker:
                suspected.append(numbers[future])
        for number in suspected:  # Dask suspects what only waited on that worker, too: each is tried again alone
            [future] = _as_done(client, [client.submit(do, jobs[number], pure=False)])
            try:
                yield number, _result(future)
            except KilledWorker:
                told = "every worker that graded it died. Next: look at what it does to memory."
                yield number, jobs[number].ungradable(told)


def _as_done(client: Any, futures: Iterable[Any]) -> Iterator[Any]:
    """Yield futures as they are done. Raises `ConfigError` when no worker is left to do them."""
    from distributed import as_completed

    left, looks = set(futures), 0
    while left:
        try:
            for future in as_completed(list(left), loop=client.loop, timeout=_LOOK_SECONDS):
                left.discard(future)
                yield future
        except TimeoutError:
            looks = 0 if client.nthreads() else looks + 1
            if looks >= _LOOKS:
                told = "no worker is left on the cluster; what was graded is kept"
                raise ConfigError(f"{told}. Next: start dask worker, and run the same command again.") from None


def _result(future: Any) -> Grade:
    try:
        grade: Grade = future.result()
        return grade
    except ImportError as error:
        raise ConfigError(f"a worker lacks {error.name}. Next: install the kit on every machine.") from error
    except CancelledError:
        told = "the cluster's scheduler is gone; what was graded is kept"
        raise ConfigError(f"{told}. Next: start the cluster, and run the same command again.") from None
