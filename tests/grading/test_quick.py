"""The quick look, warm nbval and plain nbval come to the same, whatever cells do; a run leaves nothing in a box."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.grading import family
from gate.grading.exercises import asked, sections
from gate.grading.quick import QuickRunner
from gate.grading.runner import NbvalRunner
from gate.grading.seal import seal
from gate.grading.warm_runner import WarmRunner, best_runner
from gate.grading.words import Ran, Runner, Sealed
from gate.warm import forking
from tests.grading.kit import perfect

SECONDS = 8.0


@pytest.fixture(scope="module")
def quick() -> Iterator[QuickRunner]:
    runner = QuickRunner()
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmRunner]:
    runner = WarmRunner()
    yield runner
    runner.close()


@pytest.fixture(params=["quick", "warm"])
def boxed(request: pytest.FixtureRequest) -> QuickRunner | WarmRunner:
    """Each of the two runners that use a box again and again."""
    runner: QuickRunner | WarmRunner = request.getfixturevalue(request.param)
    return runner


def _sealed(*cells: str | tuple[str, str]) -> Sealed:
    """Seal cells; one that comes with a text has that stored as what it prints."""
    made: list[dict[str, Any]] = []
    for number, cell in enumerate(cells):
        source, text = cell if isinstance(cell, tuple) else (cell, "")
        outputs = [{"output_type": "stream", "name": "stdout", "text": text}] if text else []
        made.append({"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source,
                     "outputs": outputs, "execution_count": 1 if text else None})  # fmt: skip
    return Sealed("a", {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, {}, SECONDS)


def _shown(runner: Runner, folder: Path, *cells: str) -> list[str]:
    return [one.shown.strip() for one in runner.run(_sealed(*cells), folder).values()]


_CELLS = [
    ("print(42)", "42\n"), ("print(43)", "42\n"), ("pass", "42\n"), "print(43)", ("42", "42\n"), "42", "1 / 0",
    ("import os; os.write(1, b'42\\n');", "42\n"), ("import os; os.system('echo 42');", "42\n"),
    ("import sys; print(42); print(43, file=sys.stderr)", "42\n"), ("print('4\\r42')", "42\n"),
    "import sys; sys.exit(0)",
    "raise KeyboardInterrupt", "raise SystemExit(3)", "input()", "def broken(:",
    "from IPython.display import HTML; HTML('42')",
    ("import sys; sys.stdout = open('/dev/null', 'w'); print(42)", "42\n"), ("print(42)", "42\n"),
    "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd", "print('x' * 300_000)",
    "print('\\ud800')", "import builtins; builtins.print = None", ("print(42)", "42\n"),
]  # fmt: skip
_LATE = ("cell-7", "cell-8")  # what is written past Python is at times shown too late to count, on a busy machine
_EATS = """
eaten = []
try:
    while True: eaten.append(bytearray(50_000_000))
except MemoryError:
    del eaten[-4:]
    raise
"""
_ENDS = {
    "exits": "import os; os._exit(0)",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "never ends": "while True: pass",
    "sleeps": "import time; time.sleep(600)",
    "eats memory": _EATS,
    "closes all": "import os; os.closerange(0, 200)",
}


def test_every_cell_comes_to_what_it_comes_to_under_nbval(quick: QuickRunner, warm: WarmRunner, tmp_path: Path) -> None:
    sealed = _sealed(*_CELLS)
    plain, *others = [
        {id: one.came if id in _LATE else one for id, one in runner.run(sealed, tmp_path).items()}
        for runner in (NbvalRunner(), quick, warm)
    ]
    assert others == [plain, plain]
    assert {one.came for one in plain.values() if isinstance(one, Ran)} == {"same", "differs", "error"}


@pytest.mark.parametrize("end", _ENDS)
def test_a_cell_that_ends_the_run_ends_it_as_under_nbval(
    end: str, quick: QuickRunner, warm: WarmRunner, tmp_path: Path
) -> None:
    sealed = _sealed(("print(42)", "42\n"), _ENDS[end], ("print(42)", "42\n"))
    sealed = replace(sealed, seconds=3) if end in ("never ends", "sleeps") else sealed
    runners = [quick, warm, *([NbvalRunner()] if end in ("exits", "sleeps") else [])]
    found = [[one.came for one in runner.run(sealed, tmp_path).values()] for runner in runners]
    assert all(one == found[0] for one in found) and found[0][0] == "same" != found[0][1]


def test_a_cell_that_leaves_no_memory_to_tell_of_its_error_is_no_pass(boxed: Runner, tmp_path: Path) -> None:
    eats_all = "eaten = []\nwhile True: eaten.append(bytearray(50_000_000))"
    found = boxed.run(_sealed(("print(42)", "42\n"), eats_all), tmp_path)
    assert [one.came for one in found.values()] in (["same", "error"], ["same", "crashed"])


def test_nothing_of_a_run_is_left_for_the_next(boxed: Runner, tmp_path: Path) -> None:
    leaves = """
import jsonschema, os, pathlib, subprocess, sys
jsonschema.validate = None; os.environ["LEFT"] = "1"; sys.path.insert(0, "/tmp"); sys.modules["left"] = sys
for folder in (os.getcwd(), "/tmp", "/dev/shm"):
    deep = pathlib.Path(folder, "deep", "er"); deep.mkdir(parents=True, exist_ok=True)
    (deep / "left").write_text("1"); deep.chmod(0)
    pathlib.Path(folder, "left").write_text("1")
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time; time.sleep(600)
    os._exit(0)
"""
    kit = HOME.parts[2:3] if HOME.parts[1:2] == ("tmp",) else ()  # bound into the box: it stays
    looks = f"""
import jsonschema, os, sys
found = [name for folder in (os.getcwd(), "/tmp", "/dev/shm") for name in os.listdir(folder)]
here = [name for name in found if not name.startswith(("gate-", ".")) and name not in {kit}]
others = [pid for pid in os.listdir("/proc") if pid.isdigit()]
print(here, len(others), jsonschema.validate is None, "LEFT" in os.environ, "left" in sys.modules, "/tmp" in sys.path)
"""
    before = _shown(boxed, tmp_path, looks)
    assert boxed.run(_sealed(leaves), tmp_path)["cell-0"].came == "same"
    assert _shown(boxed, tmp_path, looks) == before == ["[] 3 False False False False"]


def test_a_run_can_neither_change_the_box_nor_look_into_its_server(boxed: Runner, tmp_path: Path) -> None:
    tries = """
import ctypes, os, pathlib
libc = ctypes.CDLL(None, use_errno=True)
done = []
import gate
home = os.path.dirname(os.path.dirname(gate.__file__))
ours = [f"{home}/{place}" for place in ("here.py", "data/here.json", "fixtures/here.json")]
for path in (*ours, "/here", "/dev/here", os.path.dirname(os.__file__) + "/here.py", "/usr/here", "/etc/here"):
    try: pathlib.Path(path).write_text("1"); done.append(path)
    except OSError: pass
if libc.mount(None, b"/", None, 32, None) == 0: done.append("remount")
if libc.ptrace(16, 2, None, None) == 0: done.append("ptrace")
for name in ("mem", "environ", "maps"):
    try: open(f"/proc/2/{name}", "rb").read(1); done.append(name)
    except OSError: pass
shared = os.statvfs("/dev/shm")
assert shared.f_blocks * shared.f_frsize <= 128 * 1024**2
answers = os.listdir(f"{home}/gate/grading/probes")
print(done, answers, [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")])
"""
    assert _shown(boxed, tmp_path, tries) == ["[] [] ['0000000000000000']"]


def test_many_files_are_too_much_however_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "MAX_FILES", 20)
    for number in range(20):
        (tmp_path / f"{number}").mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as idle:
        meter = family.Meter(idle.pid, [tmp_path])
        assert meter.over() is None
        (tmp_path / "0" / "one more").touch()
        assert meter.over() == "crashed"
        idle.communicate(b"\n")


def test_a_run_that_fills_the_folder_of_its_sockets_is_ended(boxed: Runner, tmp_path: Path) -> None:
    fills = """
import os, time
for folder in [line.split()[4] for line in open("/proc/self/mountinfo") if "/gate-" in line]:
    for number in range(12):
        try: open(f"{folder}/{number}", "wb").write(bytes(15_000_000))
        except OSError: pass
time.sleep(600)
"""
    found = boxed.run(replace(_sealed(fills, "print(42)"), seconds=30.0), tmp_path)
    assert [one.came for one in found.values()] == ["crashed", "missing"]


def test_memory_in_files_without_a_name_is_memory(
    quick: QuickRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(family, "MAX_MEMORY", 500_000_000)
    hides = """
import os, time
kept = []
for number in range(40):
    kept.append(os.memfd_create("kept"))
    os.write(kept[-1], bytes(15_000_000))
time.sleep(600)
"""
    sealed = replace(_sealed(hides, "print(42)"), seconds=30.0)
    assert quick.run(sealed, tmp_path)["cell-0"].came == "crashed"


def test_a_run_that_kills_the_server_costs_itself_and_no_other(boxed: Runner, tmp_path: Path) -> None:
    kills = _sealed(("print(42)", "42\n"), "import os, time; os.kill(2, 9); time.sleep(60)", ("print(42)", "42\n"))
    assert [one.came for one in boxed.run(kills, tmp_path).values()] == ["same", "crashed", "missing"]
    assert _shown(boxed, tmp_path, "print(42)") == ["42"]


def test_nothing_is_run_after_an_exit(quick: QuickRunner, tmp_path: Path) -> None:
    found = quick.run(_sealed("exit()", ("print(42)", "42\n")), tmp_path)
    assert [one.came for one in found.values()] == ["same", "crashed"]


def test_an_answer_may_write_a_log(boxed: Runner, tmp_path: Path) -> None:
    logs = "import logging; logging.basicConfig(level=10)\ndef f(x): logging.info('%s', x); return x"
    tried = "from gate.grading.observe import show; show('a', 'call', lambda: f, '{\"input\": \"[3]\"}')"
    found = boxed.run(_sealed(logs, (tried, '{"returned": 3}\n')), tmp_path)
    assert [one.came for one in found.values()] == ["same", "same"]


def test_a_solution_comes_to_the_same_as_under_nbval(quick: QuickRunner, warm: WarmRunner, tmp_path: Path) -> None:
    name, section = sections("memory")[2]
    sealed = seal(name, asked(name, section), perfect("memory")[name], 5)
    found = quick.run(sealed, tmp_path)
    assert found == warm.run(sealed, tmp_path)
    assert set(found.values()) > {Ran("same")}


def test_without_a_box_there_is_no_quick_look(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="Next: grade without --quick"):
        QuickRunner("nothing")
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ConfigError, match="needs Linux and bubblewrap"):
        QuickRunner("bubblewrap")


def test_where_there_is_no_box_nbval_is_run_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(best_runner("nothing")) is NbvalRunner
    monkeypatch.setenv("GATE_KERNELS", "plain")
    assert type(best_runner("bubblewrap")) is NbvalRunner


def test_a_kernel_that_the_box_cannot_give_is_never_a_plain_one(
    warm: WarmRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = _sealed("print(42)")
    monkeypatch.setattr(warm, "_write_spec", lambda inner: (WarmRunner._write_spec(warm, inner), _kill_box(warm)))
    assert warm.run(sealed, tmp_path)["cell-0"].came in ("missing", "crashed")
    monkeypatch.undo()
    assert warm.run(sealed, tmp_path) == {"cell-0": Ran("same", "42\n")}  # in a new box


def _kill_box(runner: WarmRunner) -> None:
    assert runner._box.server.process is not None
    family.kill(runner._box.server.process.pid)


def test_a_run_that_stops_the_server_costs_itself_and_no_other(
    quick: QuickRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forking, "_SWEEP_SECONDS", 1.0)
    assert quick.run(_sealed("import os; os.kill(2, 19)"), tmp_path)["cell-0"].came == "same"
    assert _shown(quick, tmp_path, "print(42)") == ["42"]
