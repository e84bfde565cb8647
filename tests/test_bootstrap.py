"""The two commands, run as a person runs them: the real script, in a copy of the kit with one tiny pinned package.

The folder's name has a blank and letters beyond ASCII. Nothing here needs the network.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from start.browser import find_browser, has_display
from start.install import explain

KIT = Path(__file__).resolve().parent.parent

# Builds the copy's editable wheel, as setuptools does for the kit, which the copy has not got.
BACKEND = """
from pathlib import Path
from typing import Any
from zipfile import ZipFile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name, info = "gate_lab-0.1.0-py3-none-any.whl", "gate_lab-0.1.0.dist-info"
    with ZipFile(Path(folder, name), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: gate-lab\\nVersion: 0.1.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


def write_wheel(folder: Path, version: str) -> None:
    info = f"tiny-{version}.dist-info"
    with zipfile.ZipFile(folder / f"tiny-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", f"VERSION = {version!r}\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


class Kit:
    """A copy of the kit's way in, and the environment of a machine that has only Python."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a läb 教室"
        self.folder.mkdir()
        self.venv = self.folder / ".venv"
        self.stamp = self.venv / "gate-lab.json"
        self.log = self.folder / ".cache" / "setup.log"
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        for name in ("bootstrap.py", "Makefile"):
            shutil.copy(KIT / name, self.folder)
        shutil.copytree(KIT / "start", self.folder / "start", ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "backend.py").write_text(BACKEND, encoding="utf-8")
        (self.folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        self.pin("1.0")
        left_out = ("PIP_", "UV_", "CI", "MAKE", "MFLAGS", "ARGS", "PYTHON")
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
        self.env |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels.as_uri()}
        self.env |= {"GATE_LAB_INSTALLER": "pip", "PYTHONUTF8": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def pin(self, version: str) -> None:
        write_wheel(self.wheels, version)
        (self.folder / "requirements.txt").write_text(f"tiny=={version}\n", encoding="utf-8")

    def run(self, *arguments: str, before: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run bootstrap.py with these arguments; `before` is Python that changes the machine first."""
        code = f"import runpy, sys; sys.path[0] = {str(self.folder)!r}; {before}"
        code += f"\nsys.argv = ['bootstrap.py', *{arguments!r}]; runpy.run_path('bootstrap.py', run_name='__main__')"
        return subprocess.run(
            [sys.executable, "-c", code], cwd=self.folder, env=self.env | env, text=True, encoding="utf-8",
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    def python(self, code: str) -> str:
        """Return what the `.venv`'s Python prints."""
        python = self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        return subprocess.run([python, "-c", code], text=True, capture_output=True, check=True).stdout.strip()


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)


@pytest.fixture(scope="module")
def set_up_kit(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kit, str]:
    """A kit set up after an interrupted attempt, and what the set-up said."""
    kit = Kit(tmp_path_factory.mktemp("kit"))
    (kit.venv / "lib").mkdir(parents=True)
    kit.stamp.write_text('"half-made"', encoding="utf-8")
    (kit.venv / "lib" / "leftover").touch()
    done = kit.run("setup")
    assert (done.returncode, done.stderr) == (0, "")
    return kit, done.stdout


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line on standard error of a command that ended with exit code 2."""
    assert done.returncode == 2, done
    assert "Next: " in done.stderr
    (line,) = done.stderr.splitlines()
    return line


def test_makes_an_interrupted_set_up_anew_and_says_each_step(set_up_kit: tuple[Kit, str]) -> None:
    kit, said = set_up_kit
    steps = [line.split(" ")[0] for line in said.splitlines()]
    assert steps == ["Removing", "Making", "Installing", "Set", "Ready:"]
    assert not (kit.venv / "lib" / "leftover").exists()
    installed = "from importlib.metadata import version; import tiny; print(tiny.VERSION, version('gate-lab'))"
    assert kit.python(installed) == "1.0 0.1.0"
    assert json.loads(kit.stamp.read_text(encoding="utf-8"))["folder"] == str(kit.folder)


def test_a_second_run_does_nothing_and_needs_no_index(set_up_kit: tuple[Kit, str]) -> None:
    kit, _ = set_up_kit
    before = kit.stamp.stat().st_mtime_ns
    done = kit.run("setup", PIP_FIND_LINKS="")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert kit.stamp.stat().st_mtime_ns == before


def test_changed_pins_are_installed_into_the_venv_even_after_a_failed_try(set_up_kit: tuple[Kit, str]) -> None:
    kit, _ = set_up_kit
    (kit.venv / "kept").touch()
    kit.pin("2.0")
    assert "no index offers a pinned package" in one_line(kit.run("setup", PIP_FIND_LINKS=""))
    assert kit.python("import tiny; print(tiny.VERSION)") == "1.0"
    assert kit.run("setup").stdout.startswith("Installing")
    assert kit.python("import tiny; print(tiny.VERSION)") == "2.0"
    assert (kit.venv / "kept").exists()


def test_a_moved_kit_and_another_python_are_not_taken_for_ready(set_up_kit: tuple[Kit, str]) -> None:
    kit, _ = set_up_kit
    no_ensurepip = "sys.modules['ensurepip'] = None"  # which only making a .venv anew asks for
    stamp = json.loads(kit.stamp.read_text(encoding="utf-8"))
    for change in ({"folder": "/elsewhere"}, {"python": "3.11.0"}):
        kit.stamp.write_text(json.dumps(stamp | change), encoding="utf-8")
        assert "'ensurepip'" in one_line(kit.run("setup", before=no_ensurepip))
    kit.stamp.write_text(json.dumps(stamp), encoding="utf-8")
    assert kit.run("setup", before=no_ensurepip).returncode == 0


def test_no_network_with_nothing_installed_is_one_line_that_names_the_log(
    kit: Kit, set_up_kit: tuple[Kit, str]
) -> None:
    away = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_RETRIES": "1", "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    # Making the empty .venv, the slow step and not the point here, is a copy of one that is there.
    keep = "ignore=shutil.ignore_patterns('gate-lab.json', 'tiny*')"
    copy = f"shutil.copytree({str(set_up_kit[0].venv)!r}, e.VENV, symlinks=True, dirs_exist_ok=True, {keep})"
    step = f"lambda command: {copy} if 'venv' in command else e.run_logged(command, e.LOG, e.activated(), e.ROOT)"
    line = one_line(kit.run("setup", before=f"import shutil, start.environment as e; e._run = {step}", **away))
    assert line.startswith("The set-up stopped: the package index cannot be reached. Next: connect to the internet")
    assert line.endswith(f"Log: {kit.log}")
    assert "127.0.0.1" in kit.log.read_text(encoding="utf-8")
    assert kit.stamp.read_text(encoding="utf-8") == '"half-made"'


def test_an_old_python_is_told_so(kit: Kit) -> None:
    line = one_line(kit.run("lab", before="sys.version_info = (3, 10, 4, 'final', 0)"))
    assert line.startswith("The lab needs Python 3.11 or newer; this is Python 3.10")


@pytest.mark.parametrize("version", [(3, 4), (3, 7), (3, 10)])
def test_an_old_python_can_read_bootstrap(version: tuple[int, int]) -> None:
    tree = ast.parse((KIT / "bootstrap.py").read_text(encoding="utf-8"), feature_version=version)
    assert not [node for node in ast.walk(tree) if isinstance(node, (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr))]


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_a_module_it_needs_is_told_which(kit: Kit, module: str) -> None:
    line = one_line(kit.run("setup", before=f"sys.modules[{module!r}] = None"))
    assert f"has no {module!r} module" in line and "-venv) or uv" in line


def test_a_full_disk_is_told_before_anything_is_made(kit: Kit) -> None:
    nearly_full = "import shutil; shutil.disk_usage = lambda _: shutil._ntuple_diskusage(9, 9, 5_000_000)"
    line = one_line(kit.run("setup", before=nearly_full))
    assert line.startswith("The disk is full: 5 MB are free")
    assert not kit.venv.exists()


def test_a_folder_that_cannot_be_used_is_named(kit: Kit) -> None:
    (kit.folder / ".cache").touch()
    assert str(kit.folder / ".cache") in one_line(kit.run("setup"))


def test_two_set_ups_at_once_do_not_meet(kit: Kit) -> None:
    inside = (
        "from start.environment import CACHE, _alone; CACHE.mkdir(exist_ok=True); lock = _alone(); lock.__enter__()"
    )
    assert one_line(kit.run("setup", before=inside)).startswith("Another set-up is running")


def test_ctrl_c_is_one_line_and_leaves_a_half_made_stamp(kit: Kit) -> None:
    at_step = "import start.environment as e; e._run = lambda command: (_ for _ in ()).throw(KeyboardInterrupt)"
    done = kit.run("setup", before=at_step)
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr.strip().startswith("Stopped. Next: run the same command again")
    assert kit.stamp.read_text(encoding="utf-8") == '"half-made"'


def test_lab_without_its_first_notebook_says_how_to_get_it(kit: Kit) -> None:
    line = one_line(kit.run("lab"))
    assert line.startswith("notebooks/memory/01_reproduce_the_leak.ipynb is missing. Next:")


def test_an_unknown_command_lists_the_commands(kit: Kit) -> None:
    done = kit.run("labs")
    assert done.returncode == 2
    assert all(f"  {name} " in done.stderr for name in ("lab", "test", "setup", "notebooks", "bench"))


def test_what_only_the_tests_need_is_installed_once_and_for_the_tests_alone(kit: Kit) -> None:
    (kit.folder / "requirements-scale.txt").write_text("tiny==1.0\n", encoding="utf-8")
    ready = "import json, start.commands as c, start.environment as e, start.place as p; c._become = lambda *_: 0; \
e._run = lambda command: print(*command); p.VENV.mkdir(exist_ok=True); (p.CACHE).mkdir(exist_ok=True); \
p.PYTHON.parent.mkdir(exist_ok=True); p.PYTHON.touch(); p.STAMP.write_text(json.dumps(p.wanted_stamp()))"
    said = [kit.run(command, before=ready).stdout for command in ("setup", "test", "test")]
    assert ["requirements-scale.txt" in words for words in said] == [False, True, False]


def test_uv_is_used_where_there_is_one(kit: Kit) -> None:
    calls = "import start.environment as e; e.find_uv = lambda: 'uv'; e._run = lambda command: print(*command)"
    said = kit.run("setup", before=calls).stdout
    target = f"--python {kit.venv / 'bin' / 'python'}" if os.name != "nt" else ""
    assert f"uv pip install {target} --no-deps --only-binary :all: -r requirements.txt" in said
    assert "uv venv --quiet --no-project --allow-existing" in said


if shutil.which("make"):  # Windows has none, and is told `py bootstrap.py`

    def test_make_finds_a_python_and_hands_on_its_arguments(kit: Kit) -> None:
        def make(*arguments: str) -> subprocess.CompletedProcess[str]:
            command = ["make", *arguments]
            return subprocess.run(command, cwd=kit.folder, env=kit.env, text=True, capture_output=True, check=False)

        assert make("-n", "test", "ARGS=-k memory").stdout.strip().endswith("bootstrap.py test -k memory")
        assert "01_reproduce_the_leak.ipynb is missing" in make("lab", f"PYTHON={sys.executable}").stderr


@pytest.mark.parametrize(
    ("log", "meaning"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("error: failed to copy file: No space left on device (os error 28)", "the disk is full"),
        ("There is not enough space on the disk. (os error 112)", "the disk is full"),
        (
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate",
            "a certificate was not",
        ),
        ("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution", "the package index"),
        ("cause: tcp connect error\n  cause: Connection refused (os error 111)", "the package index cannot be reached"),
        ("hint: Packages were unavailable because the network was disabled.", "the package index cannot be reached"),
        (
            "WARNING: The repository located at pypi.lan is not a trusted or secure host and is being ignored.\n"
            "ERROR: No matching distribution found for jiter==0.19.0",
            "pip passes over a package index without https",
        ),
        ("ERROR: No matching distribution found for jiter==0.19.0", "no index offers a pinned package"),
        ("Because argon2-cffi-bindings==26.2.0 has no usable wheels\nNo solution found", "no index offers a pinned"),
        ("PermissionError: [Errno 13] Permission denied: 'x'", "a file may not be written"),
        ("Segmentation fault", "see the last lines of the log"),
    ],
)
def test_an_installers_log_becomes_one_line(log: str, meaning: str) -> None:
    assert explain(log).startswith(meaning)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({}, False),
        ({"DISPLAY": ":0", "CI": "true"}, False),
        ({"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
        ({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "BROWSER": "open-at-home"}, True),
    ],
)
def test_a_browser_opens_only_where_somebody_sees_it(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], expected: bool
) -> None:
    for name in ("CI", "BROWSER", "SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    assert has_display() is expected


def test_a_named_browser_is_the_one_that_is_driven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_CHROMIUM", sys.executable)
    assert find_browser() == sys.executable
    monkeypatch.setenv("GATE_CHROMIUM", "/no/such/browser")
    assert find_browser() is None


def test_a_second_lab_says_where_the_first_one_is(tmp_path: Path) -> None:
    own = {"JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "JUPYTER_TOKEN": "first"}
    command = [sys.executable, "-m", "start.lab", "README.md", "--ServerApp.open_browser=False", "--ServerApp.port=0"]
    options: dict[str, Any] = {"cwd": KIT, "env": {**os.environ, **own}, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **options) as first:
        assert first.stdout is not None
        address = first.stdout.readline().split()[3]
        with subprocess.Popen(command, **options) as second:
            assert second.stdout is not None
            told = second.stdout.readline(), second.stdout.readline()
            second.terminate()
        first.terminate()
    port = address.split("/lab")[0].rsplit(":", 1)[1].strip("/")
    assert told[0].startswith("A lab runs here already, at http://") and f":{port}/lab?token=first:" in told[0]
    assert told[1].startswith("JupyterLab is at http://") and f":{port}/" not in told[1]


@pytest.mark.parametrize("option", ["--ServerApp.open_browser=False", "--no-browser", "--allow-root"])
def test_an_option_that_is_given_takes_the_place_of_the_kit_s_own(tmp_path: Path, option: str) -> None:
    screenless = {"CI": "1", "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime")}
    command = [sys.executable, "-m", "start.lab", "README.md", "--ServerApp.port=0", option]
    options: dict[str, Any] = {"cwd": KIT, "env": {**os.environ, **screenless}, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **options) as lab:
        assert lab.stdout is not None
        said = lab.stdout.readline()
        lab.terminate()
    assert said.startswith("JupyterLab is at http://")
