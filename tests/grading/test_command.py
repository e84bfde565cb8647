"""Rules of `gate grade`: from a folder of submissions to grades and reports, by one command that can be stopped."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gate.cli import main
from gate.files import HOME
from gate.grading.exercises import asked, sections
from gate.grading.grade import grade
from gate.grading.probes import cases
from gate.grading.report_html import student_page
from gate.grading.runner import NbvalRunner
from gate.grading.words import Submitted
from tests.grading.class_kit import perfect_work
from tests.grading.kit import perfect
from tests.waiting import wait_until

FENCE = {**perfect("fence")}
GATE = "memory.validate"
ONE = "fence/01_parse_once_reject_twice"


def hand_in(path: Path, cells: dict[str, dict[str, str]], work: dict[str, Any]) -> None:
    """Write a submission as `gate submit` packs it."""
    with zipfile.ZipFile(path, "w") as bundle:
        for name, texts in cells.items():
            bundle.writestr(f"notebooks/{name}.json", json.dumps(texts))
        for name, document in work.items():
            bundle.writestr(f"work/{name}", json.dumps(document))


@pytest.fixture
def handed(tmp_path: Path) -> Path:
    """Four submissions of which little has to be run: a notebook, a table, a broken zip, nothing answered."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    hand_in(folder / "ann.zip", {ONE: FENCE[ONE]}, {})
    hand_in(folder / "bob.zip", {}, perfect_work("fence"))
    (folder / "eve.zip").write_bytes(b"no zip at all")
    hand_in(folder / "joe.zip", {ONE: {}}, {})
    return folder


def graded(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status = main(["grade", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_folder_becomes_grades_and_reports(
    handed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, told = graded(capsys, str(handed), "--seed", "3", "--workers", "2")
    assert status == 1 and (told["lab"], told["seed"], told["ungradable"], told["reused"]) == ("fence", 3, 1, 0)
    assert {one["student"]: (one["value"], one["points"]) for one in told["grades"]} == {
        "ann": ("fail", 2), "bob": ("fail", 3), "eve": ("ungradable", 0), "joe": ("fail", 0),
    }  # fmt: skip
    assert len(told["protection"]) == 1 and told["protection"][0]
    names = {path.name for path in (tmp_path / "grades" / "fence").rglob("*")}
    assert {"grades.csv", "junit.xml", "class.html", "ann.html", "ann.json"} < names

    (handed / "eve.zip").unlink()
    assert main(["grade", str(handed), "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert "3 were graded before." in said and "Protection: " in said and "Next: open" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere"], "nowhere is not there"),
        ([".", "--lab", "nothing"], "Next: --lab with one of memory, arguments, fence, results"),
        ([".", "--seed", "x"], "is no whole number"),
        ([".", "--workers", "0"], "is no whole number of at least 1"),
        ([".", "--dask", "tcp://127.0.0.1:9"], "no cluster answers at tcp://127.0.0.1:9"),
        ([".", "--out", "a-file"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path / "ann.zip", {ONE: {}}, {})
    (tmp_path / "a-file").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gate.grading.cluster._CONNECT_SECONDS", 1)
    try:
        status = main(["grade", *words])
    except SystemExit as left:  # argparse
        status = int(str(left.code))
    told = capsys.readouterr().err
    assert status == 2 and says in told and "Traceback" not in told


def test_a_quick_look_comes_to_the_same(handed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, told = graded(capsys, str(handed), "--seed", "3", "--quick", "--out", str(tmp_path / "quick"))
    assert status == 1 and {one["student"]: one["points"] for one in told["grades"]} == {
        "ann": 2, "bob": 3, "eve": 0, "joe": 0,
    }  # fmt: skip
    assert "nbval gives the grade" in Path(told["out"], "class.html").read_text(encoding="utf-8")


def test_a_students_page_gives_no_hidden_input_away(tmp_path: Path) -> None:
    open_gate = "def validate_tool_result(tool, payload):\n    return dict(payload)"
    cells = {"memory/03_fail_closed": {"closed-gate": open_gate}}
    [one] = [found for name, section in sections("memory") for found in asked(name, section) if found.id == GATE]
    graded = grade(Submitted("ann", "ann.zip", cells), "memory", 7, NbvalRunner(), tmp_path)
    exercise = next(found for found in graded.exercises if found.id == GATE)
    wrong = {check.id for check in exercise.checks if check.value == "fail"}
    told = html.unescape(student_page(graded))
    hidden = {case.id: case.probe.given["input"] for case in cases(one, 7)}
    assert wrong and wrong < hidden.keys()
    assert [given for given in hidden.values() if len(given) > 3 and given in told] == []


def test_ctrl_c_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir()
    for student, cells in {"ann": {}, "bob": FENCE[ONE], "eve": {}}.items():  # bob takes time, ann none
        hand_in(folder / f"{student}.zip", {ONE: cells}, {})
    command = [sys.executable, "-m", "gate", "grade", str(folder), "--out", str(tmp_path / "grades"), "--workers", "1"]
    saved, scratch = tmp_path / "grades" / "fence" / "saved", tmp_path / "scratch"
    scratch.mkdir()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=HOME, **pipes, text=True, env={**os.environ, "TMPDIR": str(scratch)}) as process:
        wait_until(lambda: any(saved.glob("*.json")) or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    kept = {path.name: path.read_bytes() for path in saved.glob("*.json")}
    assert process.returncode == 130 and out == ""
    assert "what was graded is kept. Next: run the same command again, it goes on." in err and "Traceback" not in err
    assert list(kept) == ["ann.json"] and list(scratch.iterdir()) == []
    again = subprocess.run([*command, "--json"], cwd=HOME, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["reused"] == len(kept)
    assert {name: (saved / name).read_bytes() for name in kept} == kept
