"""Rules of `gate doctor`: it looks at everything, never ends in a traceback, and says what to do."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from importlib.metadata import distributions
from pathlib import Path
from typing import NoReturn

import pytest

from gate.cli import main
from gate.lab import doctor
from gate.lab.doctor import SETUP, Look

LOOKS = (
    "python", "kit", "packages", "speed", "kernel", "widgets", "writing", "browser", "disk", "model", "grading",
    "offline", "page", "hub",
)  # fmt: skip


def requirements(folder: Path, *lines: str) -> Path:
    path = folder / "requirements.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def installed(name: str) -> str:
    return next(one.version for one in distributions() if one.name == name)


def test_looks_at_everything_and_prints_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:-1]] == list(LOOKS)
    assert all("Next: " in line for line in lines[:-1] if line.startswith("MEND"))
    assert not any("Next: " in line for line in lines[:-1] if line.startswith("well"))
    assert status == (0 if lines[-1] == "This machine is ready." else 1)


def test_the_kernel_really_starts_and_the_kit_is_found_from_another_folder() -> None:
    assert doctor.kernel() == Look("kernel", True, "python3 starts and sees the kit")
    assert doctor.kit().well


def test_prints_json_with_the_same_exit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def two(*_more: object) -> list[Look]:
        return [Look("python", True, "fine"), Look("disk", False, "0 MB free", "free some")]

    monkeypatch.setattr(doctor, "examine", two)
    assert main(["doctor", "--json"]) == 1
    assert [row["what"] for row in json.loads(capsys.readouterr().out)] == ["python", "disk"]


def test_what_cannot_be_looked_at_is_not_well_and_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> NoReturn:
        raise RuntimeError("no kernel\nanywhere")

    monkeypatch.setattr(doctor, "kernel", broken)
    found = {look.what: look for look in doctor.examine()}
    assert found["broken"] == Look("broken", False, "could not be looked at (RuntimeError: no kernel anywhere)", SETUP)


def test_names_a_package_that_is_missing_or_of_another_version(tmp_path: Path) -> None:
    here = installed("rich")
    elsewhere = "colorama==1 ; sys_platform == 'os2'"
    wrong = requirements(tmp_path, "rich==0.1", "no-such-package==1.0", "# a remark", elsewhere)
    assert doctor.packages(wrong) == Look(
        "packages", False, f"rich is {here}, not 0.1; no-such-package is missing, not 1.0", SETUP
    )
    assert doctor.packages(requirements(tmp_path, f"rich=={here}  # tables")).well


def test_names_a_package_that_makes_every_import_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.speed().well
    monkeypatch.setattr(doctor, "_SLOW", ("rich", "no-such-package"))
    seen = doctor.speed()
    assert not seen.well and seen.words.startswith("rich would make each notebook start seconds later")


def test_names_a_widget_front_end_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.widgets().well
    monkeypatch.setattr(doctor, "_FRONT_ENDS", ("anywidget", "no-such-widget"))
    assert doctor.widgets().words.startswith("missing: no-such-widget. Tables still work")


def test_names_the_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("GATE_WORK", str(tmp_path / "file" / "work"))
    seen = doctor.writing()
    assert not seen.well and str(tmp_path) in seen.words and "or set GATE_WORK" in seen.next


def test_leaves_nothing_behind_where_it_tried_to_write(work: Path) -> None:
    assert doctor.writing().well
    assert list(work.iterdir()) == []


def test_a_machine_without_a_browser_is_told_where_to_open_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> NoReturn:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", none)
    assert doctor.browser() == Look("browser", True, "no screen: open the address that make lab prints")


def test_what_was_seen_ends_in_one_full_stop(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        doctor, "examine", lambda *_more: [Look("writing", False, "Nothing was changed.", "make it writable")]
    )
    main(["doctor"])
    assert capsys.readouterr().out.startswith("MEND  writing   Nothing was changed. Next: make it writable.\n")


def test_a_full_disk_and_an_old_python_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_FREE_BYTES", 10**18)
    assert not doctor.disk().well and "MB free" in doctor.disk().words
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    assert not doctor.python().well and os.path.basename(sys.executable) in doctor.python().words


def test_says_what_would_keep_students_code_apart_when_grading() -> None:
    from gate.grading.look import grading
    from gate.grading.protect import working

    seen = grading()
    assert seen.well and ("bubblewrap" in seen.words) == (working()[0] == "bubblewrap")
