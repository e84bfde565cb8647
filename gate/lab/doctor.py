"""Is this machine ready for the lab? One look at each thing that has stopped a class before, with what to do about it.

Not here: setting the machine up (`make lab`), what is wrong with notebooks (`gate lab check`).
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from gate.errors import ConfigError, Finding, clip
from gate.files import HOME, write_whole
from gate.lab.answers import work_folder
from gate.model import place
from gate.model.choice import LOCAL, RECORDED, REMOTE, best
from gate.semantic import endpoint

SETUP = "run make setup (Windows: python bootstrap.py setup)"
_FREE_BYTES = 200_000_000
_SECONDS = 60
_SLOW = ("rfc3987-syntax", "lark")  # the first makes every import of jsonschema cost seconds, and brings the second
_FRONT_ENDS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")


class Look(NamedTuple):
    """One look: what at, whether all is well, what was seen, and what to do if it is not."""

    what: str
    well: bool
    words: str
    next: str = ""


def examine(*more: Callable[[], Look]) -> Iterator[Look]:
    """Yield each look, and `more`, as soon as it is done. Never raises: what cannot be looked at is not well."""
    for look in (python, kit, packages, speed, kernel, widgets, writing, browser, disk, model, *more):
        yield _told(look)


def python() -> Look:
    """Is this Python new enough?"""
    words = f"Python {sys.version.split()[0]}, {sys.executable}"
    return Look("python", sys.version_info >= (3, 11), words, "install Python 3.11 or newer from python.org")


def kit() -> Look:
    """Is `gate` this kit, from any folder? The package index has another one of that name."""
    program = "import gate.lab, os; print(os.path.realpath(gate.lab.__file__))"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as elsewhere:
        seen = _run([sys.executable, "-c", program], elsewhere)
    mine = os.path.realpath(Path(__file__).with_name("__init__.py"))
    if seen.stdout.strip() != mine:
        words = "from another folder, import gate.lab does not find this kit"
        return Look("kit", False, words, f"{SETUP}; if another package named gate is installed, pip uninstall gate")
    return Look("kit", True, f"gate-lab {_version('gate-lab')}, {HOME}")


def packages(requirements: Path = HOME / "requirements.txt") -> Look:
    """Is every package there, in the pinned version?"""
    from packaging.requirements import Requirement  # pinned too; without it this look is not well

    lines = (line.split("#")[0].strip() for line in requirements.read_text(encoding="utf-8").splitlines())
    pins = [pin for pin in map(Requirement, filter(None, lines)) if pin.marker is None or pin.marker.evaluate()]
    seen = [(pin.name, f"=={_version(pin.name)}", str(pin.specifier)) for pin in pins]
    wrong = [f"{name} is {there[2:]}, not {pinned[2:]}" for name, there, pinned in seen if there != pinned]
    if wrong:
        return Look("packages", False, clip("; ".join(wrong[:3]), 200) + (" …" if len(wrong) > 3 else ""), SETUP)
    return Look("packages", True, f"{len(pins)} packages, all as pinned")


def speed() -> Look:
    """Is the package away that makes every import of jsonschema cost seconds?"""
    there = [name for name in _SLOW if _version(name) != "missing"]
    words = f"{' and '.join(there)} would make each notebook start seconds later" if there else "nothing slows imports"
    return Look("speed", not there, words, f"run {Path(sys.executable).name} -m pip uninstall --yes {' '.join(_SLOW)}")


def kernel() -> Look:
    """Does the notebooks' kernel start, in this Python, and see the kit?"""
    from jupyter_client.manager import start_new_kernel  # here, because only this look needs it

    program = "import gate.lab, sys; print(sys.executable)"
    printed: list[str] = []
    # Where the kernel runs does not matter: the kit is found from any folder.
    manager, client = start_new_kernel(startup_timeout=_SECONDS, kernel_name="python3", stderr=subprocess.DEVNULL)
    try:
        reply = client.execute_interactive(
            program, timeout=_SECONDS, output_hook=lambda message: printed.append(message["content"].get("text", ""))
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    if reply["content"]["status"] != "ok":
        return Look("kernel", False, f"it starts, but import gate.lab fails: {reply['content'].get('evalue')}", SETUP)
    seen = "".join(printed).strip()
    if os.path.realpath(seen) != os.path.realpath(sys.executable):
        advice = "run jupyter kernelspec remove python3, then " + SETUP
        return Look("kernel", False, f"the kernel python3 is another Python: {seen}", advice)
    return Look("kernel", True, "python3 starts and sees the kit")


def widgets() -> Look:
    """Are the widgets there, in Python and in JupyterLab?"""
    from jupyter_core.paths import jupyter_path  # here, because only this look needs it

    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    missing = [name for name in _FRONT_ENDS if not any((folder / name / "package.json").exists() for folder in folders)]
    missing += [name for name in ("anywidget", "ipywidgets") if _version(name) == "missing" and name not in missing]
    if missing:
        words = f"missing: {', '.join(missing)}. Tables still work by table(…).choose(…)"
        return Look("widgets", False, words, SETUP)
    return Look("widgets", True, "anywidget and ipywidgets, in Python and in JupyterLab")


def writing() -> Look:
    """Can answers and notebooks be saved?"""
    for folder in (work_folder(), HOME / "notebooks"):
        probe = folder / f".doctor-{os.getpid()}"
        try:
            write_whole(probe, "may be deleted\n")
            probe.unlink()
        except (ConfigError, OSError) as error:
            return Look("writing", False, clip(str(error), 200), f"make {folder} writable, or set GATE_WORK to another")
    return Look("writing", True, f"answers go to {work_folder()}")


def browser() -> Look:
    """Is there a browser to open JupyterLab in? None is no fault: the address works in any browser."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return Look("browser", True, "no screen: open the address that make lab prints")
    return Look("browser", True, "there is one")


def disk() -> Look:
    """Is there room for answers and notebooks?"""
    free = shutil.disk_usage(HOME).free
    return Look("disk", free >= _FREE_BYTES, f"{free // 10**6} MB free", f"free at least {_FREE_BYTES // 10**6} MB")


def model() -> Look:
    """Which model would be asked, and is the local one, if it is there, the pinned one? None installed is no fault."""
    used = {REMOTE: "the one that MODEL_BASE_URL names", LOCAL: "the local one", RECORDED: "what was recorded"}[best()]
    settings = endpoint(os.environ)
    if best() == REMOTE and isinstance(settings, Finding):
        words = settings.message.replace("the judge", "the model")
        return Look("model", False, words, "set all three MODEL_* variables, or none")
    try:
        there = (
            f"SmolLM2 in {place.folder()}, hash as pinned" if place.is_installed() and place.check() else "none here"
        )
    except ConfigError:
        return Look("model", False, f"SmolLM2 in {place.folder()} is not the pinned one", "run gate model install")
    return Look("model", True, f"{there}; would be asked: {used}")


def _told(look: Callable[[], Look]) -> Look:
    try:
        seen = look()
    except Exception as error:  # noqa: BLE001 - whatever stops a look is what the doctor has to report
        words = clip(f"could not be looked at ({type(error).__name__}: {' '.join(str(error).split())})", 200)
        return Look(look.__name__, False, words, SETUP)
    return seen._replace(next="") if seen.well else seen


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _run(command: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    away = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=folder, env=away, capture_output=True, encoding="utf-8", errors="replace", timeout=_SECONDS,
        check=False,
    )  # fmt: skip
