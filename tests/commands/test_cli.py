"""The way in: commands are found by name, and nothing ends in a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gate.commands.demo
from gate.cli import command_names, main
from gate.errors import ConfigError


def test_every_command_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    said = capsys.readouterr().out
    assert stopped.value.code == 0
    assert [name for name in command_names() if not re.search(rf"^ +{name}\s", said, re.MULTILINE)] == []


def test_every_command_offers_json_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in command_names():
        with pytest.raises(SystemExit) as stopped:
            main([name, "--help"])
        assert stopped.value.code == 0
        said = capsys.readouterr().out
        assert "--json" in said or "ACTION" in said, name


def test_an_unknown_command_exits_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["chekc"])
    assert stopped.value.code == 2 and "chekc" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ConfigError("the file is broken."), RuntimeError("a bug")])
def test_an_exception_is_one_line_and_exit_two(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.delenv("GATE_TRACEBACK", raising=False)
    monkeypatch.setattr(gate.commands.demo, "run", fail)
    assert main(["demo"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(error) in said and "Traceback" not in said


def test_a_reader_that_closes_the_pipe_is_no_fault() -> None:
    command = f'"{sys.executable}" -m gate replay --json | head -c 10'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("{")


def test_a_disk_that_is_full_is_named_and_is_no_success(tmp_path: Path) -> None:
    command = f'ulimit -f 0; "{sys.executable}" -m gate table >"{tmp_path}/table.txt"'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "gate: File too large. Next: mend that, and run the same command again.\n"


def test_a_closed_output_is_no_fault() -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m gate table >&-', shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
