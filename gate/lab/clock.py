"""The clock of a section: time left, hard cap, what comes next, and how long each section really took.

It ticks in the browser, so it goes on while the kernel is busy. What is pressed is saved as an event with its time;
everything else follows from the events, so that a reload, a restart and a second notebook show the same clock.

Not here: the windows (`plan`), the browser's form (`clock.js`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

from gate.lab.answers import Answers, Document
from gate.lab.plan import Lab, find_section
from gate.lab.vetted import data_contract
from gate.lab.view import View

ACTIONS = ("start", "pause", "move_on")
_MINUTE = 60_000


class Actual(NamedTuple):
    """How a section really went: milliseconds `spent`, running `since` a moment (None when it stands), left behind."""

    spent: int = 0
    since: int | None = None
    moved_on: bool = False

    def at(self, now: int) -> int:
        """Return the milliseconds spent at the moment `now`."""
        return self.spent + (max(0, now - self.since) if self.since is not None else 0)


def actual_times(events: Iterable[Mapping[str, Any]]) -> dict[str, Actual]:
    """Return how each section went. One section runs at a time: starting one leaves the running one behind.

    Starting a section that was left behind begins it anew. Pressing a button twice is pressing it once.

    >>> actual_times([{"section": "a", "action": "start", "at": 0}, {"section": "a", "action": "move_on", "at": 9}])
    {'a': Actual(spent=9, since=None, moved_on=True)}
    """
    times: dict[str, Actual] = {}
    for event in sorted(events, key=lambda event: event["at"]):
        section, action, at = event["section"], event["action"], event["at"]
        mine = times.get(section, Actual())
        if action == "start":
            running = [name for name, other in times.items() if other.since is not None and name != section]
            times.update({name: Actual(times[name].at(at), None, True) for name in running})
            fresh = Actual() if mine.moved_on else mine
            times[section] = fresh if fresh.since is not None else Actual(fresh.spent, at)
        elif not mine.moved_on:
            times[section] = Actual(mine.at(at), None, action == "move_on")
    return times


class Clock:
    """The clock of one section of a lab. As the last line of a cell it shows itself.

    `plan` is the path of an instructor's own plan (or set `GATE_LABS`). Raises `ConfigError` for a plan that cannot be
    used, or a lab or section that it does not have.

    >>> repr(Clock("memory", "03_fail_closed")).split(" Next:")[0]
    'Fail closed: minute 25 to 45 of 75 (20 minutes). Hard cap: minute 45.'

    Does not catch: a class that talks on. It turns red and says what to cut.
    """

    def __init__(self, lab: str, section: str, plan: str | os.PathLike[str] | None = None) -> None:
        self._lab, self._section = find_section(lab, section, plan)
        self._answers = Answers(f"clock-{self._lab.id}", vet=_vet, merge=_merge)
        self._events: list[dict[str, Any]] = self._answers.load().get("events", [])
        self._view = View("clock", self._planned(), self._state, self._receive)

    def press(self, action: str, at: int | None = None) -> None:
        """Do what a button does, "start", "pause" or "move_on", at the millisecond `at` (now), and save it.

        Raises `ValueError` for another action.
        """
        if action not in ACTIONS:
            raise ValueError(f"{action!r} is no button of the clock: use one of {', '.join(ACTIONS)}.")
        pressed = _now() if at is None else at

        def add(known: Document) -> Document:
            event = {"section": self._section.id, "action": action, "at": _in_order(known, pressed)}
            return _merge(known, {"events": [event]})

        self._events = self._answers.update(add)["events"]
        self._view.push()

    def times(self) -> str:
        """Return plan against actual of every section of this lab, as text."""
        return _times(self._lab, actual_times(self._events), _now())

    def __repr__(self) -> str:
        section = self._section
        return (
            f"{section.title}: minute {section.start} to {section.end} of {self._lab.minutes} "
            f"({section.end - section.start} minutes). Hard cap: minute {section.end}. Next: {section.next}"
        )

    def _repr_mimebundle_(self, **_options: object) -> dict[str, Any]:
        self._events = self._answers.load().get("events", [])
        return self._view.bundle(repr(self), f"<p>{escape(repr(self))}</p>")

    def _planned(self) -> dict[str, Any]:
        section = self._section
        return {
            "title": section.title,
            "planned": (section.end - section.start) * _MINUTE,
            "end": section.end,
            "minutes": self._lab.minutes,
            "next": section.next,
            "cut_first": section.cut_first,
        }

    def _state(self) -> dict[str, Any]:
        mine = actual_times(self._events).get(self._section.id, Actual())
        return {**mine._asdict(), "notes": list(self._answers.notes)}

    def _receive(self, message: dict[str, Any]) -> None:
        """Save what was pressed in the browser, at the time it was pressed there: the kernel may have been busy."""
        at = message.get("at")
        if message.get("do") in ACTIONS and type(at) is int and 0 <= at <= 2**53 - 1:
            self.press(message["do"], at)


def clock(lab: str, section: str, plan: str | os.PathLike[str] | None = None) -> Clock:
    """Return the clock of a section, as it was left. As the last line of a cell it shows itself.

    >>> clock("memory", "02_freeze_the_contract").times().split()[:3]
    ['section', 'plan', 'took']
    """
    return Clock(lab, section, plan)


def _vet(document: Document) -> str:
    decision = data_contract("clock_answers").judge(document)
    return "" if decision else str(decision.findings[0])


def _merge(known: Document, mine: Document) -> Document:
    """Return the events of both, each once, in the order of time."""
    both = [*known.get("events", []), *mine["events"]]
    events = {(event["section"], event["action"], event["at"]): event for event in both}
    return {"events": sorted(events.values(), key=lambda event: event["at"])}


def _in_order(known: Document, at: int) -> int:
    """Return when a button was pressed: after the last event if both say the same time, or a clock was set back."""
    newest: int = max((event["at"] for event in known.get("events", [])), default=-1)
    return newest + 1 if newest == at or newest > max(at, _now()) else at


def _times(lab: Lab, times: Mapping[str, Actual], now: int) -> str:
    rows = [f"{'section':25}  {'plan':>5}  {'took':>6}"]
    for section in lab.sections:
        mine = times.get(section.id, Actual())
        took = _minutes(mine.at(now)) if mine != Actual() else "-"
        running = "  (running)" if mine.since is not None else ""
        rows.append(f"{section.title:25}  {_minutes((section.end - section.start) * _MINUTE):>5}  {took:>6}{running}")
    return "\n".join(rows)


def _minutes(milliseconds: int) -> str:
    return f"{milliseconds // _MINUTE}:{milliseconds // 1000 % 60:02}"


def _now() -> int:
    return time.time_ns() // 1_000_000
