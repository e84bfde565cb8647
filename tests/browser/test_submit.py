"""The button at the end of a lab in a real JupyterLab, by keyboard alone."""

from __future__ import annotations

import json
import zipfile

from playwright.sync_api import expect

from tests.browser.lab import LabPage, LabServer


def test_a_student_hands_in_by_keyboard(lab: LabServer, page: LabPage) -> None:
    notebook = page.open(lab.notebook("mine.ipynb", ["from gate.lab import submit", 'submit("memory")']))
    notebook.run_all()
    shown = notebook.output(1)
    shown.get_by_placeholder("who hands this in").focus()
    page.page.keyboard.type("dd ada and bob")  # d d would delete the cell, were it taken for a command
    page.page.keyboard.press("Tab")
    expect(shown.get_by_role("button", name="Pack my answers")).to_be_focused()
    page.page.keyboard.press("Enter")
    expect(shown).to_contain_text("submission-memory.zip: 6 files, ")
    expect(shown).to_contain_text("the answer cell freeze-choose is as it was handed out")
    assert notebook.errors() == [] and page.outside == []
    with zipfile.ZipFile(lab.work / "submission-memory.zip") as bundle:
        assert json.loads(bundle.read("manifest.json"))["pair"] == "dd ada and bob"
