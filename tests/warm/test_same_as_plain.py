"""A warm kernel is to its notebook what a plain one is: the same world around it, and nothing of its siblings."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gate.warm.forking import Forked
from tests.warm.kernel_kit import kernel

_FACTS = """
import gate.lab, anywidget, jsonschema, httpx
import atexit, gc, json, locale, os, resource, signal, sys, threading, warnings

numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD, signal.SIGHUP, signal.SIGUSR1]
links = {number: os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)}
print(json.dumps({
    "folder": os.getcwd(), "argv": sys.argv[:2], "orig_argv": sys.orig_argv[:4], "path": sys.path,
    "flags": str(sys.flags), "warnings": sorted(str(rule[:3]) for rule in warnings.filters),
    "leads": [os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid()],
    "parent": os.environ["JPY_PARENT_PID"] == str(os.getppid()),
    "umask": os.umask(0o22), "signals": [str(signal.getsignal(number))[:30] for number in numbers],
    "masked": list(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "stdin": os.read(0, 10).decode(), "streams": links,
    "threads": threading.active_count(), "next thread": threading.Thread().name, "atexit": atexit._ncallbacks(),
    "gc": [gc.isenabled(), gc.get_threshold()],
    "environment": {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"},
    "main": [__name__, str(__spec__), type(sys.modules["__main__"]).__name__], "executable": sys.executable,
    "limits": [resource.getrlimit(number) for number in range(9)], "locale": locale.getlocale(),
    "encoding": [sys.stdout.encoding, sys.__stdout__.encoding],
    "names": sorted(name for name in dir() if name[:2] != "_i"),
    "comms": sorted(get_ipython().kernel.comm_manager.targets),
    "modules": sorted({name.partition(".")[0] for name in sys.modules} - {"runpy"}),
}))
"""  # runpy: a plain kernel is started with -m


def _facts(warm: bool, tmp_path: Path) -> dict[str, Any]:
    with open(tmp_path / "streams", "w") as said:
        settings = {"cwd": str(tmp_path), "stderr": said, "stdout": said, "env": {**os.environ, "GATE_WORK": "here"}}
        before = os.umask(0o027)
        try:
            with kernel(warm, **settings) as one:
                assert isinstance(one.process, Forked) is warm
                return one.facts(_FACTS)
        finally:
            os.umask(before)


def test_what_a_notebook_can_see_of_its_process_is_that_of_a_plain_kernel(tmp_path: Path) -> None:
    warm, plain = _facts(True, tmp_path), _facts(False, tmp_path)
    assert warm == plain
    assert warm["folder"] == str(tmp_path) and warm["environment"]["GATE_WORK"] == "here" and warm["umask"] == 0o027
    assert warm["leads"] == [True, True] and warm["parent"] and warm["stdin"] == ""


_OWN = """
import json, os, random, tempfile, uuid
session = get_ipython().kernel.session.session
print(json.dumps({"random": random.random(), "uuid": uuid.uuid4().hex, "file": tempfile.mkdtemp(), "session": session}))
"""


def test_siblings_share_no_random_state_no_file_no_session_and_no_name(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one, kernel(cwd=str(tmp_path)) as other:
        parents = [each.run("import os; print(os.getppid())") for each in (one, other)]
        assert one.process.pid != other.process.pid and parents[0] == parents[1]
        both = [each.facts(_OWN) for each in (one, other)]
        assert [name for name in both[0] if both[0][name] == both[1][name]] == []
        one.run("import json, os\nmine, json.loads, os.environ['MINE'] = 1, None, '1'\nos.chdir('/')")
        seen = other.run("import json, os; print('mine' in dir(), json.loads, 'MINE' in os.environ, os.getcwd())")
        assert seen.startswith("False <function") and seen.endswith(f"False {tmp_path}")


_SOCKETS = """
import json, os
links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
print(json.dumps({"open": [os.readlink(link) for link in links if os.path.islink(link)]}))
"""


def test_siblings_share_no_socket_and_no_pipe(tmp_path: Path) -> None:
    settings = {"cwd": str(tmp_path), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with kernel(**settings) as one, kernel(**settings) as other:
        for asked in (one, other, one):  # before and after the sibling was there
            asked.run("pass")
        sockets = [{link for link in each.facts(_SOCKETS)["open"] if ":[" in link} for each in (one, other)]
        sockets = [{link for link in found if not link.startswith("anon_inode")} for found in sockets]
        assert min(map(len, sockets)) > 10 and sockets[0] & sockets[1] == set()


def test_numpy_s_own_random_numbers_differ_too(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one, kernel(cwd=str(tmp_path)) as other:
        code = "import numpy; print(numpy.random.random())"
        assert one.run(code) != other.run(code)


@pytest.mark.parametrize(
    ("ending", "code"),
    [("import sys; sys.exit", None), ("import os; os._exit(7)", 7), ("import os; os.kill(os.getpid(), 11)", -11)],
)
def test_how_it_ends_is_told_as_by_a_process_of_one_s_own(ending: str, code: int | None, tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one:
        one.client.execute(ending)
        if code is not None:
            assert one.process.wait(30) == code
            assert not one.manager.is_alive()
        else:
            assert one.run("print(1)") == "1" and one.manager.is_alive()


def test_what_a_notebook_registers_for_its_end_is_done_when_it_is_shut_down(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one:
        one.run("import atexit, pathlib; atexit.register(pathlib.Path('ended').touch)")
        process = one.process
        one.manager.shutdown_kernel()
        assert process.poll() == 0
        assert (tmp_path / "ended").exists()


def test_an_interrupt_reaches_an_endless_cell_and_the_kernel_lives_on(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one:
        asked = one.client.execute("print('on')\nwhile True: pass")
        while one.client.get_iopub_msg(timeout=30)["content"].get("text") != "on\n":
            pass
        one.manager.interrupt_kernel()
        while (reply := one.client.get_shell_msg(timeout=30))["parent_header"]["msg_id"] != asked:
            pass  # `wait_for_ready` asks a slow kernel more than once: the later answers come now
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        assert one.run("print(2)") == "2"


def test_a_restart_gives_a_new_kernel_with_nothing_of_the_old_one(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one:
        one.run("mine = 1")
        old = one.process
        one.manager.restart_kernel(now=True)
        one.client.wait_for_ready(timeout=60)
        assert old.poll() == -9 and isinstance(one.process, Forked) and one.process.pid != old.pid
        assert one.run("print('mine' in dir())") == "False"


def test_a_kill_takes_the_kernel_s_own_children_along(tmp_path: Path) -> None:
    with kernel(cwd=str(tmp_path)) as one:
        child = int(one.run("import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"))
        ended = os.pidfd_open(child)
    assert select.select([ended], [], [], 30)[0]
    os.close(ended)
