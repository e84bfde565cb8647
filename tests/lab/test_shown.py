"""Clock and table in a notebook that nbval runs: what is stored compares equal, today and tomorrow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from gate.files import HOME
from gate.lab import clock, table

CELLS = {
    "from gate.lab import clock, table\nclock('memory', '02_freeze_the_contract')": "clock",
    "t = table('memory')\nfor row in t.rows:\n    t.choose(row.id, row.answer, 'as agreed')\nt": "table",
    "t.freeze()\nt": "frozen",
    "t.check_against({row.id: row.answer for row in t.rows})": "agreed",
    "t.missing()": "stored wrong",
}


def plain(bundle: dict[str, Any]) -> dict[str, Any]:
    return {kind: text for kind, text in bundle.items() if kind in ("text/plain", "text/html")}


def stored_outputs() -> dict[str, dict[str, Any]]:
    """What the solution notebook keeps: the plain forms, as they were another day."""
    mine = table("memory")
    for row in mine.rows:
        mine.choose(row.id, row.answer, "as agreed")
    shown = {"clock": plain(clock("memory", "02_freeze_the_contract")._repr_mimebundle_())}
    shown["table"] = plain(mine._repr_mimebundle_())
    mine.freeze()
    shown["frozen"] = plain(mine._repr_mimebundle_())
    agreed = "table and tests agree on all 6 rows."
    shown["agreed"] = {"text/plain": agreed, "text/html": f"<p>{agreed}</p>"}
    shown["stored wrong"] = {"text/plain": "('row-1',)"}
    return shown


def write_notebook(outputs: dict[str, dict[str, Any]], path: Path) -> None:
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, (source, name) in enumerate(CELLS.items(), 1):
        result = nbformat.v4.new_output("execute_result", outputs[name], execution_count=number)
        book.cells.append(nbformat.v4.new_code_cell(source, execution_count=number, outputs=[result]))
    nbformat.write(book, path)


def run_nbval(folder: Path, work: Path) -> str:
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "--nbval-cell-timeout=60", "-q"]
    command += ["-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={folder}"]
    env = {**os.environ, "GATE_WORK": str(work), "PYTHONPATH": str(HOME)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_nbval_compares_stored_outputs_equal_and_notices_another_table(tmp_path: Path) -> None:
    write_notebook(stored_outputs(), tmp_path / "shown.ipynb")
    said = run_nbval(tmp_path, tmp_path / "fresh")
    assert "1 failed, 4 passed" in said
    assert "FAILED shown.ipynb::Cell 4" in said  # the one that was stored wrong
    saved = json.loads((tmp_path / "fresh" / "table-memory.json").read_text(encoding="utf-8"))
    assert [event["what"] for event in saved["history"]] == ["freeze"]


@pytest.mark.parametrize("module", ["anywidget", "ipywidgets", "filelock", "jsonschema"])
def test_the_first_cell_s_import_loads_nothing_heavy(module: str) -> None:
    code = f"import gate.lab, sys; print({module!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
