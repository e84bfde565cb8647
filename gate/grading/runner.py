"""Runs one sealed notebook with nbval: in a fresh process, in a clean folder, the kernel behind a protection.

    this process ─▶ nbval (knows the right outputs) ─▶ the kernel in its box (knows the inputs)

The sealed notebook is deleted before the kernel starts. A run as a whole has a limit too, so that nothing a student
writes holds up a class.

Not here: what the kernel may see (`protect`), what the results mean (`grade`), a faster first look (`quick`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gate.files import write_whole
from gate.grading import family, protect
from gate.grading.watch import RECORD, SOCKETS
from gate.grading.words import CellCame, Ran, Sealed

SECONDS = 240.0  # for one notebook
_ENVIRONMENT = ("PATH", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "HOME")
#: What pytest itself has to offer beside running and telling: a sealed notebook has no use for it, and each run pays.
_UNUSED = ("assertion", "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "logging",
           "monkeypatch", "pastebin", "recwarn", "setuponly", "setupplan", "stepwise", "subtests", "threadexception",
           "tmpdir", "unittest", "unraisableexception", "warnings")  # fmt: skip
PYTEST = (*(f"-pno:{name}" for name in _UNUSED), "-q", "-p", "nbval.plugin", "-p", "gate.grading.watch", "--noconftest",
           "-c", os.devnull, "--rootdir=.", "--confcutdir=.", "-W", "ignore", "--color=no",
           "--nbval", "--nbval-kernel-name", "sealed")  # fmt: skip


class NbvalRunner:
    """The `Runner` whose verdicts count. `kind` is the protection, the strongest that works here if none is named."""

    def __init__(self, kind: protect.Kind | None = None, *, seconds: float = SECONDS) -> None:
        self._kind: protect.Kind = kind or protect.working()[0]
        self._seconds = seconds
        self.protection = protect.words(self._kind)

    def run(self, sealed: Sealed, folder: Path) -> Mapping[str, Ran]:
        """Return what each code cell came to, by its id. Never raises for what a student's code does."""
        ids = [cell["id"] for cell in sealed.notebook["cells"] if cell["cell_type"] == "code"]
        with clean(folder) as (inner, sockets):
            write_whole(inner / "sealed.ipynb", json.dumps(sealed.notebook))
            self._write_kernel(inner, sockets)
            in_time = self._nbval(inner, sockets, sealed.seconds)
            return came(inner / "record.jsonl", ids, "missing" if in_time else "timeout")

    def close(self) -> None:
        """End what it keeps warm: nothing."""

    def _write_kernel(self, inner: Path, sockets: Path) -> None:
        """Write the kernelspec `sealed`: our kernel in its box, interrupted by message, as no signal reaches it."""
        own = inner / "own"
        own.mkdir()
        write_whole(sockets / protect.CALLS, protect.given_calls())
        command = [sys.executable, "-I", "-m", "gate.grading.boxed", "-f", "{connection_file}"]
        spec = {
            "argv": protect.around(self._kind, command, own=own, sockets=sockets),
            "display_name": "sealed", "language": "python", "interrupt_mode": "message",
        }  # fmt: skip
        write_whole(inner / "jupyter" / "kernels" / "sealed" / "kernel.json", json.dumps(spec))

    def _nbval(self, inner: Path, sockets: Path, seconds: float) -> bool:
        """Run nbval to its end, and say whether it ended by itself."""
        limit = ["--nbval-cell-timeout", f"{seconds:g}", "sealed.ipynb"]
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "pytest", *PYTEST, *limit], cwd=inner, env=environment(inner, sockets),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(self._seconds)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            family.kill(process.pid)
            process.wait()


def environment(inner: Path, sockets: Path) -> dict[str, str]:
    """Return the environment of nbval, in a folder `inner`, for a kernel that is talked to through `sockets`."""
    return {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | {
        "JUPYTER_PATH": str(inner / "jupyter"), "JUPYTER_RUNTIME_DIR": str(sockets),
        "JUPYTER_CONFIG_DIR": str(inner / "none"), "JUPYTER_NO_CONFIG": "1", "GATE_WORK": str(inner / "own" / "work"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", RECORD: str(inner / "record.jsonl"), SOCKETS: str(sockets),
    }  # fmt: skip


@contextmanager
def clean(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Make an empty folder inside `folder`, and one with a short name for sockets; both are gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    inner, sockets = Path(tempfile.mkdtemp(dir=folder)).resolve(), Path(tempfile.mkdtemp(prefix="gate-")).resolve()
    try:
        yield inner, sockets
    finally:
        for one in (inner, sockets):
            shutil.rmtree(one, ignore_errors=True)


def came(record: Path, ids: list[str], last: CellCame = "missing") -> dict[str, Ran]:
    """Return what a record says of each cell. Cells without a line are missing; `last` is for the first of them."""
    found: dict[str, Ran] = {}
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    for line in lines:
        try:
            said: dict[str, Any] = json.loads(line)
        except ValueError:  # the last one: the run was ended while it was written
            break
        found.setdefault(said["cell"], Ran(said["came"], said.get("shown", "")))
    for id in ids:
        if id not in found:
            found[id], last = Ran(last), "missing"
    return {id: found[id] for id in ids}
