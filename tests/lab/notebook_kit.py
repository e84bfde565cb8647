"""Small kits with notebooks in them, for the tests of deriving, checking and handing in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from gate.files import HOME
from gate.lab.derive import as_text, derive, solution_paths
from gate.lab.first_cell import first_cell

SECTION = "03_fail_closed"
SOLVED = '''\
from gate import validate_tool_result as gate


def validate_by_hand(tool, payload):
    """Return the judged copy."""
    # solution: ask the gate
    return gate(tool, payload)'''


def markdown(cell_id: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source}


def code(cell_id: str, source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    """A code cell that counts as run."""
    cell = {"cell_type": "code", "id": cell_id, "metadata": {}, "source": source}
    return {**cell, "execution_count": 1, "outputs": list(outputs)}


def small_notebook(*more: dict[str, Any]) -> dict[str, Any]:
    """A notebook that is fit to teach: title, first cell, one exercise, its board, the last headings."""
    cells = [
        markdown("title", "# Fail closed"),
        code("start", first_cell("memory", SECTION, "board")),
        markdown("scene", "## Fail closed (0-45)\n\nWrite it."),
        code("write", SOLVED),
        code("try-it", 'board("memory.by_hand", validate_by_hand)'),
        *more,
        markdown("end", "### Keep\n\n- One thing.\n\n### What this does not prove\n\nMuch."),
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def save_solution(home: Path, notebook: dict[str, Any]) -> Path:
    path = home / "notebooks" / "solutions" / "memory" / f"{SECTION}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_text(notebook), encoding="utf-8")
    return path


def make_kit(home: Path, notebook: dict[str, Any] | None = None) -> Path:
    """A kit with one lab of one section, its board, its solution and the derived copy; return the solution."""
    data = json.loads((HOME / "data" / "labs.json").read_text(encoding="utf-8"))
    lab = next(lab for lab in data["labs"] if lab["id"] == "memory")
    section = next(section for section in lab["sections"] if section["id"] == SECTION)
    only = {"id": SECTION, "title": section["title"], "start": 0, "end": 45}
    lab.update(sections=[{**section, **only}], minutes=45)
    (home / "data" / "boards").mkdir(parents=True)
    (home / "data" / "labs.json").write_text(json.dumps({"labs": [lab]}), encoding="utf-8")
    shutil.copy(HOME / "data" / "boards" / "memory.by_hand.json", home / "data" / "boards")
    shutil.copytree(HOME / "schemas", home / "schemas")
    solution = save_solution(home, notebook or small_notebook())
    derive(solution_paths(home))
    return solution
