"""The first notebook of the results lab as a student works through it: red, red in one row, green, kept."""

from __future__ import annotations

from playwright.sync_api import expect

from gate.files import HOME
from gate.lab.derive import read_notebook
from tests.browser.lab import LabPage, LabServer

NOTEBOOK = "notebooks/results/01_validate_run_wrap.ipynb"


def test_a_student_turns_the_board_of_run_tool_from_red_to_green(lab: LabServer, page: LabPage) -> None:
    solution = read_notebook(HOME / "notebooks" / "solutions" / "results" / "01_validate_run_wrap.ipynb")["cells"]
    at = {cell["id"]: index for index, cell in enumerate(solution)}
    answer = solution[at["wrap-run-tool"]]["source"]
    notebook = page.open(lab.copy(NOTEBOOK))

    notebook.run_all()  # as it is handed out: nothing crashes, the reference helps on
    board = notebook.output(at["wrap-check"])
    kept = notebook.output(at["wrap-reference"])
    expect(board).to_contain_text("0 of 12 green")
    expect(board).to_contain_text("not written yet: run_tool")
    expect(kept).to_contain_text("run_tool: the reference, loaded")

    notebook.set_cell(at["wrap-run-tool"], answer.replace("(Exception, SystemExit)", "Exception"))
    notebook.run_cell(at["wrap-run-tool"])
    notebook.run_cell(at["wrap-check"])
    expect(board).to_contain_text("11 of 12 green, 1 red")
    expect(board).to_contain_text("raised SystemExit: 1")
    notebook.run_cell(at["wrap-reference"])
    expect(kept).to_contain_text("yours is my_run_tool (its board is red)")

    notebook.set_cell(at["wrap-run-tool"], answer)
    notebook.run_all()
    expect(board).to_contain_text("12 of 12 green")
    expect(kept).to_contain_text("run_tool: yours, kept (its board is green)")
    expect(notebook.output(at["wrap-one-each"])).to_contain_text("c4 error  inventory.lookup failed: KeyError.")
    assert lab.answers("boards")["results.wrap"]["red"] == []
    assert notebook.errors() == []
