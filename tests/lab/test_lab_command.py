"""Rules of `gate lab` in a shell: status, hint, derive and reset, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.cli import main
from gate.commands import lab
from gate.lab import board, check, derive
from gate.lab.derive import learner_path
from gate.results import validate_tool_result
from tests.lab.notebook_kit import make_kit


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small kit that the commands work on; return its one learner's copy."""
    solution = make_kit(tmp_path)
    monkeypatch.setattr(lab, "HOME", tmp_path)
    monkeypatch.setattr(derive, "HOME", tmp_path)
    monkeypatch.setattr(check.check, "__defaults__", (tmp_path,))
    monkeypatch.setattr(check.not_checked, "__defaults__", (tmp_path,))
    monkeypatch.setattr(derive.solution_paths, "__defaults__", (tmp_path,))
    return learner_path(solution)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["lab", *words])
    return code, capsys.readouterr().out


def test_status_shows_each_board_and_its_first_red_row(capsys: pytest.CaptureFixture[str]) -> None:
    board("memory.by_hand", validate_tool_result)
    board("memory.validate", ...)
    code, out = said(capsys, "status")
    assert code == 0 and "not run" in out
    by_hand = next(line.split("│") for line in out.splitlines() if "memory.by_hand" in line)
    assert [text.strip() for text in by_hand[2:]] == ["green", "6 of 6", ""]
    code, out = said(capsys, "status", "--json")
    rows = {row["board"]: row for row in json.loads(out)}
    assert code == 0 and rows["memory.validate"]["state"] == "red" and rows["memory.validate"]["red"][0] == "valid"


def test_hint_shows_one_of_three(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "hint", "memory.by_hand") == said(capsys, "hint", "memory.by_hand", "1")
    code, out = said(capsys, "hint", "memory.by_hand", "3", "--json")
    assert code == 0 and json.loads(out)["level"] == 3
    assert main(["lab", "hint", "memory.by_hand", "9"]) == 2
    assert "ask for 1, 2 or 3" in capsys.readouterr().err


def test_derive_says_what_it_wrote(kit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit.unlink()
    code, out = said(capsys, "derive")
    assert code == 0 and out.splitlines() == [
        "notebooks/memory/03_fail_closed.ipynb: written",
        "1 solution; learner's copies written: 1, the others were up to date.",
    ]
    assert json.loads(said(capsys, "derive", "--json")[1]) == {"executed": [], "written": []}


def test_derive_keeps_answers_that_were_written_but_never_run_and_says_where(
    kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered = kit.read_text(encoding="utf-8").replace("raise NotImplementedError", "return gate(tool, payload)  #")
    kit.write_text(answered, encoding="utf-8")
    code, out = said(capsys, "derive")
    assert code == 0 and out.startswith(
        "notebooks/memory/03_fail_closed.ipynb: written; "
        "somebody had worked in the one before, which is kept as 03_fail_closed.kept-1.ipynb\n"
    )
    assert kit.with_name("03_fail_closed.kept-1.ipynb").read_text(encoding="utf-8") == answered


def test_check_says_in_one_line_what_somebody_worked_in(kit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "somebody" not in said(capsys, "check", "--quick")[1]
    kit.write_text(kit.read_text(encoding="utf-8").replace("Write it.", "Written."), encoding="utf-8")
    assert said(capsys, "check", "--quick") == (
        0,
        "somebody worked in memory/03_fail_closed: not checked; "
        "gate lab reset gives a fresh copy, and keeps yours beside.\n"
        "All notebooks and boards are fit to teach.\n",
    )


def test_reset_keeps_the_students_notebook_beside(kit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit.write_text("{}", encoding="utf-8")
    code, out = said(capsys, "reset", "memory/03")
    assert (code, out) == (
        0, "notebooks/memory/03_fail_closed.ipynb: restored; yours is kept as 03_fail_closed.kept-1.ipynb\n"
    )  # fmt: skip
    assert kit.with_name("03_fail_closed.kept-1.ipynb").read_text(encoding="utf-8") == "{}"
    kit.unlink()
    assert json.loads(said(capsys, "reset", "--json")[1]) == [
        {"path": "notebooks/memory/03_fail_closed.ipynb", "kept": None}
    ]
    assert said(capsys, "reset", "memory") == (0, "Nothing to restore: the notebooks are as they were handed out.\n")


def test_a_name_that_is_no_notebook_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "reset", "nothing"]) == 2
    assert capsys.readouterr().err.startswith('gate: no notebook is named "nothing". Next: write memory/03')
