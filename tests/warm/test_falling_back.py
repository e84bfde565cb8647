"""Where a warm kernel could be another than a plain one, it is a plain one, and that is said once."""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.warm import forking, provisioner, starts, use_warm_kernels
from gate.warm.forking import Forked, Refused
from tests.warm.kernel_kit import kernel


@pytest.fixture
def own_servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Servers of this test's own, so that it may break them."""
    servers: dict[starts.Start, forking.ForkServer] = {}
    monkeypatch.setattr(starts, "_servers", servers)
    monkeypatch.setattr(starts, "_broken", "")
    monkeypatch.setattr(provisioner, "_told", set())
    yield
    for server in servers.values():
        server.close()


def _kind(tmp_path: Path, **settings: object) -> type:
    with kernel(cwd=str(tmp_path), stderr=subprocess.DEVNULL, **settings) as one:
        assert one.run("print(6 * 7)") == "42"
        return type(one.process)


@pytest.mark.usefixtures("own_servers")
def test_a_broken_server_is_told_once_and_kernels_are_plain(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert _kind(tmp_path) is Forked
    (server,) = starts._servers.values()
    server.process.kill()
    server.process.wait()
    with caplog.at_level(logging.WARNING):
        assert [_kind(tmp_path), _kind(tmp_path)] == [subprocess.Popen, subprocess.Popen]
    assert [text for text in caplog.messages if "plain kernel" in text] == [
        "A plain kernel instead of a warm one: the server is broken (BrokenPipeError)."
    ]


@pytest.mark.usefixtures("own_servers")
def test_a_kernel_whose_server_is_gone_is_ended(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one:
        (server,) = starts._servers.values()
        server.process.kill()
        assert one.process.wait(30) == -signal.SIGKILL
        assert not one.manager.is_alive()


@pytest.mark.usefixtures("own_servers")
def test_a_server_that_cannot_load_what_it_should_is_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "MODULES", ("no_such_module",))
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "c.json"]
    with pytest.raises(Refused, match=r"^no_such_module cannot be imported \(ModuleNotFoundError\)$"):
        starts.fork(start, str(tmp_path), dict(os.environ), [0, 1, 2])
    assert _kind(tmp_path) is subprocess.Popen


@pytest.mark.usefixtures("own_servers")
def test_a_server_with_threads_is_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "begins_a_thread.py").write_text(
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n", encoding="utf-8"
    )
    monkeypatch.setattr(starts, "MODULES", ("begins_a_thread",))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "c.json"]
    with pytest.raises(Refused, match="^2 threads run after the imports$"):
        starts.fork(start, "/", dict(os.environ), [0, 1, 2])


@pytest.mark.parametrize("name", ["random.py", "jsonschema", "gate.py", "zmq.so"])
def test_a_file_beside_the_notebook_that_hides_a_loaded_module_gets_a_plain_kernel(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir() if "." not in name else (tmp_path / name).write_text("", encoding="utf-8")
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "c.json"]
    with pytest.raises(Refused, match=f"^{name} beside it has the name of a module that is loaded already$"):
        starts.fork(start, str(tmp_path), dict(os.environ), [0, 1, 2])


def test_a_module_of_another_name_does_not(tmp_path: Path) -> None:
    (tmp_path / "my_own.py").write_text("ANSWER = 42", encoding="utf-8")
    with kernel(cwd=str(tmp_path)) as one:
        assert isinstance(one.process, Forked)
        assert one.run("import my_own; print(my_own.ANSWER)") == "42"


@pytest.mark.parametrize(
    ("command", "environ", "reason"),
    [
        (["R", "-f", "c.json"], {}, "it is no ipykernel"),
        (["python", "ipykernel_launcher", "-f", "c.json"], {}, "it is no ipykernel"),
        (["python", "-m", "ipykernel_launcher"], {"PYTHONPATH": "lib"}, "PYTHONPATH depends on the folder"),
    ],
)
def test_what_is_started_in_another_way_is_refused(command: list[str], environ: dict[str, str], reason: str) -> None:
    with pytest.raises(Refused, match=f"^{reason}$"):
        starts.start_of(command, environ)


@pytest.mark.usefixtures("own_servers")
def test_other_settings_of_python_get_a_server_of_their_own_and_more_than_two_a_plain_kernel(tmp_path: Path) -> None:
    hash_seeds = [_hash(tmp_path, seed) for seed in ("1", "2", "3")]
    assert [kind for kind, _ in hash_seeds] == [Forked, Forked, subprocess.Popen]
    plain = [
        subprocess.run(
            [sys.executable, "-c", "print(hash('gate'))"], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for seed in ("1", "2", "3")
    ]  # fmt: skip
    assert [told for _, told in hash_seeds] == plain


def _hash(tmp_path: Path, seed: str) -> tuple[type, str]:
    environ = {**os.environ, "PYTHONHASHSEED": seed}
    with kernel(cwd=str(tmp_path), env=environ, stderr=subprocess.DEVNULL) as one:
        return type(one.process), one.run("print(hash('gate'))")


def test_a_folder_that_is_not_there_fails_as_with_a_plain_kernel(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), kernel(cwd=str(tmp_path / "none"), stderr=subprocess.DEVNULL):
        pass


@pytest.mark.parametrize("setting", [{"stderr": subprocess.PIPE}, {"independent": True}, {"restore_signals": False}])
def test_a_kernel_that_is_started_in_a_special_way_is_a_plain_one(tmp_path: Path, setting: dict[str, object]) -> None:
    with kernel(**{"cwd": str(tmp_path), "stderr": subprocess.DEVNULL, **setting}) as one:
        assert isinstance(one.process, subprocess.Popen)


def test_the_switch_keeps_all_kernels_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_KERNELS", "plain")
    assert use_warm_kernels() == "GATE_KERNELS is set to plain"


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_keep_plain_kernels(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GATE_KERNELS", raising=False)
    monkeypatch.setattr(sys, "platform", system)
    assert use_warm_kernels() == "forking with everything loaded is safe only on Linux"


_ASKS = """
import sys
from gate.warm import use_warm_kernels
from jupyter_client.manager import start_new_kernel
assert use_warm_kernels() == ""
manager, client = start_new_kernel(cwd={folder!r})
told = []
hear = lambda message: told.append(message["content"].get("text", ""))
client.execute_interactive("import os; print(os.getppid())", output_hook=hear)
print(manager.provisioner.process.pid, "".join(told).strip(), flush=True)
sys.stdin.read()
"""


def test_when_who_asked_is_killed_the_server_and_the_kernel_end(tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "GATE_KERNELS"}
    asks = subprocess.Popen(
        [sys.executable, "-c", _ASKS.format(folder=str(tmp_path))], env=environ, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert asks.stdout is not None and asks.stdin is not None
    with asks, asks.stdin, asks.stdout:
        pids = asks.stdout.readline().split()
        assert len(pids) == 2
        ends = [os.pidfd_open(int(pid)) for pid in pids]
        asks.kill()
        for pidfd in ends:
            assert select.select([pidfd], [], [], 30)[0]
            os.close(pidfd)
