"""What of the grader's tests is for this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.grading import protect
from gate.grading.box import works
from gate.grading.warm_runner import best_runner
from gate.grading.words import Runner

collect_ignore = [] if works(protect.working()[0]) else ["test_quick.py"]  # no box, no quick look


@pytest.fixture(scope="session")
def nbval() -> Iterator[Runner]:
    """The runner of `gate grade`: nbval, warm where that can be had."""
    runner = best_runner()
    yield runner
    runner.close()
