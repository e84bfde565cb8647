"""What keeps a student's kernel apart from this machine, strongest first, and which of it was there.

    bubblewrap     it sees the system, Python, the kit's package and data, and no answer; its own /tmp; no network
    unshare        it sees the files that this user sees; no network
    nothing        only the limits of `boxed` and the clock

Not here: the limits themselves (`boxed`, `watch`).
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

from gate.files import HOME
from gate.grading.boxed import ALONE
from gate.lab.board_file import load_board

Kind = Literal["bubblewrap", "unshare", "nothing"]
KINDS: tuple[Kind, ...] = ("bubblewrap", "unshare", "nothing")
#: Of the kit a kernel sees this, and neither solutions, boards, tables nor fixtures.
KIT = ("gate", "schemas", "examples", "data/orders.json", "data/limits.json", "data/responses.json", "data/policy.txt",
       "data/schemas")  # fmt: skip
#: Of those, what would be an answer is empty: a memory, and a fence with its ledgers.
HIDDEN = ("gate/memory.py", "gate/fence.py", "gate/ledger.py", "gate/ledgers/memory.py", "gate/ledgers/sqlite.py")
#: And what says of an input what is right for it.
HIDDEN_FOLDERS = ("gate/grading/probes",)
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
)
#: Where a runner may put the calls that students are given, among the sockets.
CALLS = "given-calls.jsonl"
_TMP_BYTES = 128 * 1024**2
_WORDS: dict[Kind, str] = {
    "bubblewrap": "bubblewrap: no network, no file but the system's and the kit's, no answer of ours",
    "unshare": "no network; the files of this user can be read",
    "nothing": "no box: files and network of this user can be reached",
}


@functools.cache
def working() -> tuple[Kind, ...]:
    """Return the protections that work here, the strongest first; the last is none."""
    return tuple(kind for kind in KINDS if kind == "nothing" or _works(kind))


def words(kind: Kind) -> tuple[str, ...]:
    """Return in words what a protection keeps apart, for the report."""
    limits = (
        "limits for memory, files and processor time" if importlib.util.find_spec("resource") else "no limits but time"
    )
    return _WORDS[kind], limits


def around(kind: Kind, command: list[str], *, own: Path, sockets: Path) -> list[str]:
    """Return the command that runs `command` inside a protection.

    `own` is the folder that it may write to and begins in, `sockets` the one through which it is talked to.
    """
    if kind == "nothing":
        return command
    if kind == "unshare":
        return [*_unshare(), *command]
    return [*_bubblewrap(own, sockets), *command]


def _works(kind: Kind) -> bool:
    tool = "bwrap" if kind == "bubblewrap" else "unshare"
    if shutil.which(tool) is None:
        return False
    here = Path(sys.prefix)
    command = around(kind, [sys.executable, "-I", "-S", "-c", "pass"], own=here, sockets=here)
    try:
        return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


@functools.cache
def _unshare() -> tuple[str, ...]:
    """Return the way to be without a network: for an administrator, or by a user namespace of one's own."""
    plain = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0
    return ("unshare", "-n" if plain else "-rn", "env", f"{ALONE}=1")


def _bubblewrap(own: Path, sockets: Path) -> list[str]:
    binds = _bound(*_SYSTEM)
    binds += ["--tmpfs", str(HOME)]  # wherever the kit lies, of it only this is seen:
    binds += _bound(sys.base_prefix, sys.prefix, *(str(HOME / name) for name in KIT))
    binds += [part for path in _hidden() for part in ("--ro-bind", os.devnull, str(path))]
    for name in HIDDEN_FOLDERS:
        binds += ["--tmpfs", str(HOME / name), "--remount-ro", str(HOME / name)]
    return [
        "bwrap", "--die-with-parent", "--new-session", "--unshare-all", "--clearenv",
        "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", str(own), "--setenv", "GATE_WORK", str(own / "work"),
        "--setenv", "LANG", "C.UTF-8", "--setenv", "PYTHONDONTWRITEBYTECODE", "1", "--setenv", "PYTHONHASHSEED", "0",
        "--size", str(_TMP_BYTES), "--tmpfs", "/tmp", *binds,
        "--proc", "/proc", "--dev", "/dev", "--size", str(_TMP_BYTES), "--tmpfs", "/dev/shm",
        "--size", str(_TMP_BYTES), "--tmpfs", str(own), "--bind", str(sockets), str(sockets), "--chdir", str(own),
        "--ro-bind-try", str(sockets / CALLS), str(HOME / "fixtures" / "tool_calls.jsonl"),
        # Between what is bound into it a box could else be written to, which the next run in it would find.
        "--remount-ro", str(HOME), "--remount-ro", "/dev", "--remount-ro", "/",
        "--cap-drop", "ALL",  # an administrator's box would else keep all rights
    ]  # fmt: skip


def _bound(*paths: str) -> list[str]:
    return [part for path in paths if Path(path).exists() for part in ("--ro-bind", path, path)]


def _hidden() -> list[Path]:
    """Return the files of `HIDDEN`, and what Python keeps of them."""
    files = [HOME / name for name in HIDDEN]
    return [*files, *(kept for file in files for kept in (file.parent / "__pycache__").glob(f"{file.stem}.*"))]


def given_calls() -> str:
    """Return the calls of `fixtures/tool_calls.jsonl` that students are given; the others they are to write."""
    to_write = {rule.id for rule in load_board("arguments.rows").rules}
    lines = (HOME / "fixtures" / "tool_calls.jsonl").read_text(encoding="utf-8").splitlines()
    return "".join(f"{line}\n" for line in lines if json.loads(line)["id"] not in to_write)
