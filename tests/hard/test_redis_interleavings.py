"""The same longer interleavings, and killed workers with a killed server, on Redis."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.hard.budget import times
from tests.hard.test_kills import soak_counts
from tests.test_redis_ledger import RedisMachine


def test_long_interleavings_on_a_server_keep_the_rules(redis_server: Any) -> None:
    wanted = settings(max_examples=times(4), stateful_step_count=60)
    run_state_machine_as_test(lambda: RedisMachine(redis_server), settings=wanted)


@pytest.mark.parametrize("mode", ["blind", "keyed", "lookup"])
def test_kills_of_workers_and_server_make_no_second_effect_and_lose_none(mode: str) -> None:
    counts = soak_counts("--redis", "--mode", mode, "--kills", str(times(2)))
    assert counts["kills"] >= times(2)
