"""Rules of grading on a Dask cluster: a real scheduler and real workers; one that dies loses and doubles nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.grading.cluster import on_dask
from tests.grading.class_kit import do_what_needs_no_kernel, jobs
from tests.waiting import wait_until

DEATHS = 2  # of workers, after which Dask gives a job up
SETTINGS = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(DEATHS - 1)}
HERE = ("--host", "127.0.0.1", "--no-dashboard")


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A part of the cluster, as it is started on a machine of its own."""
    command = [sys.executable, "-m", *words]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=HOME, env=SETTINGS, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def scheduling(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler: its address, and its process."""
    file = folder / "scheduler.json"
    with running("distributed.cli.dask_scheduler", *HERE, "--port", "0", "--scheduler-file", str(file)) as process:
        wait_until(lambda: file.exists() and file.read_text(encoding="utf-8").rstrip().endswith("}"))
        yield json.loads(file.read_text(encoding="utf-8"))["address"], process


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scheduling(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address


def worker(address: str, folder: Path, name: str, *more: str) -> contextmanager:  # type: ignore[type-arg]
    place = ("--local-directory", str(folder / name), "--memory-limit", "0", "--nthreads", "1")
    return running("distributed.cli.dask_worker", address, *HERE, *place, *more)


def test_every_submission_is_graded_once_and_as_locally_although_a_worker_dies(scheduler: str, tmp_path: Path) -> None:
    students = ("ada", "bob", "killed-once", "eve", "joe", "kim", "lea", "zoe")
    wanted = jobs(*students, note=str(tmp_path / "seen"))
    with (
        worker(scheduler, tmp_path, "first", "--no-nanny") as first,
        worker(scheduler, tmp_path, "second", "--no-nanny") as second,
    ):
        found = list(on_dask(dict(enumerate(wanted)), scheduler, do_what_needs_no_kernel))
        died = [process.poll() is not None for process in (first, second)]
    assert sorted(died) == [False, True]
    assert sorted(number for number, _ in found) == list(range(len(wanted)))
    assert [grade for _, grade in sorted(found, key=lambda one: one[0])] == [
        do_what_needs_no_kernel(job) for job in wanted
    ]


def test_what_kills_every_worker_is_ungradable_and_the_others_are_graded(scheduler: str, tmp_path: Path) -> None:
    wanted = jobs("killed-always", "ada", "bob", "eve", note=str(tmp_path / "seen"))
    with ExitStack() as workers:
        for number in range(2 * DEATHS + 1):  # two tries, and one worker that lives
            workers.enter_context(worker(scheduler, tmp_path, f"of-five-{number}", "--no-nanny"))
        found = dict(on_dask(dict(enumerate(wanted)), scheduler, do_what_needs_no_kernel))
    assert [found[n].value for n in range(4)] == ["ungradable", "fail", "fail", "fail"]
    assert found[0].problem.startswith("every worker that graded it died.")


def test_a_cluster_without_workers_is_said_and_not_waited_for(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.grading.cluster._LOOK_SECONDS", 0.2)
    with pytest.raises(ConfigError, match="no worker is left on the cluster.* Next: start dask worker"):
        list(on_dask(dict(enumerate(jobs("ada", "bob"))), scheduler, do_what_needs_no_kernel))


def test_a_scheduler_that_ends_is_said(tmp_path: Path) -> None:
    (begun := tmp_path / "begun").mkdir()
    with scheduling(tmp_path) as (address, process), worker(address, tmp_path, "last", "--no-nanny") as alone:

        def end() -> None:
            wait_until(lambda: any(begun.iterdir()))
            process.kill()

        ending = threading.Thread(target=end)
        ending.start()
        with pytest.raises(ConfigError, match="scheduler is gone; what was graded is kept. Next: start the cluster"):
            list(on_dask({0: jobs("waits", note=str(begun))[0]}, address, do_what_needs_no_kernel))
        ending.join()
        alone.kill()  # it would look for its scheduler for half a minute


def test_a_worker_with_another_kit_stops_the_run(scheduler: str, tmp_path: Path) -> None:
    with worker(scheduler, tmp_path, "fourth", "--no-nanny"), pytest.raises(ConfigError, match="on every machine"):
        list(on_dask({0: replace(jobs("ada")[0], kit="another")}, scheduler))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "", "tcp://no.such.host.invalid:1"])
def test_where_no_cluster_answers_it_is_said(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.grading.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(ConfigError, match="no cluster answers at"):
        list(on_dask({0: jobs("ada")[0]}, address))
