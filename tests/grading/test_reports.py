"""Rules of the reports: they say what the grades say, hold what anyone wrote as text only, and give no answer away."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gate.grading.report_csv import as_csv
from gate.grading.report_html import class_page, student_page
from gate.grading.report_junit import as_junit
from gate.grading.saved import file_names, save_grade, saved_grade
from gate.grading.summary import summarize
from gate.grading.words import Check, Exercise, Grade, Submitted
from tests.grading.class_kit import EVIL, small_class

GRADES = small_class()
FILES = file_names([Submitted(grade.student, "") for grade in GRADES])


class Seen(HTMLParser):
    """What a page holds: its tags, its text, its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


def rows() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(GRADES))))


def test_the_csv_has_nbgraders_columns_first_and_the_points_of_each_exercise_last() -> None:
    assert list(rows()[0]) == [
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
        "late_submission_penalty", "score", "max_score", "value", "problem", "table.memory", "memory.validate",
        "pack.inventory.lookup",
    ]  # fmt: skip
    ada, bob = rows()[:2]
    assert (ada["assignment"], ada["student_id"], ada["score"], ada["max_score"]) == ("memory", "ada", "10", "10")
    assert (bob["table.memory"], bob["memory.validate"], bob["score"], bob["value"]) == ("2.5", "2", "7.5", "fail")


def test_the_csv_gives_a_spreadsheet_no_formula() -> None:
    assert [row["student_id"] for row in rows()][3] == f"'={EVIL}"


def test_junit_counts_failures_and_errors_and_skips_nothing() -> None:
    suites = {suite.get("name"): suite for suite in ET.fromstring(as_junit(GRADES))}
    counts = {name: (suite.get("tests"), suite.get("failures"), suite.get("errors")) for name, suite in suites.items()}
    assert counts["memory: ada"] == ("3", "0", "0")
    assert counts["memory: empty"] == ("3", "3", "0")
    assert counts["memory: zoe"] == ("1", "0", "1")
    assert counts["memory: =<script>alert(1)</script>?[2J"] == ("3", "2", "1")
    assert {suite.get("skipped") for suite in suites.values()} == {"0"}
    assert "row-2: extra key: you chose allow" in (suites["memory: bob & <b>co</b>"].findtext(".//failure") or "")


def test_junit_is_xml_whatever_a_student_wrote() -> None:
    assert "\x1b" not in as_junit(GRADES) and "<script>" not in as_junit(GRADES)


def test_the_class_page_says_who_what_and_what_to_talk_about() -> None:
    seen = Seen(class_page(GRADES, FILES))
    for said in (
        "5 submissions", "Seed 7", "no network, own process", "zoe", "the zip holds a link",
        "pack.inventory.lookup (memory/05_replay_fixtures) earned 50% of its points: do it again together.",
        "The planted fault /properties/quantity/maximum survived 3 of 3 packs.", "✗", "2.5/3",
    ):  # fmt: skip
        assert said in seen.text, said
    assert seen.links == [f"students/{FILES[n]}.html" for n in (3, 0, 1, 2, 4)]


def test_an_answer_that_was_refused_is_told_with_its_reason_wherever_it_is_named() -> None:
    told = "a schema is written out, without open. Next: write it as one literal."
    check = Check("memory.contract/answer", "ungradable", "answer.fetched", "schema", told)
    one = Exercise("memory.contract", "memory/02", "ungradable", 0, 3, (check,), "The answer was not run.")
    mine = Grade("dora", "memory", 7, "ungradable", (one,))
    assert mine.why_ungradable() == f"memory.contract: {told}"
    assert all(told in text for text in (as_csv([mine]), class_page([mine], ["dora"]), student_page(mine)))


def test_what_most_missed_comes_first() -> None:
    summary = summarize(GRADES)
    assert [(one.field, one.times) for one in summary.missed[:2]] == [("quantity", 3), ("row-2", 2)]
    assert summary.missed[1].told.startswith("extra key: you chose allow")
    assert summary.survivors[0].times == 3 and {one.code for one in summary.survivors} == {"pack.survivor"}
    assert [(one.id, one.passed, one.failed, one.ungradable) for one in summary.exercises] == [
        ("table.memory", 1, 3, 0), ("memory.validate", 1, 2, 1), ("pack.inventory.lookup", 2, 2, 0),
    ]  # fmt: skip


def test_a_reason_that_fails_many_checks_is_missed_once() -> None:
    told = "no cell that was handed in makes checked. Next: put it there."
    checks = tuple(Check(f"memory.validate/{n}", "fail", "probe.raised", "gate", told) for n in range(9))
    one = Exercise("memory.validate", "memory/03", "fail", 0, 4, checks)
    assert [(one.field, one.times) for one in summarize([Grade("a", "memory", 7, "fail", (one,))]).missed] == [
        ("gate", 1)
    ]


def test_the_summary_does_not_depend_on_the_order_of_the_grades() -> None:
    assert summarize(GRADES)._replace(ungradable=()) == summarize(GRADES[::-1])._replace(ungradable=())


def test_a_students_page_says_code_field_and_what_to_do_next_and_names_nobody_else() -> None:
    seen = Seen(student_page(GRADES[1]))
    for said in (
        "7.5 of 10 points",
        "Begin with table.memory in memory/02_freeze_the_contract.",
        "row-2",
        "table.choice",
    ):
        assert said in seen.text, said
    assert not {"ada", "zoe", "empty"} & set(seen.text.split())
    assert "details" in seen.tags and seen.links == []


@pytest.mark.parametrize("page", [class_page(GRADES, FILES), *map(student_page, GRADES)], ids=["class", *FILES])
def test_pages_hold_what_anyone_wrote_as_text_and_fetch_nothing(page: str) -> None:
    seen = Seen(page)
    assert {"script", "b", "img", "iframe", "link"} & set(seen.tags) == set()
    assert "\x1b" not in page and "default-src 'none'" in page
    assert all(link.startswith("students/") for link in seen.links)


def test_a_students_page_says_once_what_is_alike_and_folds_what_is_long() -> None:
    alike = [Check(f"gate/{n}", "fail", "probe.differs", "gate", "a text: it differs.") for n in range(3)]
    others = [Check(f"gate/x{n}", "fail", "probe.differs", "gate", f"kind {n}") for n in range(20)]
    exercise = Exercise("gate", "memory/03_fail_closed", "fail", 0, 4, (*alike, *others))
    page = student_page(Grade("ann", "memory", 7, "fail", (exercise,)))
    assert "a text: it differs. (3 times)" in page and page.count("<summary>9 more</summary>") == 1
    assert page.count("<tr>") == 2 + 21


def test_notes_on_a_submission_are_on_the_class_page_alone() -> None:
    noted = replace(GRADES[1], notes=("a file was changed after it was packed",))
    assert "a file was changed after" in class_page([noted], ["bob"]) and "changed after" not in student_page(noted)


def test_a_class_without_submissions_has_a_page_too() -> None:
    assert "Nothing was handed in." in class_page([], [])


@pytest.mark.parametrize("grade", GRADES, ids=lambda grade: ascii(grade.student))
def test_a_grade_comes_back_as_it_was_saved_and_only_under_its_key(tmp_path: Path, grade: object) -> None:
    path = tmp_path / "one.json"
    save_grade(path, "key", grade)  # type: ignore[arg-type]
    assert saved_grade(path, "key") == grade and saved_grade(path, "other") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": "key"}', '{"key": "key", "grade": {"student": 1}}'])
def test_a_damaged_file_counts_as_no_grade(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.json").write_text(text, encoding="utf-8")
    assert saved_grade(tmp_path / "one.json", "key") is None


def test_no_name_writes_outside_or_over_another() -> None:
    students = ["ada", "Ada", "../ada", "..", "con", "a" * 300, "ä", "", "x/y", "ada.", "lpt1.txt"]
    names = file_names([Submitted(student, f"{n}.zip") for n, student in enumerate(students)])
    assert len({name.lower() for name in names}) == len(students)
    assert all(name[0].isalnum() and len(name) < 80 and not set(name) & set('/\\:*?"<>|') for name in names)
    assert "con" not in names and "ada" not in names
