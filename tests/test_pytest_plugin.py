"""The pytest plugin in a repository of somebody else: each fixture is a test, and what fails is told in words."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gate.files import HOME

PLUGIN = "gate.pytest_plugin"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    shutil.copytree(HOME / "schemas", tmp_path / "schemas")
    shutil.copytree(HOME / "fixtures/inventory.lookup", tmp_path / "packs/inventory.lookup")
    (tmp_path / "packs/recorded").mkdir()
    (tmp_path / "packs/recorded/raw.json").write_text("{}", encoding="utf-8")
    (tmp_path / "test_theirs.py").write_text("def test_theirs() -> None:\n    pass\n", encoding="utf-8")
    return tmp_path


def _pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", "-W", "error", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120)


def _change(folder: Path, **changes: object) -> None:
    file = folder / "packs/inventory.lookup/valid.json"
    fixture = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(fixture | changes), encoding="utf-8")


def test_every_fixture_is_a_test_beside_their_own(repository: Path) -> None:
    done = _pytest(repository, "--gate", "packs/")
    count = len(list((repository / "packs/inventory.lookup").glob("*.json")))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count + 1} passed" in done.stdout


def test_a_wrong_label_fails_in_words_without_a_traceback(repository: Path) -> None:
    _change(repository, payload={"sku": "SKU-19", "quantity": "4", "warehouse": "sfo"}, note="A good day.")
    done = _pytest(repository, "--gate", "packs", "--gate-contracts", "schemas", "-k", "allow")
    assert done.returncode == 1
    assert "gate inventory.lookup/valid" in done.stdout
    assert "valid is labelled allow, but blocked for schema.type" in done.stdout
    assert "quantity must be an integer, got a string." in done.stdout
    assert "note: A good day." in done.stdout
    assert "Next: correct the label, or the contract" in done.stdout
    assert "Traceback" not in done.stdout and "runtest" not in done.stdout


def test_a_file_that_is_no_fixture_is_an_error_that_names_the_field(repository: Path) -> None:
    _change(repository, label="maybe")
    done = _pytest(repository, "--gate", "packs/inventory.lookup/valid.json", "test_theirs.py")
    assert done.returncode == 2
    assert 'the fixture has the label "maybe". Next: use "allow" or "block".' in done.stdout


def test_a_fault_in_the_contracts_is_one_line_and_stops(repository: Path) -> None:
    schema = repository / "schemas/ticket.input.schema.json"
    schema.write_text(schema.read_text(encoding="utf-8").replace("2000", "2001"), encoding="utf-8")
    done = _pytest(repository, "--gate", "packs")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "the contract ticket.input changed since it was frozen" in done.stderr
    gone = _pytest(repository, "--gate", "gone")
    assert gone.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Next: name a fixture or a folder of them." in gone.stderr


def test_it_is_found_by_pytest_and_does_nothing_unasked() -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}
    code = (
        f"import sys, {PLUGIN}\n"
        "print(sorted(name for name in sys.modules if name.startswith('gate.') or name in ('jsonschema', 'rich')))"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == f"['{PLUGIN}']"
