"""What is left in a box after one student is gone before the next; what is bound into the box stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.grading import box, protect

LEAVE = """
import ctypes, os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from gate.warm.sweep import sweep

swept, bound = Path(sys.argv[2]), Path(sys.argv[3])
(swept / "left.txt").write_text("x")
(swept / "deep" / "left").mkdir(parents=True)
(bound.parent / "beside.txt").write_text("x")
system = ctypes.CDLL(None)
assert min(system.shmget(7, 1000, 0o1600), system.msgget(7, 0o1600), system.semget(7, 1, 0o1600)) >= 0
said = sweep([str(swept)])
assert all(Path("/proc/sysvipc", kind).read_text().count("\\n") == 1 for kind in ("shm", "msg", "sem"))
print(repr(said), sorted(str(path.relative_to(swept)) for path in swept.rglob("*")))
"""


@pytest.mark.parametrize("kind", [kind for kind in protect.working() if box.works(kind)] or ["none"])
def test_a_kit_below_the_folder_that_is_swept_stays_and_all_else_goes(kind: str, tmp_path: Path) -> None:
    if kind == "none":
        return  # there is no such box here, and so nothing is swept
    kit, swept = tmp_path / "kit", tmp_path / "swept"
    kit.mkdir()
    swept.mkdir()
    (kit / "kept.txt").write_text("x", encoding="utf-8")
    bound = swept / "a b" / "kit"
    home = str(Path(__file__).parents[2])
    command = [
        "bwrap", "--unshare-all", "--ro-bind", "/", "/", "--tmpfs", str(swept), "--ro-bind", str(kit), str(bound),
        "--proc", "/proc", "--dev", "/dev", sys.executable, "-c", LEAVE, home, str(swept), str(bound),
    ]  # fmt: skip
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout, ran.stderr) == ("'' ['a b', 'a b/kit', 'a b/kit/kept.txt']\n", "")


@pytest.mark.parametrize("kind", [kind for kind in protect.working() if box.works(kind)] or ["none"])
def test_a_kit_that_cannot_start_in_a_box_is_said_once_and_grades_nobody(kind: protect.Kind) -> None:
    if kind == "none":
        return
    broken = box.Box(kind, ["no_such_module"])
    says = "in a box here: no_such_module cannot be imported.* Next: make setup"
    with pytest.raises(ConfigError, match=says), broken.swept():
        raise AssertionError("it was given")
    broken.close()
