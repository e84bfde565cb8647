"""Lets `pytest --nbval-lax notebooks` run each notebook by itself: its answers go to an empty folder, not to work/."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

collect_ignore_glob = ["*.kept-*.ipynb"]  # what `gate lab reset` put beside may be half done

_folder: list[Path] = []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name a notebook's answers folder before its kernel starts."""
    if item.path.suffix == ".ipynb":
        if not _folder:
            _folder.append(Path(tempfile.mkdtemp(prefix="gate-notebooks-")))
        os.environ["GATE_WORK"] = str(_folder[0].joinpath(*item.path.with_suffix("").parts[-3:]))


def pytest_sessionfinish() -> None:
    """Take the answers away again."""
    for folder in _folder:
        shutil.rmtree(folder, ignore_errors=True)
