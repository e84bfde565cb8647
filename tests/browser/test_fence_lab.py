"""The fence of notebook 02 in a real kernel: the forgotten lock is found, the mended one is green, the kit's holds."""

from __future__ import annotations

from playwright.sync_api import expect

from gate.files import HOME
from gate.lab.derive import read_notebook
from tests.browser.lab import LabPage, LabServer

NOTEBOOK = "notebooks/fence/02_one_key_one_mutation.ipynb"


def test_a_student_finds_the_lock_that_was_forgotten(lab: LabServer, page: LabPage) -> None:
    solution = read_notebook(HOME / "notebooks" / "solutions" / "fence" / "02_one_key_one_mutation.ipynb")["cells"]
    at = {cell["id"]: index for index, cell in enumerate(solution)}
    mended = solution[at["key-mended"]]["source"]
    notebook = page.open(lab.copy(NOTEBOOK))
    board = notebook.output(at["key-check-mended"])

    notebook.set_cell(at["key-first"], solution[at["key-first"]]["source"])
    notebook.set_cell(at["key-mended"], mended.replace("with self.lock:", "if True:"))
    notebook.run_all()
    expect(notebook.output(at["key-trial-first"])).to_contain_text("3 of 11 green, 8 red")
    expect(notebook.output(at["key-lost-write"])).to_contain_text("{'ok': True, 'result': None} what happened: []")
    expect(board).to_contain_text("7 of 8 green, 1 red")
    expect(board).to_contain_text("the tool acted 2 times: the second call came between two lines of the first")
    expect(notebook.output(at["key-kit"])).to_contain_text("11 of 11 green")

    notebook.set_cell(at["key-mended"], mended)
    for cell in ("key-mended", "key-check-mended", "key-reference-mended", "key-trial-mended"):
        notebook.run_cell(at[cell])
    expect(board).to_contain_text("8 of 8 green")
    expect(notebook.output(at["key-reference-mended"])).to_contain_text("MendedFence: yours, kept")
    expect(notebook.output(at["key-trial-mended"])).to_contain_text("('restart', 'fresh-key', 'second-create')")
    assert lab.answers("boards")["fence.mended"]["red"] == []
    assert notebook.errors() == []
