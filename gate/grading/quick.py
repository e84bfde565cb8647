"""The quick first look: cells run in a warm box without a kernel; their outputs are compared by nbval's own rules.

It comes to what nbval comes to, in a fraction of the time. The grade that counts is nbval's (`runner`).

Not here: what runs in the box (`quick_shell`), the box (`box`).
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.grading import family, protect
from gate.grading.box import Box, works
from gate.grading.compare import coalesced, same_outputs
from gate.grading.runner import SECONDS
from gate.grading.watch import MAX_SHOWN
from gate.grading.words import Ran, Sealed
from gate.warm.forking import Forked, Refused

MODULES = (
    "IPython.core.completerlib", "IPython.core.oinspect", "gate.lab", "gate.grading.observe", "jsonschema", "httpx",
    "gate.registry:kit_contracts", "gate.grading.quick_shell:prepare",
)  # fmt: skip
_LOOK = 0.05
_MAX_LINE = 40_000_000


class QuickRunner:
    """A `Runner` for a first look; one for each worker. Raises `ConfigError` where there is no warm box."""

    def __init__(self, kind: protect.Kind | None = None) -> None:
        self._kind: protect.Kind = kind or protect.working()[0]
        if not works(self._kind):
            raise ConfigError("A quick look needs Linux and bubblewrap. Next: grade without --quick.")
        self.protection = protect.words(self._kind)
        self._box = Box(self._kind, MODULES)

    def run(self, sealed: Sealed, folder: Path) -> Mapping[str, Ran]:
        """Return what each code cell came to, by its id. Never raises for what a student's code does."""
        cells = [cell for cell in sealed.notebook["cells"] if cell["cell_type"] == "code"]
        found = {cell["id"]: Ran("missing") for cell in cells}
        try:
            with self._box.swept():
                found |= self._run(cells, sealed.seconds)
        except (Refused, OSError):
            pass  # no cell was run: the grade says so
        return found

    def _run(self, cells: list[Mapping[str, Any]], seconds: float) -> dict[str, Ran]:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                process = self._box.fork("gate.grading.quick_shell:run", fds=[theirs.fileno()])
            try:
                return _asked(cells, _Channel(ours, process, min(seconds, SECONDS), [self._box.sockets]))
            finally:
                process.kill()  # the sweep waits for its end

    def close(self) -> None:
        """End the box."""
        self._box.close()


def _asked(cells: list[Mapping[str, Any]], channel: _Channel) -> dict[str, Ran]:
    """Have the cells run one after the other, until one does not end as it should."""
    found: dict[str, Ran] = {}
    for cell in cells:
        found[cell["id"]] = _came(cell, channel)
        if found[cell["id"]].came in ("timeout", "crashed"):
            break
    return found


def _came(cell: Mapping[str, Any], channel: _Channel) -> Ran:
    try:
        told = channel.ask(cell["source"])
        outputs = told["outputs"] if told["raised"] else coalesced(told["outputs"])
        shown = "".join(str(out["text"]) for out in outputs if out["output_type"] == "stream")[:MAX_SHOWN]
        if told["raised"] or any(out["output_type"] == "error" for out in outputs):
            return Ran("error", shown)
        return Ran("same" if _same(cell, outputs) else "differs", shown)
    except TimeoutError:
        return Ran("timeout")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Ran("crashed")  # it is gone, or said what no cell says


def _same(cell: Mapping[str, Any], outputs: list[dict[str, Any]]) -> bool:
    """Compare outputs; those of a cell that counts as never run are not compared."""
    return cell["execution_count"] is None or same_outputs(outputs, cell["outputs"])


class _Channel:
    """Asks a process in the box, and ends it when it takes too long or uses too much."""

    def __init__(self, link: socket.socket, process: Forked, seconds: float, folders: list[Path]) -> None:
        self._link, self._seconds, self._pid = link, seconds, process.pid
        self._meter = family.Meter(process.pid, folders)
        link.settimeout(_LOOK)

    def ask(self, source: str) -> dict[str, Any]:
        """Return what a cell came to. Raises `TimeoutError`, `ConnectionError`, and `ValueError` for no answer."""
        end, line = time.monotonic() + self._seconds, bytearray()
        self._meter.begin()
        self._link.sendall(json.dumps(source).encode() + b"\n")
        while not line.endswith(b"\n"):
            try:
                line += (piece := self._link.recv(1_000_000))
                if not piece or len(line) > _MAX_LINE:
                    raise ConnectionError
            except TimeoutError:
                if over := self._meter.over():
                    family.kill(self._pid)
                    raise (TimeoutError if over == "timeout" else ConnectionError) from None
            if time.monotonic() > end:
                raise TimeoutError
        answer: dict[str, Any] = json.loads(line)
        return answer
