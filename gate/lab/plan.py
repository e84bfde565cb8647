"""The plan: labs, their sections and windows, from `data/labs.json` or an instructor's own file.

One source: the clock, the notebook headings and the run sheet in INSTRUCTOR.md all follow it.

Not here: when a section really began and ended (`clock`).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gate.errors import ConfigError, quote
from gate.files import HOME, locate
from gate.lab.vetted import read_vetted

T = TypeVar("T")


class Points(NamedTuple):
    """What one exercise is worth: a board (`memory.validate`), a table (`table.memory`), or a pack of fixtures.

    `enough`: how many planted faults a pack must notice for all its points.
    """

    id: str
    points: float
    enough: int = 1


class Section(NamedTuple):
    """One section of a lab: minutes `start` to `end`, what comes `next`, what to cut first, and what is graded."""

    id: str
    title: str
    start: int
    end: int
    notebook: str
    next: str
    cut_first: str
    exercises: tuple[Points, ...] = ()


class Lab(NamedTuple):
    """One lab: its length in minutes and its sections, which follow each other without a gap."""

    id: str
    title: str
    minutes: int
    sections: tuple[Section, ...]

    def section(self, name: str) -> Section:
        """Return the section called `name`, or raise `ConfigError` listing those that exist."""
        return _pick({section.id: section for section in self.sections}, name, f"lab {self.id} has no section")


def load_plan(path: str | os.PathLike[str] | None = None) -> dict[str, Lab]:
    """Return the labs of a plan by id: of `path`, else of `$GATE_LABS`, else of `data/labs.json`.

    Raises `ConfigError` for a plan that is no such file, or whose windows leave a gap, overlap or miss the lab's end.

    >>> load_plan()["memory"].section("03_fail_closed").end
    45

    Does not catch: windows that are too short for what they ask.
    """
    chosen = path or os.environ.get("GATE_LABS")
    file = locate(chosen) if chosen else HOME / "data" / "labs.json"
    labs = [
        Lab(**{**lab, "sections": tuple(map(_section, lab["sections"]))}) for lab in read_vetted(file, "labs")["labs"]
    ]
    for lab in labs:
        _check_windows(file, lab)
    _check_unique(file, [lab.id for lab in labs], "lab")
    return {lab.id: lab for lab in labs}


def find_section(lab: str, section: str, path: str | os.PathLike[str] | None = None) -> tuple[Lab, Section]:
    """Return a lab and one of its sections by their ids, or raise `ConfigError` listing those that exist."""
    found = find_lab(lab, path)
    return found, found.section(section)


def find_lab(lab: str, path: str | os.PathLike[str] | None = None) -> Lab:
    """Return a lab by its id, or raise `ConfigError` listing those that exist."""
    return _pick(load_plan(path), lab, "the plan has no lab")


def _section(data: dict[str, Any]) -> Section:
    return Section(**{**data, "exercises": tuple(Points(**one) for one in data.get("exercises", ()))})


def _pick(items: dict[str, T], name: str, complaint: str) -> T:
    if name not in items:
        raise ConfigError(f"{complaint} {quote(name)}. Next: use one of {', '.join(items)}.")
    return items[name]


def _check_windows(file: Path, lab: Lab) -> None:
    minute = 0
    for section in lab.sections:
        if section.start != minute or section.end <= section.start:
            raise ConfigError(
                f"{file}: lab {lab.id}, section {section.id} runs from minute {section.start} to {section.end}. Next: "
                f"let it start at minute {minute}, where the one before ends, and end later than it starts."
            )
        minute = section.end
    if minute != lab.minutes:
        raise ConfigError(
            f"{file}: lab {lab.id} has {lab.minutes} minutes, its sections have {minute}. Next: make both equal."
        )
    _check_unique(file, [section.id for section in lab.sections], f"lab {lab.id}: section")


def _check_unique(file: Path, names: list[str], kind: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{file}: {kind} {name} is there twice. Next: rename one.")
