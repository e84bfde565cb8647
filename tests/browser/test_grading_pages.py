"""A grader goes through the class page and a student's page by keyboard, in the dark."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from gate.grading.report_html import class_page, student_page
from gate.grading.saved import file_names
from gate.grading.words import Submitted
from tests.grading.class_kit import small_class


def test_the_pages_work_in_a_browser_by_keyboard_and_in_the_dark(tmp_path: Path, browser: Browser) -> None:
    grades = small_class()
    files = file_names([Submitted(grade.student, "") for grade in grades])
    (tmp_path / "students").mkdir()
    (tmp_path / "class.html").write_text(class_page(grades, files), encoding="utf-8")
    for grade, file in zip(grades, files, strict=True):
        (tmp_path / "students" / f"{file}.html").write_text(student_page(grade), encoding="utf-8")
    page = browser.new_page(color_scheme="dark")
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    page.goto((tmp_path / "class.html").as_uri())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(24, 24, 24)"
    page.get_by_role("link", name="bob & <b>co</b>").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/students/*.html")
    assert page.get_by_role("heading", level=1).inner_text() == "Lab memory: bob & <b>co</b>"
    page.locator("summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("fills in what is missing").is_visible()
    page.close()
    assert trouble == []
