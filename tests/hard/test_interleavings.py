"""Longer interleavings of calls, crashes, doubts and late tools than `test_fence_machine` plays."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.hard.budget import times
from tests.test_fence_machine import DiskMachine, Machine


@pytest.mark.parametrize(("machine", "runs"), [(Machine, times(10)), (DiskMachine, times(5))], ids=["memory", "disk"])
def test_long_interleavings_keep_the_rules(machine: type[Machine], runs: int) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=runs, stateful_step_count=60))
