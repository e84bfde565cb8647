"""The load: what a notebook asks for is counted, and fits its slot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.cli import main
from gate.lab.load import SHARE, Load, loads


def _kit(home: Path, cells: list[tuple[str, str]]) -> Path:
    """Make a kit with one notebook of ten minutes."""
    section = {"id": "01_one", "title": "One", "start": 0, "end": 10, "notebook": "notebooks/memory/01_one.ipynb"}
    lab = {"id": "memory", "title": "A lab", "minutes": 10, "sections": [section | {"next": "home", "cut_first": "it"}]}
    solutions = home / "notebooks" / "solutions" / "memory"
    solutions.mkdir(parents=True)
    (home / "data").mkdir()
    (home / "data" / "labs.json").write_text(json.dumps({"labs": [lab]}), encoding="utf-8")
    made = [{"cell_type": kind, "id": f"c{number}", "source": text} for number, (kind, text) in enumerate(cells)]
    (solutions / "01_one.ipynb").write_text(json.dumps({"cells": made}), encoding="utf-8")
    return home


def test_counts_words_lines_read_and_lines_written(tmp_path: Path) -> None:
    cells = [
        ("markdown", "## One (0-10)\n\nRead *this*, don't skip."),
        ("code", "import json\n\ndef twice(n):\n    # solution\n    m = n * 2\n\n    return m"),
    ]
    found = loads(_kit(tmp_path, cells))
    assert found == [Load("memory/01_one", words=6, read=3, written=2, rows=0, slot=10)]
    assert found[0].minutes == pytest.approx(6 / 200 + 3 / 25 + 2 / 4)


def test_counts_the_rows_of_a_table_where_they_are_decided_and_not_twice(tmp_path: Path) -> None:
    chosen = '# solution\nrows.choose("row-1", "allow", "why")'
    decided = loads(_kit(tmp_path / "a", [("code", 'rows = table("memory")'), ("code", chosen)]))
    shown = loads(_kit(tmp_path / "b", [("code", 'rows = table("memory")')]))
    assert [(one.rows, one.written) for one in (*decided, *shown)] == [(6, 0), (0, 0)]


def test_every_notebook_of_the_kit_fits_its_slot(capsys: pytest.CaptureFixture[str]) -> None:
    assert [one.notebook for one in loads() if one.share > SHARE] == []
    assert main(["lab", "load"]) == 0
    assert "Every notebook needs at most 80% of its slot." in capsys.readouterr().out


def test_names_a_notebook_that_asks_for_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heavy = loads(_kit(tmp_path, [("markdown", "word " * 1700)]))
    monkeypatch.setattr("gate.lab.load.loads", lambda: heavy)
    assert main(["lab", "load"]) == 1
    assert "Too much for its slot: memory/01_one. Next: cut" in capsys.readouterr().out
