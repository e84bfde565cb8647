"""Runs nbval as a person does: in a process of its own, on a copy, each notebook with its own answers folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from gate.files import HOME
from gate.warm import SWITCH

_SECONDS = 280
_OURS = ("GATE_", "PYTEST_", "PYTHONPATH", "JUPYTER_")


def nbval(folder: Path, *arguments: str, kernels: str = "") -> subprocess.CompletedProcess[str]:
    """Run `pytest <arguments>` in a folder with `notebooks/`, by the kit's conftest.py; answers go to `answers/`.

    The kernels are warm ones, unless `kernels` (or `$GATE_KERNELS` in your own shell) is "plain".
    """
    shutil.copy(HOME / "conftest.py", folder / "conftest.py")
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    env = {key: value for key, value in os.environ.items() if not key.startswith(_OURS)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments],
        cwd=folder, env={**env, SWITCH: kernels or os.environ.get(SWITCH, ""), "GATE_WORK": str(folder / "answers")}, capture_output=True, encoding="utf-8",
        errors="replace", timeout=_SECONDS, check=False,
    )  # fmt: skip


def answers(folder: Path, notebook: Path) -> Path:
    """Return the answers folder that a notebook of a run had."""
    return folder.joinpath("answers", *notebook.with_suffix("").parts[-3:])
