"""nbval as `runner` runs it, with nothing started cold: nbval forked by one server, its kernel by another, in a box.

The verdicts are the same. One runner for each worker; where there are no such boxes, `best_runner` gives the plain one.

Not here: what is forked (`warm_nbval`), the box (`box`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gate.files import write_whole
from gate.grading import protect
from gate.grading.box import Box, works
from gate.grading.runner import PYTEST, SECONDS, NbvalRunner, came, clean, environment
from gate.grading.words import Ran, Sealed
from gate.warm import SWITCH
from gate.warm.forking import Forked, ForkServer, Refused
from gate.warm.starts import MODULES

_KERNEL = (*MODULES, "gate.grading.observe", "gate.grading.warm_nbval")
_NBVAL = ("nbval.kernel", "coverage", "gate.grading.watch", "IPython.paths", "gate.grading.warm_nbval:prepare")


def best_runner(kind: protect.Kind | None = None) -> NbvalRunner:
    """Return the fastest runner whose verdicts count: a warm one, or, where there is none, the plain one."""
    kind = kind or protect.working()[0]
    warm = works(kind) and os.environ.get(SWITCH) != "plain"
    return WarmRunner(kind) if warm else NbvalRunner(kind)


class WarmRunner(NbvalRunner):
    """An `NbvalRunner` that is warm. Use it where `box.works`."""

    def __init__(self, kind: protect.Kind | None = None, *, seconds: float = SECONDS) -> None:
        super().__init__(kind, seconds=seconds)
        self._box = Box(self._kind, _KERNEL)
        self._server = ForkServer.start([sys.executable, "-I"], dict(os.environ), _NBVAL)

    def run(self, sealed: Sealed, folder: Path) -> Mapping[str, Ran]:
        """Return what each code cell came to, by its id. Never raises for what a student's code does."""
        ids = [cell["id"] for cell in sealed.notebook["cells"] if cell["cell_type"] == "code"]
        try:
            with self._box.swept(), clean(folder) as (inner, _):
                write_whole(inner / "sealed.ipynb", json.dumps(sealed.notebook))
                self._write_spec(inner)
                in_time = self._end(self._begin(inner, sealed.seconds))
                return came(inner / "record.jsonl", ids, "missing" if in_time else "timeout")
        except (Refused, OSError):
            return {id: Ran("missing") for id in ids}  # no cell was run: the grade says so

    def _write_spec(self, inner: Path) -> None:
        spec = {
            "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "sealed", "language": "python", "interrupt_mode": "message",
        }  # fmt: skip
        write_whole(inner / "jupyter" / "kernels" / "sealed" / "kernel.json", json.dumps(spec))

    def _begin(self, inner: Path, seconds: float) -> Forked:
        given = {
            "arguments": [*PYTEST, "--nbval-cell-timeout", f"{seconds:g}", "sealed.ipynb"],
            "box": {"own": str(self._box.own), "environ": self._box.environ},
        }
        null = os.open(os.devnull, os.O_RDWR)
        try:
            return self._server.fork(
                "gate.grading.warm_nbval:run", given, cwd=str(inner), environ=environment(inner, self._box.sockets),
                streams=[null] * 3, fds=[self._box.server.control.fileno()],
            )  # fmt: skip
        finally:
            os.close(null)

    def _end(self, nbval: Forked) -> bool:
        """Wait for nbval, and say whether it ended by itself."""
        try:
            nbval.wait(self._seconds)
            return True
        except subprocess.TimeoutExpired:
            nbval.kill()
            nbval.wait()
            return False

    def close(self) -> None:
        """End the box and the server."""
        self._box.close()
        self._server.close()
