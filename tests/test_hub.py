"""The hub's configuration, without a hub: what a student's first start copies is a kit that works.

Not here: a real hub with a class on it (`benchmarks/hub.py`, run by hand).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from traitlets.config import Config

from gate.files import HOME

CONFIG = HOME / "docs" / "jupyterhub_config.py"


def _read(monkeypatch: pytest.MonkeyPatch, homes: Path, password: str | None = "secret") -> dict[str, Any]:
    """Return the names of the configuration, read as JupyterHub reads it."""
    monkeypatch.setenv("GATE_HUB_HOMES", str(homes))
    monkeypatch.delenv("GATE_HUB_PASSWORD", raising=False)
    if password is not None:
        monkeypatch.setenv("GATE_HUB_PASSWORD", password)
    names: dict[str, Any] = {"__file__": str(CONFIG), "get_config": Config}
    exec(compile(CONFIG.read_text(encoding="utf-8"), str(CONFIG), "exec"), names)
    return names


def _student(name: str) -> SimpleNamespace:
    return SimpleNamespace(user=SimpleNamespace(name=name))


def test_a_student_s_copy_is_a_kit_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = _read(monkeypatch, tmp_path / "homes")
    names["copy_kit"](_student("ana"))
    mine = tmp_path / "homes" / "ana" / "gate-lab"
    path = names["c"].Spawner.environment["PYTHONPATH"](_student("ana"))
    assert path == str(mine)
    assert (mine / names["FIRST_NOTEBOOK"]).is_file()
    env = {**os.environ, "PYTHONPATH": path}
    env.pop("GATE_WORK", None)
    code = (
        "from gate.lab import table; table('memory').choose('row-1', 'allow', 'why'); import gate; print(gate.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=mine / "notebooks", env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(mine / "gate" / "__init__.py")
    saved = json.loads((mine / "work" / "table-memory.json").read_text(encoding="utf-8"))
    assert saved["rows"]["row-1"]["choice"] == "allow"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gate", "submit", "memory/01", "--json"],
        cwd=mine, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert Path(json.loads(done.stdout)["path"]).is_relative_to(mine)


def test_a_second_start_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = _read(monkeypatch, tmp_path / "homes")
    mine = tmp_path / "homes" / "ana" / "gate-lab"
    mine.mkdir(parents=True)
    (mine / "mine.txt").write_text("what I wrote", encoding="utf-8")
    names["copy_kit"](_student("ana"))
    assert [path.name for path in mine.iterdir()] == ["mine.txt"]


def test_a_start_that_was_cut_short_begins_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = _read(monkeypatch, tmp_path / "homes")
    half = tmp_path / "homes" / "ana" / ".gate-lab"
    half.mkdir(parents=True)
    (half / "half").touch()
    names["copy_kit"](_student("ana"))
    assert sorted(path.name for path in (half.parent / "gate-lab").iterdir()) == sorted(names["COPIED"])
    assert not half.exists()


@pytest.mark.parametrize("password", [None, ""])
def test_no_password_no_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, password: str | None) -> None:
    with pytest.raises(SystemExit, match=r"GATE_HUB_PASSWORD is not set. Next: "):
        _read(monkeypatch, tmp_path, password)


@pytest.mark.parametrize("name", ["..", ".", "../ana", "a/b", "", "-x"])
def test_a_name_that_is_no_folder_is_not_let_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    pattern = _read(monkeypatch, tmp_path)["c"].Authenticator.username_pattern
    assert re.compile(pattern).match("pair-3")
    assert not re.compile(pattern).match(name)


def test_the_hub_s_pins_are_exact_and_no_second_word_on_the_kit_s() -> None:
    kit, hub = (
        {
            line.split("==")[0].lower(): line
            for line in (HOME / name).read_text(encoding="utf-8").splitlines()
            if "==" in line
        }
        for name in ("requirements.txt", "requirements-hub.txt")
    )
    assert hub and all(re.match(r"[a-z0-9-]+==[0-9.]+( ; .+)?$", line) for line in hub.values())
    assert set(hub) & set(kit) == set()


def test_a_class_is_not_held_without_the_proxy_and_that_is_one_line() -> None:
    command = [sys.executable, "benchmarks/hub.py", "--proxy", "nowhere/proxy"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "there is no program nowhere/proxy. Next: install it" in done.stderr
