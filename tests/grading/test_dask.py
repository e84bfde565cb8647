"""Rules of grading on a Dask cluster: a real scheduler and real workers; one that dies loses and doubles nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.grading.cluster import on_dask
from tests.grading.class_kit import do_what_needs_no_kernel, jobs
from tests.waiting import wait_until

HERE = ("--host", "127.0.0.1", "--no-dashboard")


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A part of the cluster, as it is started on a machine of its own."""
    command = [sys.executable, "-m", *words]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=HOME, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    with running("distributed.cli.dask_scheduler", *HERE, "--port", "0", "--scheduler-file", str(file)):
        wait_until(lambda: file.exists() and file.read_text(encoding="utf-8").rstrip().endswith("}"))
        yield json.loads(file.read_text(encoding="utf-8"))["address"]


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
    with worker(scheduler, tmp_path, "third"):  # a nanny starts it again
        found = dict(on_dask(dict(enumerate(wanted)), scheduler, do_what_needs_no_kernel))
    assert [found[n].value for n in range(4)] == ["ungradable", "fail", "fail", "fail"]
    assert found[0].problem.startswith("every worker that graded it died.")


def test_a_worker_with_another_kit_stops_the_run(scheduler: str, tmp_path: Path) -> None:
    with worker(scheduler, tmp_path, "fourth", "--no-nanny"), pytest.raises(ConfigError, match="on every machine"):
        list(on_dask({0: replace(jobs("ada")[0], kit="another")}, scheduler))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "", "tcp://no.such.host.invalid:1"])
def test_where_no_cluster_answers_it_is_said(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.grading.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(ConfigError, match="no cluster answers at"):
        list(on_dask({0: jobs("ada")[0]}, address))
