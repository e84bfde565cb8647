"""The grades as `grades.csv`, for a spreadsheet or a gradebook: nbgrader's columns first, ours after them.

Empty are the columns about which a submission says nothing (due date, names, address); a penalty is never given.

Not here: single checks (`report_junit`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from gate.grading.words import Grade

NBGRADER = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
)  # fmt: skip
OURS = ("value", "problem")


def as_csv(grades: Sequence[Grade]) -> str:
    """Return one line a grade, and one column more for the points of each exercise.

    A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    exercises = list(dict.fromkeys(one.id for grade in grades for one in grade.exercises))
    text = io.StringIO()
    rows = csv.DictWriter(text, (*NBGRADER, *OURS, *exercises), lineterminator="\n")
    rows.writeheader()
    for grade in grades:
        points = {one.id: number(one.points) for one in grade.exercises}
        rows.writerow({
            **points,
            "assignment": grade.lab,
            "student_id": _no_formula(grade.student),
            "raw_score": number(grade.points),
            "late_submission_penalty": "0",
            "score": number(grade.points),
            "max_score": number(grade.max_points),
            "value": grade.value,
            "problem": _no_formula(grade.why_ungradable()),
        })  # fmt: skip
    return text.getvalue()


def number(points: float) -> str:
    """Return points as people write them, with at most two digits after the point.

    >>> number(3.0), number(10 / 3), number(0)
    ('3', '3.33', '0')
    """
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _no_formula(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
