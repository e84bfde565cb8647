"""The Dockerfile and Binder's files say what the set-up does. No image is built here; their commands are looked at."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gate.bundle import PYTHONS
from gate.files import HOME
from start.commands import COMMANDS
from start.environment import UNWANTED

DOCKERFILE = (HOME / "Dockerfile").read_text(encoding="utf-8")
POST_BUILD = (HOME / ".binder/postBuild").read_text(encoding="utf-8")


def test_both_use_a_python_that_the_pins_are_for() -> None:
    assert re.findall(r"^FROM python:([0-9.]+)-slim$", DOCKERFILE, re.MULTILINE)[0] in PYTHONS
    assert (HOME / ".binder/runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-") in PYTHONS


def test_the_image_sets_up_and_starts_with_the_kit_s_own_commands() -> None:
    assert set(re.findall(r"python bootstrap\.py (\w+)", DOCKERFILE)) <= set(COMMANDS)
    command = json.loads(re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[0])
    assert command[:2] == ["python", "bootstrap.py"] and command[2] in COMMANDS
    assert all(word.startswith("--ServerApp.") for word in command[3:])


def test_the_image_s_options_start_a_lab_on_a_machine_without_a_screen(tmp_path: Path) -> None:
    options = json.loads(re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[0])[3:]
    here = [re.sub(r"port=\d+$", "port=0", option).replace("0.0.0.0", "127.0.0.1") for option in options]
    command = [sys.executable, "-m", "start.lab", "README.md", *here]
    env = {**os.environ, "CI": "1", "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=HOME, env=env, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        said = lab.stdout.readline()
        lab.terminate()
    assert said.startswith("JupyterLab is at http://")


def test_what_is_copied_before_the_set_up_is_there_and_is_all_that_the_set_up_reads() -> None:
    before = DOCKERFILE.split("RUN python bootstrap.py setup")[0]
    copied = [
        word for line in re.findall(r"^COPY --chown=\S+ (.*)$", before, re.MULTILINE) for word in line.split()[:-1]
    ]
    assert [name for name in copied if not (HOME / name).exists()] == []
    assert {"bootstrap.py", "start", "gate", "requirements.txt", "pyproject.toml", "README.md", "LICENSE"} <= set(
        copied
    )


def test_nothing_of_one_s_own_gets_into_an_image() -> None:
    left_out = (HOME / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", ".cache", "work", "wheels", ".model*"} <= set(left_out)


def test_binder_installs_the_pins_alone_and_takes_away_what_the_set_up_leaves_out() -> None:
    installs = re.findall(r"pip install (.*)", POST_BUILD)
    assert len(installs) == 2 and all("--no-deps" in line for line in installs)
    assert f"pip uninstall --yes {' '.join(UNWANTED)} " in POST_BUILD


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_binder_s_scripts_are_bash(name: str) -> None:
    bash = shutil.which("bash")
    assert bash, "no bash here. Next: install it"
    subprocess.run([bash, "-n", str(HOME / ".binder" / name)], check=True)
