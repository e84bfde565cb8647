"""Clocks that jump: what was done stays done, and the last press or choice counts, whatever the time was said to be."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.lab import ballot
from gate.lab.clock import ACTIONS, clock
from gate.lab.table import Table
from tests.fence_kit import comment, fence
from tests.hard.budget import times

CLOCK = import_module("gate.lab.clock")  # `gate.lab.clock` itself is the function by now
SECTIONS = ("01_reproduce_the_leak", "02_freeze_the_contract")
DAYS = st.integers(0, 40_000)  # from 1970 on, in any order
READINGS = st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=12)


@pytest.fixture(scope="module", autouse=True)
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patching:
        yield patching


@settings(max_examples=times(30))
@given(READINGS)
def test_a_monotonic_clock_that_jumps_costs_no_second_effect(readings: list[float]) -> None:
    effects: Counter[str] = Counter()

    def tool(payload: dict[str, Any]) -> dict[str, Any]:
        effects[payload["idempotency_key"]] += 1
        return {"n": sum(effects.values())}

    said = iter(readings)
    guard = fence(clock=lambda: next(said, 0.0), start=lambda work: work())
    for number in range(3):
        first = guard.run(comment(number), tool)
        second = guard.run(comment(number), tool)
        assert first["wall_ms"] >= 0
        assert (second["state"], second["result"], second["replayed"]) == ("applied", {"n": number + 1}, True)
        assert (first["state"], first["ok"]) == ("applied", first["result"] is not None)
    assert set(effects.values()) == {1}


@settings(max_examples=times(10))
@given(st.lists(st.tuples(DAYS, st.sampled_from(SECTIONS), st.sampled_from(ACTIONS)), max_size=8))
def test_the_clock_of_the_lab_does_what_was_pressed_last(
    patch: pytest.MonkeyPatch, presses: list[tuple[int, str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        patch.setenv("GATE_WORK", folder)
        clocks = {section: clock("memory", section) for section in SECTIONS}
        for day, section, action in presses:
            patch.setattr(CLOCK, "_now", lambda now=day * 86_400_000: now)
            clocks[section].press(action)
            state = clock("memory", section)._state()
            assert (state["since"] is not None) == (action == "start")
            assert state["spent"] >= 0
            (other,) = set(SECTIONS) - {section}
            if action == "start":
                assert clock("memory", other)._state()["since"] is None
        kept = clock("memory", SECTIONS[0])._events
        assert len(kept) == len(presses)


class Jumping(datetime):
    """A wall clock that says what it is told to."""

    day = 0

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return datetime.fromtimestamp(cls.day * 86_400, UTC)


@settings(max_examples=times(10))
@given(st.lists(st.tuples(DAYS, st.sampled_from(["row-1", "row-2"]), st.sampled_from(["allow", "block"])), max_size=6))
def test_the_choice_of_a_table_is_the_one_made_last(
    patch: pytest.MonkeyPatch, choices: list[tuple[int, str, str]]
) -> None:
    patch.setattr(ballot, "datetime", Jumping)
    with tempfile.TemporaryDirectory() as folder:
        patch.setenv("GATE_WORK", os.fspath(folder))
        tables, made = (Table("memory"), Table("memory")), {}
        for number, (Jumping.day, row, choice) in enumerate(choices):  # noqa: B020
            tables[number % 2].choose(row, choice, f"reason {number}")
            made[row] = choice
        shown = Table("memory").decided()
        assert {row: shown[row]["choice"] for row in made} == made


@settings(max_examples=times(5))
@given(st.lists(DAYS, min_size=1, max_size=6))
def test_a_table_is_as_it_was_last_frozen_or_unfrozen(patch: pytest.MonkeyPatch, days: list[int]) -> None:
    patch.setattr(ballot, "datetime", Jumping)
    with tempfile.TemporaryDirectory() as folder:
        patch.setenv("GATE_WORK", folder)
        table = Table("memory")
        for row in table.rows:
            table.choose(row.id, "block", "why")
        for number, day in enumerate(days):
            Jumping.day = day
            if number % 2:
                table.unfreeze("again")
            else:
                table.freeze()
            assert Table("memory").frozen == (number % 2 == 0)
        assert [event["what"] for event in Table("memory").history()] == (["freeze", "unfreeze"] * 3)[: len(days)]
