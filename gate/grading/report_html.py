"""The class on one page, and a page for each student: what to mend, and what to do next.

A student's page has of every check its code, its field and what is told: never a hidden input with its answer. It
names no other student.

Not here: what a class came to (`summary`), the frame of a page (`gate.webpage`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from gate.errors import counted
from gate.grading.report_csv import number
from gate.grading.summary import Often, Summary, summarize
from gate.grading.words import Exercise, Grade, Value
from gate.webpage import Html, page, table, tag

QUICK = "A quick look: nbval gives the grade. Next: run it again without --quick."
_SHOWN = 12
_SIGNS = {"pass": "✓", "fail": "✗", "ungradable": "?"}
_TITLES = {"pass": "done", "fail": "not yet", "ungradable": "could not be graded"}


def class_page(grades: Sequence[Grade], files: Sequence[str], quick: bool = False) -> str:
    """Return the page for the instructor. `files` names each student's page below `students/`, without its ending.

    `quick` says that it was only a first look.
    """
    lab = grades[0].lab if grades else ""
    return page(f"Lab {lab}: the class" if lab else "The class", _class_parts(grades, files, quick))


def _class_parts(grades: Sequence[Grade], files: Sequence[str], quick: bool) -> Iterator[Html]:
    summary = summarize(grades)
    if quick:
        yield tag("p", QUICK, class_="ungradable")
    seeds = ", ".join(sorted({str(grade.seed) for grade in grades}))
    protection = "; ".join(sorted({", ".join(one.protection) or "none" for one in grades if one.exercises})) or "none"
    facts = f"{counted(summary.students, 'submission')}, {summary.share:.0%} of the points. Seed {seeds or 'none'}."
    yield tag("p", f"{facts} Protection while their code ran: {protection}.", class_="quiet")
    yield tag("h2", "To talk about tomorrow")
    yield tag("ul", *(tag("li", line) for line in summary.talk))
    if summary.ungradable:
        yield tag("h2", "Could not be graded")
        rows = [(grade.student, grade.why_ungradable()) for grade in summary.ungradable]
        yield table("What could not be graded", ("student", "why"), rows)
    noted = [(grade.student, note) for grade in grades for note in grade.notes]
    if noted:
        yield tag("h2", "Noted while reading")
        yield table("Noted while reading", ("student", "what"), noted)
    yield tag("h2", "Who, and which exercise")
    yield _scores(grades, files, summary)
    yield tag("h2", "Exercises")
    counts = [
        (one.id, one.notebook, str(one.passed), str(one.failed), str(one.ungradable), f"{one.share:.0%}")
        for one in summary.exercises
    ]
    yield table("Exercises", ("exercise", "notebook", "pass", "fail", "ungradable", "points"), counts)
    yield from _often("Planted faults that survived", "packs", summary.survivors)
    yield from _often("Missed most often", "students", summary.missed)


def _scores(grades: Sequence[Grade], files: Sequence[str], summary: Summary) -> Html:
    ids = [one.id for one in summary.exercises]
    heads = [name.removeprefix(f"{grades[0].lab}.") for name in ids] if grades else []
    rows = []
    for grade, file in sorted(zip(grades, files, strict=True), key=lambda pair: pair[0].student.lower()):
        mine = {one.id: _worth(one.value, one.points, one.max_points) for one in grade.exercises}
        link = tag("a", grade.student, href=f"students/{quote(file)}.html")
        total = _worth(grade.value, grade.points, grade.max_points)
        rows.append((link, total, *(mine.get(name, "") for name in ids)))
    return table("Who, and which exercise", ("student", "in all", *heads), rows, "scores")


def _often(title: str, who: str, found: Sequence[Often]) -> Iterator[Html]:
    if found:
        yield tag("h2", title)
        rows = [(one.field or one.id, str(one.times), tag("code", one.code), one.told) for one in found]
        yield table(title, ("what", who, "code", "in words"), rows)


def student_page(grade: Grade) -> str:
    """Return the page for one student."""
    return page(f"Lab {grade.lab}: {grade.student}", _student_parts(grade))


def _student_parts(grade: Grade) -> Iterator[Html]:
    if grade.problem:
        yield tag("p", "Your submission could not be graded: ", grade.problem, class_="ungradable")
        return
    yield tag("p", f"{number(grade.points)} of {number(grade.max_points)} points.")
    first = next((one for one in grade.exercises if one.value != "pass"), None)
    next_step = f"Begin with {first.id} in {first.notebook}." if first else "Everything is done."
    yield tag("p", next_step)
    for exercise in grade.exercises:
        yield from _exercise(exercise)


def _exercise(one: Exercise) -> Iterator[Html]:
    yield tag("h3", f"{one.id}: ", _worth(one.value, one.points, one.max_points), f" {_TITLES[one.value]}")
    yield tag("p", ": ".join(filter(None, (one.notebook, one.note))), class_="quiet")
    wrong = [check for check in one.checks if check.value != "pass"]
    alike = Counter((check.field or check.id, check.code, check.told) for check in wrong)
    rows = [_told(*words, times) for words, times in alike.items()]
    shown = 0 if one.value == "pass" else _SHOWN
    if rows[:shown]:
        yield _to_mend("What to mend", rows[:shown])
    if rows[shown:]:
        title = "What your fixtures could notice besides" if one.value == "pass" else f"{len(rows) - shown} more"
        yield tag("details", tag("summary", title), _to_mend(title, rows[shown:]))


def _to_mend(title: str, rows: Sequence[Sequence[str | Html]]) -> Html:
    return table(title, ("field", "code", "what to do next"), rows)


def _told(field: str, code: str, told: str, times: int) -> tuple[str | Html, ...]:
    return field, tag("code", code), f"{told} ({times} times)" if times > 1 else told


def _worth(value: Value, points: float, max_points: float) -> Html:
    """Return what something came to, by a sign, a word for screen readers and the points: never by colour alone."""
    sign = tag("span", _SIGNS[value], role="img", aria_label=value, title=value)
    return tag("span", sign, f" {number(points)}/{number(max_points)}", class_=value)
