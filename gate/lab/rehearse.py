"""Runs the code of a notebook from top to bottom in a fresh process and says which boards came out red and green.

Faster than a kernel: nothing is shown and no messages are sent. nbval runs the same notebooks in real kernels.

Not here: what should be red (`check`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

_SECONDS = 120
_PROGRAM = """
import contextlib, io, json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in json.loads(sys.stdin.read()):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        ran = shell.run_cell(cell["source"])
    error = ran.error_before_exec or ran.error_in_exec
    if error is not None:
        sys.exit(f"cell {cell['id']}: {type(error).__name__}: {error}")
"""


class Rehearsal(NamedTuple):
    """How a run went: `error` names the cell that failed ("" if none did), `red` has the red rows of each board run."""

    error: str
    red: dict[str, tuple[str, ...]]


def rehearse(path: Path, cells: list[dict[str, str]]) -> Rehearsal:
    """Run code cells (`id` and `source`) in the folder of the notebook `path`, with an empty answers folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        quiet = {"GATE_WORK": work, "GATE_PLAIN": "1", "IPYTHONDIR": str(Path(work, ".ipython"))}
        try:
            run = subprocess.run(
                [sys.executable, "-c", _PROGRAM], cwd=path.parent, env={**os.environ, **quiet}, input=json.dumps(cells),
                capture_output=True, encoding="utf-8", errors="replace", timeout=_SECONDS, check=False,
            )  # fmt: skip
            error = run.stderr.strip().splitlines()[-1] if run.returncode else ""
        except subprocess.TimeoutExpired:
            error = f"did not end within {_SECONDS} seconds"
        return Rehearsal(error, red_rows(Path(work)))


def red_rows(work: Path) -> dict[str, tuple[str, ...]]:
    """Return the red rows of each board that was run, other than as a trial, with this answers folder."""
    boards = work / "boards.json"
    saved = json.loads(boards.read_text(encoding="utf-8")) if boards.exists() else {}
    return {name: tuple(row["red"]) for name, row in saved.items() if isinstance(row, dict)}
