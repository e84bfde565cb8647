"""Rules of the plan and the clock: one source, one section at a time, and no press is lost."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gate.lab
from gate.errors import ConfigError
from gate.files import HOME
from gate.lab import clock
from gate.lab.clock import ACTIONS, Actual, actual_times
from gate.lab.plan import load_plan

MINUTE = 60_000
NOTEBOOKS = {"memory": 5, "arguments": 5, "fence": 5, "results": 4}
MINUTES = {"memory": 75, "arguments": 65, "fence": 65, "results": 45}


def event(section: str, action: str, minute: float) -> dict[str, Any]:
    return {"section": section, "action": action, "at": int(minute * MINUTE)}


# --- The plan ---


def test_the_plan_has_the_four_labs_with_their_minutes_and_notebooks() -> None:
    plan = load_plan()
    assert {lab.id: lab.minutes for lab in plan.values()} == MINUTES
    assert {lab.id: len(lab.sections) for lab in plan.values()} == NOTEBOOKS
    for lab in plan.values():
        for number, section in enumerate(lab.sections, 1):
            assert section.notebook == f"notebooks/{lab.id}/{section.id}.ipynb"
            assert section.id.startswith(f"{number:02}_")


def test_the_memory_lab_keeps_its_windows() -> None:
    windows = [(section.start, section.end) for section in load_plan()["memory"].sections]
    assert windows == [(0, 10), (10, 25), (25, 45), (45, 60), (60, 75)]


def plan_file(folder: Path, change: Any) -> Path:
    document = json.loads((HOME / "data/labs.json").read_text(encoding="utf-8"))
    change(document["labs"][0])
    path = folder / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


FAULTS: dict[str, tuple[Any, str]] = {
    "gap": (
        lambda lab: lab["sections"][1].update(start=11),
        "section 02_freeze_the_contract runs from minute 11 to 25",
    ),
    "overlap": (
        lambda lab: lab["sections"][1].update(start=9),
        "section 02_freeze_the_contract runs from minute 9 to 25",
    ),
    "backwards": (
        lambda lab: lab["sections"][0].update(end=0),
        "section 01_reproduce_the_leak runs from minute 0 to 0",
    ),
    "short": (lambda lab: lab.update(minutes=80), "lab memory has 80 minutes, its sections have 75"),
    "lab twice": (lambda lab: lab.update(id="fence"), "lab fence is there twice"),
    "section twice": (
        lambda lab: lab["sections"][1].update(id="03_fail_closed"),
        "lab memory: section 03_fail_closed is there twice",
    ),
    "text minute": (lambda lab: lab["sections"][0].update(end="10"), "schema.type at /labs/0/sections/0/end"),
    "unknown field": (lambda lab: lab.update(cap=1), "schema.unknown_field at /labs/0/cap"),
}


@pytest.mark.parametrize(("change", "says"), FAULTS.values(), ids=FAULTS.keys())
def test_refuses_to_start_on_a_faulty_plan(tmp_path: Path, change: Any, says: str) -> None:
    path = plan_file(tmp_path, change)
    with pytest.raises(ConfigError, match=re.escape(says)) as caught:
        load_plan(path)
    assert str(path) in str(caught.value)


def shorter(lab: dict[str, Any]) -> None:
    lab["minutes"] = 70
    lab["sections"][-1]["end"] = 70


def test_an_instructor_s_own_plan_is_an_argument_or_an_environment_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plan_file(tmp_path, shorter)
    assert "minute 60 to 70 of 70" in repr(clock("memory", "05_replay_fixtures", path))
    assert "minute 60 to 75 of 75" in repr(clock("memory", "05_replay_fixtures"))
    monkeypatch.setenv("GATE_LABS", str(path))
    assert "minute 60 to 70 of 70" in repr(clock("memory", "05_replay_fixtures"))


def test_a_lab_or_section_that_is_not_there_is_said_with_those_that_are() -> None:
    with pytest.raises(ConfigError, match='no lab "memry". Next: use one of memory, arguments, fence, results'):
        clock("memry", "01_reproduce_the_leak")
    with pytest.raises(ConfigError, match='lab memory has no section "02". Next: use one of 01_reproduce_the_leak, '):
        clock("memory", "02")


# --- The time that passed ---


def test_a_pause_does_not_count() -> None:
    events = [event("a", "start", 0), event("a", "pause", 5), event("a", "start", 20)]
    assert actual_times(events)["a"] == Actual(5 * MINUTE, 20 * MINUTE, False)
    assert actual_times(events)["a"].at(22 * MINUTE) == 7 * MINUTE


def test_starting_the_next_section_leaves_the_running_one_behind() -> None:
    times = actual_times([event("a", "start", 0), event("b", "start", 12)])
    assert times == {"a": Actual(12 * MINUTE, None, True), "b": Actual(0, 12 * MINUTE, False)}


def test_a_section_that_was_left_begins_anew() -> None:
    events = [event("a", "start", 0), event("a", "move_on", 9), event("a", "start", 100)]
    assert actual_times(events)["a"] == Actual(0, 100 * MINUTE, False)


@pytest.mark.parametrize("action", ACTIONS)
def test_pressing_twice_is_pressing_once(action: str) -> None:
    events = [event("a", "start", 0), event("a", action, 5)]
    assert actual_times([*events, event("a", action, 9)])["a"].at(10 * MINUTE) == actual_times(events)["a"].at(
        10 * MINUTE
    )


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(ACTIONS), st.integers(0, 50)), max_size=12))
def test_at_most_one_section_runs_and_no_more_time_is_spent_than_passed(presses: list[tuple[str, str, int]]) -> None:
    times = actual_times({"section": section, "action": action, "at": at} for section, action, at in presses)
    assert sum(mine.since is not None for mine in times.values()) <= 1
    assert all(mine.spent >= 0 for mine in times.values())
    assert sum(mine.at(50) for mine in times.values()) <= 50


# --- The clock ---


def test_what_was_pressed_is_saved_and_shown_again(work: Path) -> None:
    clock("memory", "01_reproduce_the_leak").press("start", 0)
    clock("memory", "01_reproduce_the_leak").press("move_on", 11 * MINUTE + 5_000)
    assert json.loads((work / "clock-memory.json").read_text(encoding="utf-8")) == {
        "version": 1,
        "events": [
            {"section": "01_reproduce_the_leak", "action": "start", "at": 0},
            {"section": "01_reproduce_the_leak", "action": "move_on", "at": 665_000},
        ],
    }
    assert clock("memory", "02_freeze_the_contract").times().splitlines() == [
        "section                     plan    took",
        "Reproduce the leak         10:00   11:05",
        "Freeze the contract        15:00       -",
        "Fail closed                20:00       -",
        "Isolate memory writes      15:00       -",
        "Replay fixtures            15:00       -",
    ]


def test_a_clock_that_was_set_back_does_not_turn_presses_around(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = clock("memory", "01_reproduce_the_leak"), clock("memory", "02_freeze_the_contract")
    for now, pressed, action in (
        (60, first, "start"),
        (20, first, "pause"),
        (21, second, "start"),
        (61, second, "pause"),
    ):
        monkeypatch.setattr(importlib.import_module("gate.lab.clock"), "_now", lambda now=now: now * MINUTE)
        pressed.press(action)
    assert [made._state()["spent"] for made in (first, second)] == [1, 1 * MINUTE - 2]


def test_clocks_of_two_notebooks_share_one_time(work: Path) -> None:
    first, second = clock("memory", "01_reproduce_the_leak"), clock("memory", "02_freeze_the_contract")
    first.press("start", 0)
    second.press("start", 9 * MINUTE)
    first.press("pause", 20 * MINUTE)
    assert first._state() == {"spent": 9 * MINUTE, "since": None, "moved_on": True, "notes": []}
    assert second._state()["since"] == 9 * MINUTE


def test_each_lab_has_a_clock_of_its_own() -> None:
    clock("memory", "01_reproduce_the_leak").press("start", 0)
    assert clock("arguments", "01_frame_the_contract")._state()["since"] is None


def test_a_broken_clock_file_is_kept_beside_and_said(work: Path) -> None:
    work.mkdir()
    (work / "clock-memory.json").write_text('{"version": 1, "events": [{"at": "now"}]}', encoding="utf-8")
    shown = clock("memory", "01_reproduce_the_leak")
    assert shown._state()["since"] is None
    assert "It is kept as clock-memory.broken-1.json" in shown._state()["notes"][0]


def test_an_unknown_button_is_refused() -> None:
    with pytest.raises(ValueError, match="'stop' is no button of the clock: use one of start, pause, move_on"):
        clock("memory", "01_reproduce_the_leak").press("stop")


@pytest.mark.parametrize(
    "message",
    [{}, {"do": "stop", "at": 1}, {"do": "start"}, {"do": "start", "at": -1}, {"do": "start", "at": True}, {"do": []}],
)
def test_a_message_of_the_browser_that_makes_no_sense_changes_nothing(work: Path, message: dict[str, Any]) -> None:
    clock("memory", "01_reproduce_the_leak")._receive(message)
    assert not work.exists()


def test_the_plain_clock_is_one_line_that_never_changes() -> None:
    line = (
        "Freeze the contract: minute 10 to 25 of 75 (15 minutes). Hard cap: minute 25. "
        "Next: Fail closed: write the gate, watch the board turn green"
    )
    stopped = clock("memory", "02_freeze_the_contract")._repr_mimebundle_()
    clock("memory", "02_freeze_the_contract").press("start")
    running = clock("memory", "02_freeze_the_contract")._repr_mimebundle_()
    for shown in (stopped, running):
        assert (shown["text/plain"], shown["text/html"]) == (line, f"<p>{line}</p>")


def test_the_first_cell_s_names_stay_functions_whatever_is_imported() -> None:
    for name in ("clock", "table"):
        importlib.import_module(f"gate.lab.{name}")
        assert inspect.isfunction(getattr(gate.lab, name))


def test_of_two_presses_in_one_millisecond_the_last_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("gate.lab.clock"), "_now", lambda: 5)
    names = ("01_reproduce_the_leak", "02_freeze_the_contract")
    for name in (*names, names[0]):
        clock("memory", name).press("start")
    assert [clock("memory", name)._state()["since"] is not None for name in names] == [True, False]
