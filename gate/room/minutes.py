"""Planned against actual minutes of every section, from the clocks of a class, and the plan they suggest for next time.

A section took as long as it took the pair in the middle (the median of those who pressed *we moved on*). The proposal
gives each section its share of the lab's minutes by that, in whole minutes, and never touches a file.

Not here: what a clock counts (`gate.lab.clock`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from gate.errors import ConfigError
from gate.files import HOME, read_json
from gate.lab.clock import actual_times
from gate.lab.plan import Lab, Section
from gate.lab.vetted import data_contract

_MINUTE = 60_000
LEAST = 3  # minutes that a section keeps, however fast a class was


class SectionTook(NamedTuple):
    """One section: its planned minutes, what it took in the middle of `pairs` (None: nobody finished it), proposed."""

    section: str
    title: str
    planned: int
    took: float | None
    pairs: int
    proposed: int


def sections_took(lab: Lab, folders: Iterable[Path]) -> list[SectionTook]:
    """Return what each section of a lab took, by the clocks in work folders; a broken one is left out."""
    times: dict[str, list[float]] = {section.id: [] for section in lab.sections}
    for folder in folders:
        for name, actual in actual_times(_events(folder / f"clock-{lab.id}.json")).items():
            if actual.moved_on and name in times:
                times[name].append(actual.spent / _MINUTE)
    planned = {section.id: section.end - section.start for section in lab.sections}
    took = {name: median(minutes) if minutes else None for name, minutes in times.items()}
    proposed = propose(planned, took)
    return [
        SectionTook(one.id, one.title, planned[one.id], took[one.id], len(times[one.id]), proposed[one.id])
        for one in lab.sections
    ]


def propose(planned: Mapping[str, int], took: Mapping[str, float | None]) -> dict[str, int]:
    """Return whole minutes for each section that add up to the planned sum, in proportion to what they took.

    A section that nobody finished keeps its minutes.

    >>> propose({"a": 10, "b": 10, "c": 5}, {"a": 4.0, "b": 12.0, "c": None})
    {'a': 5, 'b': 15, 'c': 5}
    """
    weights = {name: max(LEAST, minutes) for name, minutes in took.items() if minutes is not None}
    total = sum(planned[name] for name in weights)
    exact = {name: weight * total / sum(weights.values()) for name, weight in weights.items()}
    whole = {name: max(LEAST, int(minutes)) for name, minutes in exact.items()}
    by_rest = sorted(exact, key=lambda name: (int(exact[name]) - exact[name], name))
    for number in range(abs(missing := total - sum(whole.values()))):
        name = by_rest[number % len(by_rest)] if missing > 0 else max(whole, key=lambda one: whole[one])
        whole[name] += 1 if missing > 0 else -1
    return {**planned, **whole}


def plan_patch(lab: Lab, took: Iterable[SectionTook]) -> str:
    """Return the proposal as a patch of `data/labs.json` for `git apply`, "" when nothing would change."""
    before = (HOME / "data" / "labs.json").read_text(encoding="utf-8")
    after, start = before, 0
    for one in took:
        end = start + one.proposed
        after = _moved(after, next(section for section in lab.sections if section.id == one.section), start, end)
        start = end
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, "a/data/labs.json", "b/data/labs.json"))


def _moved(text: str, section: Section, start: int, end: int) -> str:
    """Return the plan with one section's window changed and every other character as it was."""
    window = rf'("id": "{re.escape(section.id)}".*?"start": ){section.start}(,\s*"end": ){section.end}\b'
    return re.sub(window, rf"\g<1>{start}\g<2>{end}", text, count=1, flags=re.DOTALL)


def _events(path: Path) -> list[dict[str, Any]]:
    try:
        document = read_json(path) if path.is_file() else {"events": []}
    except ConfigError:
        return []
    document.pop("version", None)
    decision = data_contract("clock_answers").judge(document)
    return [] if decision.value is None else list(decision.value["events"])
