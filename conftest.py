"""Lets `pytest --nbval-lax notebooks` run each notebook by itself, with an empty answers folder instead of work/.

The folders are taken away at the end, unless `$GATE_WORK` says where they shall be. Their kernels are warm ones where
that is safe, with the same results (`gate/warm`); `GATE_KERNELS=plain` makes them plain ones.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from gate.warm import use_warm_kernels

collect_ignore_glob = ["*.kept-*.ipynb"]  # what `gate lab reset` put beside may be half done

_wanted = os.environ.get("GATE_WORK")
_made: list[Path] = []


def pytest_configure(config: pytest.Config) -> None:
    """Let kernels be warm, and get ready while the notebooks are collected, where they are run by this process."""
    options = config.option
    runs = getattr(options, "nbval", False) or getattr(options, "nbval_lax", False)
    if runs and not use_warm_kernels() and not getattr(options, "numprocesses", None):
        import nbval.kernel

        from gate.warm.provisioner import begin_server

        begin_server()
        nbval.kernel.pformat = str  # it lays out every message, for a log that nobody reads


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name a notebook's answers folder before its kernel starts."""
    if item.path.suffix == ".ipynb":
        if not _wanted and not _made:
            _made.append(Path(tempfile.mkdtemp(prefix="gate-notebooks-")))
        os.environ["GATE_WORK"] = str(Path(_wanted or _made[0], *item.path.with_suffix("").parts[-3:]))


def pytest_sessionfinish() -> None:
    """Take the answers away again."""
    for folder in _made:
        shutil.rmtree(folder, ignore_errors=True)
