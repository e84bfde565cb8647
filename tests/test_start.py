"""`make test` leaves out the tests of what is not on this machine, and says so; CI installs the local model first."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from start import commands

LEFT_OUT = ["--ignore", "tests/local_model"]


@pytest.fixture
def handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pytest is started with, on a machine with a browser and without a model."""
    words: list[str] = []
    for name in ("ensure", "ensure_scale"):
        monkeypatch.setattr(commands, name, lambda: None)
    monkeypatch.setattr(commands, "find_browser", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    monkeypatch.setattr(commands, "_become", lambda *given: words.extend(given) or 0)
    monkeypatch.setenv("GATE_CHROMIUM", "")
    monkeypatch.delenv("CI", raising=False)
    return words


def installs(monkeypatch: pytest.MonkeyPatch, code: int) -> list[Any]:
    """Let the installation of the model end with `code`; return the commands that were run."""
    ran: list[Any] = []

    def run(command: Any, **_: Any) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(subprocess, "run", run)
    return ran


def test_without_the_model_its_tests_are_left_out_and_that_is_said(
    handed_on: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    commands.test([])
    assert handed_on[-2:] == LEFT_OUT
    assert "tests/local_model is left out" in capsys.readouterr().out


def test_with_the_model_its_tests_are_run(handed_on: list[str], tmp_path: Path) -> None:
    (tmp_path / ".model" / "xllamacpp").mkdir(parents=True)
    commands.test([])
    assert "tests/local_model" not in handed_on


@pytest.mark.parametrize("code", [0, 2])
def test_ci_installs_it_and_leaves_its_tests_out_only_if_it_cannot_be_had(
    handed_on: list[str], monkeypatch: pytest.MonkeyPatch, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    ran = installs(monkeypatch, code)
    commands.test([])
    assert [command[1:5] for command in ran] == [["-m", "gate", "model", "install"]]
    assert (handed_on[-2:] == LEFT_OUT) is bool(code)
    assert ("tests/local_model is left out" in capsys.readouterr().out) is bool(code)
