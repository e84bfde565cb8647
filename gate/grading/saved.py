"""Keeps each grade as one JSON file, written whole as soon as it is there, so that a killed run goes on where it was.

A file is taken for another run only under the same key: the same submission, lab, seed, kit and way of grading.

Not here: grading. A file that is damaged, of another format or of another key counts as not there.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.files import read_json, write_whole
from gate.grading.words import Check, Exercise, Grade, Submitted

_PLAIN = re.compile(r"(?!(?:con|prn|aux|nul|com.|lpt.)(?:\.|$))[a-z0-9][a-z0-9._-]{0,60}")  # the words: Windows
_MAX_BYTES = 16_000_000


def file_names(submissions: Iterable[Submitted]) -> list[str]:
    """Return a file name without its ending for each submission: the student's name where it can be one.

    Any other name, and one that is there twice, gets a piece of a hash, so that no name writes outside or over another.

    >>> file_names([Submitted("ada", "a.zip"), Submitted("../bob", "b.zip")])
    ['ada', 'bob-dfdcc8f1']
    """
    all_of_them = list(submissions)
    students = [one.student.lower() for one in all_of_them]
    names = []
    for one, student in zip(all_of_them, students, strict=True):
        if _PLAIN.fullmatch(one.student) and students.count(student) == 1:
            names.append(one.student)
        else:
            said = re.sub(r"[^a-z0-9]+", "-", student).strip("-")[:40] or "student"
            mark = hashlib.sha256(json.dumps([one.student, one.source]).encode()).hexdigest()[:8]
            names.append(f"{said}-{mark}")
    return names


def save_grade(path: Path, key: str, grade: Grade) -> None:
    """Write a grade under its key; the same grade gives the same bytes. Raises `ConfigError` when it cannot."""
    document = {"key": key, "grade": dataclasses.asdict(grade)}
    write_whole(path, json.dumps(document, indent=1, sort_keys=True) + "\n")


def saved_grade(path: Path, key: str) -> Grade | None:
    """Return the grade in a file if it is whole and was saved under this key, else None."""
    if not path.exists():
        return None
    try:
        document = read_json(path, max_bytes=_MAX_BYTES)
        return _grade(document["grade"]) if document.get("key") == key else None
    except (ConfigError, KeyError, TypeError):
        return None


def _grade(data: dict[str, Any]) -> Grade:
    exercises = tuple(
        Exercise(**{**one, "checks": tuple(Check(**check) for check in one["checks"])}) for one in data["exercises"]
    )
    lists = {name: tuple(data[name]) for name in ("notes", "protection")}
    return Grade(**{**data, **lists, "exercises": exercises})
