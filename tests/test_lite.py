"""What `make lite` puts together. The site itself is driven in a browser by `make lite ARGS=--check` (`tests/lite`)."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import json
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import rpds
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from gate.files import HOME
from lite import lock, parts, serve, site, wheel
from start.install import Problem
from tests.test_requirements import machine, needs, pins

BROWSER = HOME / "lite" / "browser"
STAND_INS = {"rpds-py", "piplite", "micropip", "jedi"}


def browser_pins() -> dict[str, Requirement]:
    lines = parts.BROWSER_PINS.read_text(encoding="utf-8").splitlines()
    found = [Requirement(line.split("#")[0]) for line in lines if line.split("#")[0].strip()]
    return {canonicalize_name(pin.name): pin for pin in found}


def module(name: str) -> ModuleType:
    """Return a module that is otherwise only there in the browser."""
    spec = importlib.util.spec_from_file_location(f"lite_{name}", BROWSER / f"{name}.py")
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_the_browser_gets_the_versions_that_the_class_has() -> None:
    ours = {**browser_pins(), **{canonicalize_name(pin.name): pin for pin in tool_pins()}}
    both = {name for name in ours if name in pins()}
    assert len(both) > 20
    assert [name for name in both if ours[name].specifier != pins()[name].specifier] == []


def tool_pins() -> Iterator[Requirement]:
    for line in parts.TOOL_PINS.read_text(encoding="utf-8").splitlines():
        if line.split("#")[0].strip():
            yield Requirement(line.split("#")[0])


def test_the_browser_gets_all_that_its_packages_need() -> None:
    env = {**machine("linux", parts.PYTHON_VERSION), "sys_platform": "emscripten", "platform_system": "Emscripten"}
    have = browser_pins().keys() | STAND_INS
    front_ends = {"widgetsnbextension", "jupyterlab-widgets"}  # JupyterLab's side of the widgets, not Python's
    for name in browser_pins():
        for needed in needs(distribution(name), env, frozenset()):
            assert canonicalize_name(needed.name) in have | front_ends, f"{name} needs {needed}"


def test_the_kits_wheel_holds_what_the_lab_reads_and_the_kit_finds_it(tmp_path: Path) -> None:
    packed = wheel.pack_kit(tmp_path)
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site-packages")
    assert not [name for name in names if name.startswith("tests/") or "/arguments/" in name or "__pycache__" in name]
    code = """
import importlib.metadata, json
import gate.files
from gate import load_fixtures, validate_tool_result
from gate.lab import board, clock, reference, table
from gate.lab.derive import solution_paths
reference("memory", "03", "validate_tool_result")
told = [
    str(gate.files.HOME), importlib.metadata.version("gate-lab"), len(load_fixtures()), len(solution_paths()),
    board("memory.validate", validate_tool_result, trial=True).red, len(table("memory").rows),
]
print(json.dumps(told))
"""
    env = {"PYTHONPATH": str(tmp_path / "site-packages"), "GATE_WORK": str(tmp_path / "work"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    home, version, fixtures, solutions, red, rows = json.loads(done.stdout)
    assert (home, version) == (str(tmp_path / "site-packages"), distribution("gate-lab").version)
    assert (solutions, red, rows) == (5, [], 6) and fixtures > 30


def test_the_same_kit_packs_to_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    one, two = (wheel.pack_kit(folder).read_bytes() for folder in folders)
    assert one == two


def test_the_lock_names_every_wheel_by_its_hash_and_keeps_pyodides_head(tmp_path: Path) -> None:
    head = {"info": {"python": "3.14.2"}, "lockfile_version": "1.0", "packages": {"numpy": {}}}
    (tmp_path / "pyodides.json").write_text(json.dumps(head), encoding="utf-8")
    wheels = wheel.pack_stand_ins(tmp_path)
    made = lock.lock(tmp_path / "pyodides.json", wheels)
    assert made["info"] == head["info"]
    assert made["packages"].keys() == STAND_INS
    entry = made["packages"]["rpds-py"]
    assert entry["sha256"] == hashlib.sha256((tmp_path / entry["file_name"]).read_bytes()).hexdigest()


def test_does_not_build_over_a_folder_of_something_else(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.touch()
    with pytest.raises(Problem, match="holds something else"):
        site.build(tmp_path)
    assert mine.exists()


def test_the_site_asks_no_other_place_for_anything() -> None:
    assert "://" not in json.dumps(site.settings(["gate-lab"]))


def _map(kind: Any) -> list[Any]:
    first = kind.convert({"a": 1})
    more = first.insert("b", 2).update({"c": 3}).update(kind([("d", 4)]))
    with pytest.raises(KeyError):
        more.remove("z")
    return [dict(first), dict(more), dict(more.remove("a")), more.get("z"), more["b"], "a" in more, len(more)]


def _set(kind: Any) -> list[Any]:
    more = kind().insert(1).insert(2).update(kind([3]))
    return [sorted(kind()), sorted(more), sorted(more.discard(1)), sorted(more.discard(9))]


def _list(kind: Any) -> list[Any]:
    return [list(kind()), list(kind().push_front(1).push_front(2))]


@pytest.mark.parametrize(("name", "told"), [("HashTrieMap", _map), ("HashTrieSet", _set), ("List", _list)])
def test_the_stand_in_does_what_rpds_does(name: str, told: Callable[[Any], list[Any]]) -> None:
    assert told(getattr(module("rpds"), name)) == told(getattr(rpds, name))


def test_where_the_browser_keeps_nothing_the_answers_say_so(tmp_path: Path) -> None:
    code = f"""
import sys, pathlib
sys.path.insert(0, {str(BROWSER)!r})
import gate_browser
gate_browser.refuse_to_forget(pathlib.Path({str(tmp_path / "unkept")!r}))
from gate.lab import table
rows = table("memory")
rows.choose("row-1", "allow", "why")
print(*rows.notes)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Not saved: ") and "unkept" in done.stdout


def test_a_lock_can_be_had_where_a_tab_was_closed_while_it_held_it(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(BROWSER)!r})
import gate_browser
sys.modules["fcntl"] = gate_browser.no_locks()
import filelock
for _ in range(2):
    filelock.FileLock({str(tmp_path / "lock")!r}, timeout=0).acquire()
print("had")
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "had\n"


def test_the_kit_finds_the_notebooks_that_a_person_works_in(tmp_path: Path) -> None:
    kit, drive = tmp_path / "kit", tmp_path / "drive"
    (kit / "notebooks" / "solutions" / "memory").mkdir(parents=True)
    (drive / "notebooks" / "memory").mkdir(parents=True)
    (drive / "notebooks" / "memory" / "01.ipynb").write_text("mine", encoding="utf-8")
    module("gate_browser").join_notebooks(kit, drive)
    assert (kit / "notebooks" / "memory" / "01.ipynb").read_text(encoding="utf-8") == "mine"


def packed_pyodide() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"):
            archive.addfile(tarfile.TarInfo(f"package/{name}"))
    return data.getvalue()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A registry on this machine, with a Pyodide that is not the pinned one; the parts go to a folder of their own."""
    monkeypatch.setattr(parts, "PARTS", tmp_path / "parts")
    file = tmp_path / "registry" / "pyodide" / "-" / f"pyodide-{parts.PYODIDE_VERSION}.tgz"
    file.parent.mkdir(parents=True)
    file.write_bytes(packed_pyodide())
    with serve.serving(tmp_path / "registry") as server:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", server.url)
        yield file


def test_refuses_a_pyodide_that_is_not_the_pinned_one_and_one_that_is_not_there(registry: Path) -> None:
    with pytest.raises(Problem, match="is not the file that was pinned"):
        parts.pyodide()
    registry.unlink()
    with pytest.raises(Problem, match="could not be fetched"):
        parts.pyodide()


def test_fetches_a_part_once_and_begins_a_half_made_one_anew(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem):
        parts.pyodide()
    pinned = base64.b64encode(hashlib.sha512(registry.read_bytes()).digest()).decode()
    monkeypatch.setattr(parts, "PYODIDE_SHA512", pinned)
    folder = parts.pyodide()
    assert (folder / "pyodide.asm.wasm").exists()
    registry.unlink()
    assert parts.pyodide() == folder
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_serves_modules_and_programs_under_the_types_that_browsers_insist_on(tmp_path: Path) -> None:
    for name in ("a.mjs", "a.wasm"):
        (tmp_path / name).touch()
    with serve.serving(tmp_path) as server:
        kinds = []
        for name in ("a.mjs", "a.wasm"):
            with urllib.request.urlopen(server.url + name, timeout=10) as reply:
                kinds.append(reply.headers["Content-Type"])
    assert kinds == ["text/javascript", "application/wasm"]
