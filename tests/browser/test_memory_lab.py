"""A student works through the memory lab in a real JupyterLab, in the notebooks as they are handed out."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, expect

from gate.files import HOME
from gate.lab.check import all_pairs
from gate.lab.derive import read_notebook
from tests.browser.lab import LabPage, LabServer, Notebook
from tests.browser.table_form import (
    choice,
    expect_answers,
    fill_by_keyboard,
    fill_by_mouse,
    reason,
    saved_rows,
    status,
)
from tests.browser.waiting import expect_ticks

PAIRS = {pair.learner.stem: pair for pair in all_pairs() if pair.lab == "memory"}
CONTRACT, GATE = "02_freeze_the_contract", "03_fail_closed"  # these begin with the same pass, in tests of their own
BY_MOUSE = {"row-1": ("allow", "as agreed"), "row-2": ("block", "nobody sent it"), "row-3": ("block", "no default")}
BY_KEYBOARD = {"row-4": ("repair", "a text"), "row-5": ("block", "no contract"), "row-6": ("block", "not on the list")}
ANSWERS = {**BY_MOUSE, **BY_KEYBOARD}
ENDLESS = '''\
def validate_by_hand(tool, payload):
    """Return a copy of a result."""
    while tool == "inventory.guess":
        pass
    return dict(payload)'''


def handed_out(lab: LabServer, page: LabPage, name: str) -> Notebook:
    """Open a notebook and run all of it with nothing written: nothing in it may fail."""
    notebook = page.open(lab.copy(PAIRS[name].learner.relative_to(HOME).as_posix()))
    notebook.run_all()
    assert notebook.errors() == []
    return notebook


def shown(notebook: Notebook, cell_id: str) -> Locator:
    return notebook.output(notebook.at(cell_id))


def run(notebook: Notebook, cell_id: str) -> Locator:
    """Run a cell and return what it shows."""
    notebook.run_cell(notebook.at(cell_id))
    return shown(notebook, cell_id)


def write(notebook: Notebook, cell_id: str, source: str) -> None:
    """Type an answer, run it, and run the check below it."""
    notebook.type_cell(notebook.at(cell_id), source)
    notebook.press_run()


def solved(name: str, cell_id: str) -> str:
    """Return what stands in a cell of the solution."""
    [source] = [cell["source"] for cell in read_notebook(PAIRS[name].solution)["cells"] if cell["id"] == cell_id]
    return str(source)


def timer(notebook: Notebook) -> Locator:
    return shown(notebook, "start").get_by_role("timer")


def expect_running(notebook: Notebook) -> None:
    """Wait until the clock shows that it was started and goes on."""
    expect(shown(notebook, "start").get_by_role("button", name="Pause")).to_be_visible()
    expect(timer(notebook)).not_to_have_text("15:00 left")


@pytest.mark.parametrize("name", sorted(PAIRS.keys() - {CONTRACT, GATE}))
def test_a_notebook_runs_as_it_is_handed_out_and_asks_nobody_outside(name: str, lab: LabServer, page: LabPage) -> None:
    notebook = handed_out(lab, page, name)
    expect(notebook.page.locator(".gate-clock")).to_be_visible()
    expect(notebook.page.get_by_text("not written yet").first).to_be_visible()


def test_a_pair_decides_finds_its_table_again_and_freezes_a_contract(lab: LabServer, page: LabPage) -> None:
    notebook = handed_out(lab, page, CONTRACT)
    _decide(lab, notebook)
    _find_again(lab, notebook)
    _compare(lab, notebook)
    _close_the_schema(lab, notebook)
    _freeze_the_contract(notebook)
    assert notebook.errors() == []


def _decide(lab: LabServer, notebook: Notebook) -> None:
    shown(notebook, "start").get_by_role("button", name="Start", exact=True).click()
    rows = shown(notebook, "freeze-table")
    expect(status(rows)).to_contain_text("0 of 6 rows decided")
    fill_by_mouse(rows, BY_MOUSE)
    notebook.page.keyboard.press("Tab")
    fill_by_keyboard(rows, BY_KEYBOARD)
    expect(status(rows)).to_have_text("6 of 6 rows decided. Saved.")
    assert saved_rows(lab) == ANSWERS


def _find_again(lab: LabServer, notebook: Notebook) -> None:
    """The table and the running clock are there after a reload of the page, and after a restart of the kernel."""
    notebook.reload()
    expect_answers(shown(notebook, "freeze-table"), ANSWERS)
    expect_running(notebook)
    notebook.restart_kernel()
    run(notebook, "start")
    expect_running(notebook)
    rows = run(notebook, "freeze-table")
    expect_answers(rows, ANSWERS)
    rows.get_by_role("button", name="Freeze", exact=True).click()
    expect(status(rows)).to_contain_text("Frozen: ")
    expect(choice(rows, "row-1")).to_be_disabled()
    expect(reason(rows, "row-1")).to_be_disabled()
    assert [event["what"] for event in lab.answers("table-memory")["history"]] == ["freeze"]


def _compare(lab: LabServer, notebook: Notebook) -> None:
    """Another pair's table, uploaded beside the notebook, is compared with this one."""
    expect(shown(notebook, "freeze-compare-pairs")).to_contain_text("no theirs.json here yet")
    theirs = lab.answers("table-memory")
    theirs["rows"]["row-6"].update(choice="allow", reason="it is a city")
    uploaded = lab.folder / "notebooks" / "memory" / "theirs.json"
    uploaded.write_text(json.dumps(theirs), encoding="utf-8")
    told = run(notebook, "freeze-compare-pairs")
    expect(told).to_contain_text("the two pairs differ on 1 of 6 rows.")
    expect(told).to_contain_text("mine say block (not on the list); theirs say allow (it is a city)")
    uploaded.unlink()


def _close_the_schema(lab: LabServer, notebook: Notebook) -> None:
    board = shown(notebook, "freeze-check-schema")
    expect(board).to_contain_text("0 of 19 green")
    run(notebook, "freeze-loose-schema")
    write(notebook, "freeze-schema", "schema = loose")
    expect(board).to_contain_text("6 of 19 green, 13 red")
    expect(board.locator("tbody tr").first).to_contain_text("unknown fields would pass")
    write(notebook, "freeze-schema", solved(CONTRACT, "freeze-schema"))
    expect(board).to_contain_text("19 of 19 green")
    assert lab.answers("boards")["memory.contract"]["red"] == []
    expect(run(notebook, "freeze-reference")).to_contain_text("schema: yours, kept (its board is green)")


def _freeze_the_contract(notebook: Notebook) -> None:
    """A changed contract with the old lock starts nothing; table and tests agree, and what both refuse is a talk."""
    expect(run(notebook, "freeze-lock")).to_contain_text("version='1', state='new'")
    expect(run(notebook, "freeze-load")).to_contain_text("inventory.lookup.output version 1 sha256")
    expect(run(notebook, "freeze-change")).to_contain_text("changed since it was frozen")
    expect(run(notebook, "freeze-again")).to_contain_text("version='2', state='changed'")
    told = run(notebook, "freeze-table-against-tests")
    expect(told).to_contain_text("table and tests agree on all 6 rows.")
    expect(told).to_contain_text("row-4 (quantity as text): your table says repair, the tests say block.")


def test_a_student_sees_the_boards_go_from_red_to_green_and_an_endless_loop_end(lab: LabServer, page: LabPage) -> None:
    notebook = handed_out(lab, page, GATE)
    by_hand, gate = shown(notebook, "closed-check-by-hand"), shown(notebook, "closed-check-gate")
    expect(by_hand).to_contain_text("0 of 6 green, 6 red")
    expect(gate).to_contain_text("0 of 35 green, 35 red")

    write(notebook, "closed-by-hand", ENDLESS)
    notebook.type_cell(notebook.at("closed-hint-by-hand"), 'hint("memory.by_hand", 2)')  # waits for its turn
    expect(by_hand).to_contain_text("1 of 6 green, 5 red")
    expect(by_hand.get_by_role("row", name="unknown-tool")).to_contain_text("did not end within 2 seconds")
    expect(shown(notebook, "closed-hint-by-hand")).to_contain_text("Hint 2 of 3")

    write(notebook, "closed-by-hand", solved(GATE, "closed-by-hand"))
    expect(by_hand).to_contain_text("6 of 6 green")
    write(notebook, "closed-gate", solved(GATE, "closed-gate"))
    expect(gate).to_contain_text("35 of 35 green")
    boards = lab.answers("boards")
    assert boards["memory.by_hand"]["red"] == boards["memory.validate"]["red"] == []
    _the_clock_ticks_while_a_cell_runs(lab, notebook)
    assert notebook.errors() == []


def _the_clock_ticks_while_a_cell_runs(lab: LabServer, notebook: Notebook) -> None:
    expect(timer(notebook)).to_have_text("20:00 left")
    shown(notebook, "start").get_by_role("button", name="Start", exact=True).click()
    notebook.type_cell(notebook.at("closed-nan"), lab.wait_for_file("go"))
    notebook.wait_until_busy()
    expect_ticks(timer(notebook))
    assert notebook.busy()
    lab.make_file("go")
    notebook.wait_until_idle()
