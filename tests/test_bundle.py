"""A bundle holds the kit and the packages of the machines that were named, and installs with the index switched off.

A package index in a folder takes the place of the real one; pip is real.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gate import bundle as bundling
from gate.bundle import SYSTEMS, bundle, offline, pins_for
from gate.cli import main
from gate.errors import ConfigError
from gate.files import HOME
from start import environment


def wheel(folder: Path, name: str) -> None:
    """Write a wheel with one module."""
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as packed:
        packed.writestr(f"{name}.py", "here = True\n")
        packed.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        packed.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr(f"{info}/RECORD", "")


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small kit, and a folder as package index."""
    home, index = tmp_path / "kit", tmp_path / "index"
    for folder in (home / "gate", home / ".venv", home / "work", home / "wheels", index):
        folder.mkdir(parents=True)
        (folder / "file.py").write_text("", encoding="utf-8")
    (home / "requirements.txt").write_text("one==1.0\ntwo==1.0 ; sys_platform == 'win32'\n", encoding="utf-8")
    (home / "requirements-scale.txt").write_text("", encoding="utf-8")
    (home / "requirements-model.txt").write_text("three==1.0\n", encoding="utf-8")
    for name in ("one", "two", "three"):
        wheel(index, name)
    monkeypatch.setattr(bundling, "HOME", home)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return home


def names(file: Path) -> set[str]:
    with zipfile.ZipFile(file) as packed:
        return set(packed.namelist())


def test_holds_the_kit_and_its_packages_and_nothing_that_is_one_s_own(kit: Path, tmp_path: Path) -> None:
    assert bundle(tmp_path / "out.zip", ["linux"], ["3.12"]) == 1
    pins = {f"gate-lab/requirements{name}.txt" for name in ("", "-scale", "-model")}
    assert names(tmp_path / "out.zip") == pins | {"gate-lab/gate/file.py", "gate-lab/wheels/one-1.0-py3-none-any.whl"}


def test_holds_what_only_another_system_needs_and_the_model_if_asked(kit: Path, tmp_path: Path) -> None:
    assert bundle(tmp_path / "out.zip", ["linux", "windows"], ["3.11", "3.12"], model=True) == 3
    wheels = {
        name.removeprefix("gate-lab/wheels/").split("-")[0] for name in names(tmp_path / "out.zip") if "whl" in name
    }
    assert wheels == {"one", "two", "three"}


def test_what_it_holds_installs_with_the_index_switched_off(
    kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle(tmp_path / "out.zip", ["linux"], ["3.12"])
    with zipfile.ZipFile(tmp_path / "out.zip") as packed:
        packed.extractall(tmp_path / "room")
    unpacked = tmp_path / "room" / "gate-lab"
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # whoever asks it fails
    monkeypatch.setattr(environment, "ROOT", unpacked)
    command = [sys.executable, "-m", "pip", "install", *environment._options(), "--target", "there"]
    subprocess.run([*command, "-r", "requirements.txt"], cwd=unpacked, check=True, capture_output=True)
    assert (unpacked / "there" / "one.py").is_file()


def test_a_kit_without_wheels_asks_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    assert "--no-index" not in environment._options()


def test_a_package_that_cannot_be_had_leaves_no_half_a_bundle(kit: Path, tmp_path: Path) -> None:
    (kit / "requirements.txt").write_text("four==1.0\n", encoding="utf-8")
    (tmp_path / "out").mkdir()
    with pytest.raises(ConfigError, match="the bundle was not made: no package index that was asked"):
        bundle(tmp_path / "out" / "out.zip", ["linux"], ["3.12"])
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--for", "amiga"], '"amiga" is no system. Next: one of linux, linux-arm, macos, macos-intel, windows'),
        (["--python", "3.9"], "the kit's pins are not for Python 3.9. Next: one of 3.11, 3.12, 3.13, 3.14"),
    ],
)
def test_a_machine_that_the_kit_is_not_for_is_told(
    kit: Path, tmp_path: Path, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bundle", "--out", str(tmp_path / "out.zip"), *words]) == 2
    assert told in capsys.readouterr().err


def test_a_folder_is_no_place_for_a_zip(kit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "--out", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.err == f"gate: {tmp_path}: this is no file. Next: name the zip to write.\n" and said.out == ""


def test_the_command_says_what_is_in_it(kit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out.zip")
    assert main(["bundle", "--out", out, "--for", "macos", "--python", "3.13", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": out, "for": ["macos"], "megabytes": 0, "pythons": ["3.13"], "wheels": 1,
    }  # fmt: skip


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_pins_of_every_system_are_those_whose_markers_hold(system: str) -> None:
    pins = pins_for((HOME / "requirements.txt").read_text(encoding="utf-8"), SYSTEMS[system], "3.12")
    only = {"appnope": "macos", "pywinpty": "windows", "colorama": "windows"}
    there = {pin.split("==")[0] for pin in pins}
    assert {name for name in only if name in there} == {
        name for name, place in only.items() if system.startswith(place)
    }
    assert all("==" in pin and ";" not in pin for pin in pins)


def test_hashes_stay_with_their_pin() -> None:
    pins = pins_for((HOME / "requirements-model.txt").read_text(encoding="utf-8"), SYSTEMS["linux"], "3.11")
    assert [pin.count("--hash=sha256:") for pin in pins] == [5, 1]


def test_the_doctor_names_what_a_set_up_without_a_network_would_lack(tmp_path: Path) -> None:
    wheels, pins = tmp_path / "wheels", tmp_path / "requirements.txt"
    pins.write_text("one==1.0\nTwo.Parts==2 ; python_version > '3'\n", encoding="utf-8")
    assert offline(wheels, pins).well  # none at all is a machine with a network
    wheels.mkdir()
    (wheels / "one-1.0-py3-none-any.whl").touch()
    (wheels / "two_parts-2-cp27-cp27m-win32.whl").touch()  # there, and not for this machine
    lacking = offline(wheels, pins)
    assert not lacking.well and lacking.words == "wheels/ lacks 1 of 2 packages for this machine: Two.Parts 2"
    (wheels / "two_parts-2-py3-none-any.whl").touch()
    assert offline(wheels, pins).well
