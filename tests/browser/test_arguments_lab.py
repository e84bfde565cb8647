"""A student works through notebook 03 of the arguments lab in a real JupyterLab: red, a little less red, green."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from gate.registry import load_contracts
from tests.browser.lab import LabPage, LabServer, Notebook

SCHEMA = {
    "type": "object",
    "required": ["order_id", "amount", "currency", "reason"],
    "properties": {
        "order_id": {"type": "string", "pattern": "^ord_[0-9]{4}$"},
        "amount": {"type": "number", "exclusiveMinimum": 0},
        "currency": {"enum": ["USD", "EUR", "GBP"]},
        "reason": {"type": "string", "minLength": 8, "maxLength": 240},
    },
}
CARELESS = """
def schema_gate(raw):
    call = json.loads(raw) if isinstance(raw, str) else raw
    return "allow" if set(call) == set(schema["properties"]) else "block"
"""
GATE = """
from gate import Contract

def schema_gate(raw):
    return Contract.from_schema(schema, tool="refund_order").judge(raw)
"""


@pytest.fixture
def notebook(lab: LabServer, page: LabPage) -> Notebook:
    """Notebook 03 as it is handed out, its first cell run."""
    opened = page.open(lab.copy("notebooks/arguments/03_schema_gate.ipynb"))
    opened.run_cell(cell(opened, "clock("))
    return opened


def cell(notebook: Notebook, part: str) -> int:
    """Return the number of the one cell that holds this text."""
    [found] = [index for index, source in enumerate(notebook.sources()) if part in source]
    return found


def run(notebook: Notebook, part: str) -> Locator:
    """Run a cell and return what it shows."""
    index = cell(notebook, part)
    notebook.run_cell(index)
    return notebook.output(index)


def write(notebook: Notebook, part: str, answer: str) -> int:
    """Write an answer into an exercise cell, run it, and return its number."""
    index = cell(notebook, part)
    notebook.set_cell(index, answer)
    notebook.run_cell(index)
    return index


def rewrite(notebook: Notebook, index: int, answer: str) -> None:
    """Write a better answer into a cell and run it."""
    notebook.set_cell(index, answer)
    notebook.run_cell(index)


def first_red(shown: Locator) -> Locator:
    return shown.locator("tbody tr").first


def test_a_student_sees_the_board_of_the_schema_go_from_red_to_green(lab: LabServer, notebook: Notebook) -> None:
    check = 'board("arguments.schema", schema)'
    run(notebook, "# your turn: schema")
    shown = run(notebook, check)
    expect(shown).to_contain_text("arguments.schema, what your schema lets through: 0 of 24 green")
    expect(first_red(shown)).to_contain_text("not written yet: this exercise")

    mine = write(notebook, "# your turn: schema", f"schema = {SCHEMA!r}")
    shown = run(notebook, check)
    expect(shown).to_contain_text("17 of 24 green, 7 red")
    expect(first_red(shown)).to_contain_text("the contract is open: unknown fields would pass")

    closed = {**SCHEMA, "additionalProperties": False}
    rewrite(notebook, mine, f"schema = {closed!r}")
    shown = run(notebook, check)
    expect(shown).to_contain_text("19 of 24 green, 5 red")
    expect(first_red(shown)).to_contain_text("Nothing is left without bounds")

    contract = load_contracts().input("refund_order")
    assert contract is not None
    rewrite(notebook, mine, f"schema = {dict(contract.schema)!r}")
    expect(run(notebook, check)).to_contain_text("24 of 24 green")
    assert lab.answers("boards")["arguments.schema"]["red"] == []


def test_a_student_sees_the_board_of_the_gate_go_from_red_to_green(lab: LabServer, notebook: Notebook) -> None:
    check = 'board("arguments.schema_gate", schema_gate)'
    run(notebook, "# your turn: schema")
    expect(run(notebook, 'reference("arguments", "03", "schema")')).to_contain_text("schema: the reference, loaded")
    run(notebook, "def library_gate")
    shown = run(notebook, 'board("arguments.schema_gate", library_gate, trial=True)')
    expect(shown).to_contain_text("27 of 34 green, 7 red")
    expect(first_red(shown)).to_contain_text("NaN")

    mine = write(notebook, "def schema_gate", CARELESS)
    shown = run(notebook, check)
    expect(shown).to_contain_text("raised JSONDecodeError")
    expect(first_red(shown)).to_contain_text("1900 is refused.")
    assert "amount-1900" in lab.answers("boards")["arguments.schema_gate"]["red"]

    rewrite(notebook, mine, GATE)
    expect(run(notebook, check)).to_contain_text("34 of 34 green")
    assert lab.answers("boards")["arguments.schema_gate"]["red"] == []
    expect(run(notebook, 'reference("arguments", "03")  #')).to_contain_text("schema_gate: yours, kept (its board is")
    expect(run(notebook, "refused(schema_gate, call)")).to_contain_text("amount must be at most 500")
    expect(run(notebook, "allowed(schema_gate")).to_contain_text('"amount": 190.0')
    expect(run(notebook, "load_calls")).to_contain_text("t10 stops for schema.range a person said: schema")
    assert notebook.errors() == []
