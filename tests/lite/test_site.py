"""A student works through the memory lab in a browser alone: nothing installed, nothing asked of any other place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, expect

from gate.grading.collect import collect
from gate.lab.check import all_pairs
from gate.lab.derive import read_notebook
from lite.serve import Server
from tests.browser.notebook import Notebook
from tests.browser.table_form import choice, expect_answers, fill_by_keyboard
from tests.browser.waiting import expect_ticks
from tests.lite.site_page import NO_HTTPS, SECONDS, SitePage
from tests.waiting import wait_until

PAIRS = {pair.learner.stem[:2]: pair for pair in all_pairs() if pair.lab == "memory"}
WRITTEN = "leak-invented-keys"
ANSWERS = {"row-1": ("allow", "as agreed"), "row-2": ("block", "nobody sent it")}
ENDLESS = '''\
def validate_by_hand(tool, payload):
    """Return a copy of a result."""
    while tool == "inventory.guess":
        pass
    return dict(payload)'''
# Python 3.14 says this in more words than the Python that the stored outputs come from.
_NEWER = "cannot use 'dict' as a set element (unhashable type: 'dict')"


def handed_out(page: SitePage, number: str) -> Notebook:
    name = PAIRS[number].learner.name
    return page.open(f"notebooks/memory/{name}")


def said(cells: list[dict[str, Any]]) -> dict[str, list[tuple[str, str]]]:
    """Return what each cell shows as plain text, by its id."""
    return {cell["id"]: [_plain(one) for one in cell.get("outputs", [])] for cell in cells}


def _plain(output: dict[str, Any]) -> tuple[str, str]:
    text = output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", "")
    return output["output_type"], "".join(text).replace(_NEWER, "unhashable type: 'dict'")


def shown(notebook: Notebook, cell_id: str) -> Locator:
    """Run the first cell and this one, and return what it shows."""
    for one in ("start", cell_id):
        notebook.run_cell(notebook.at(one))
    return notebook.output(notebook.at(cell_id))


def answered(page: SitePage) -> dict[str, tuple[str, str]]:
    """Return the choice and reason of each row of the table that the browser keeps."""
    rows = page.read("work/table-memory.json").get("rows", {})
    return {name: (row["choice"], row["reason"]) for name, row in rows.items() if row["choice"]}


def solved(number: str, cell_id: str) -> str:
    """Return what stands in a cell of the solution."""
    [source] = [cell["source"] for cell in read_notebook(PAIRS[number].solution)["cells"] if cell["id"] == cell_id]
    return str(source)


def solve(notebook: Notebook, number: str) -> list[dict[str, Any]]:
    """Write the solution into the learner's cells and run them all; return the solution's cells."""
    cells: list[dict[str, Any]] = read_notebook(PAIRS[number].solution)["cells"]
    for index, cell in enumerate(cells):
        notebook.set_cell(index, cell["source"])
    notebook.run_all()
    return cells


def test_the_whole_lab_says_in_the_browser_what_it_says_on_a_machine(page: SitePage) -> None:
    page.first()
    for number, pair in PAIRS.items():
        page.close_all()
        notebook = handed_out(page, number)
        stored = solve(notebook, number)
        notebook.save()
        assert said(page.read(f"notebooks/memory/{pair.learner.name}")["cells"]) == said(stored)
    green = {name: board["red"] for name, board in page.read("work/boards.json").items() if name != "version"}
    assert len(green) >= 6 and not any(green.values())


def test_a_student_fills_rows_reloads_and_hands_in(page: SitePage, tmp_path: Path) -> None:
    notebook = page.first()
    notebook.run_all()
    assert notebook.errors() == []
    clock = notebook.output(notebook.at("start"))
    clock.get_by_role("button", name="Start", exact=True).click()
    expect(clock.get_by_role("button", name="Pause")).to_be_visible()
    expect_ticks(clock.get_by_role("timer"))
    notebook.set_cell(notebook.at(WRITTEN), solved("01", WRITTEN))
    notebook.save()

    notebook = handed_out(page, "02")
    table = shown(notebook, "freeze-table")
    choice(table, "row-1").focus()
    fill_by_keyboard(table, ANSWERS)
    wait_until(lambda: answered(page) == ANSWERS, SECONDS)
    notebook.reload()  # the kernel is gone with the page; what it saved is not
    expect_answers(shown(notebook, "freeze-table"), ANSWERS)

    swapped = page.download("work/table-memory.json", tmp_path / "theirs.json")
    assert json.loads(swapped.read_text(encoding="utf-8"))["rows"]["row-1"]["reason"] == "as agreed"

    shown(handed_out(page, "05"), "replay-submit").get_by_role("button", name="Pack my answers").click()
    wait_until(lambda: page.has("work/submission-memory.zip"), SECONDS)
    [submitted] = collect(page.download("work/submission-memory.zip", tmp_path / "ann.zip"))
    assert submitted.problem == ""
    assert submitted.cells["memory/01_reproduce_the_leak"][WRITTEN] == solved("01", WRITTEN)
    rows = submitted.work["table-memory.json"]["rows"]
    assert (rows["row-1"]["choice"], rows["row-2"]["reason"]) == ("allow", "nobody sent it")


def test_an_endless_loop_is_stopped(page: SitePage) -> None:
    page.first()
    notebook = handed_out(page, "03")
    for cell in ("start", "closed-contract"):
        notebook.run_cell(notebook.at(cell))
    notebook.set_cell(notebook.at("closed-by-hand"), ENDLESS)
    notebook.run_cell(notebook.at("closed-by-hand"))
    notebook.run_cell(notebook.at("closed-check-by-hand"))
    expect(notebook.output(notebook.at("closed-check-by-hand"))).to_contain_text("did not end within 8 seconds")


def test_where_the_browser_keeps_nothing_the_table_says_so(browser: Browser, server: Server) -> None:
    page = SitePage(browser, f"http://{NO_HTTPS}:{server.port}/")
    try:
        page.first()
        table = shown(handed_out(page, "02"), "freeze-table")
        choice(table, "row-1").select_option("allow")
        expect(table.locator(".gate-notes")).to_contain_text("Not saved: /nothing is kept without https")
    finally:
        page.close()
