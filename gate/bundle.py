"""A bundle for rooms without a network: the kit and every package it needs, in one zip, for the machines you name.

In the unpacked kit a folder `wheels` stands beside `requirements.txt`. `make lab` sees it and installs from there, with
every package index switched off; so does `gate model install`.

Not here: installing (`start.environment`). Not caught: a machine of another system or Python than was named; Python
itself is not in the bundle.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from gate.errors import ConfigError, quote
from gate.files import HOME
from gate.installer import downloader, run
from gate.lab.doctor import Look

ROOT = "gate-lab"
PINS = ("requirements.txt", "requirements-scale.txt")
MODEL_PINS = "requirements-model.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_GLIBC = [*range(39, 4, -1)]
_LEFT_OUT = {"wheels", "work", "artifacts", "build", "dist", "__pycache__"}


class System(NamedTuple):
    """A kind of machine: pip's names for what runs there, best first, and what a marker in a pin compares with."""

    platforms: tuple[str, ...]
    markers: dict[str, str]


def _system(machine: str, name: str, platform_name: str, os_name: str, *platforms: str) -> System:
    markers = {"sys_platform": name, "platform_system": platform_name, "os_name": os_name, "platform_machine": machine}
    return System(platforms, markers)


def _linux(machine: str) -> System:
    names = (*(f"manylinux_2_{minor}_{machine}" for minor in _GLIBC), f"manylinux2014_{machine}", f"linux_{machine}")
    return _system(machine, "linux", "Linux", "posix", *names)


SYSTEMS = {
    "linux": _linux("x86_64"),
    "linux-arm": _linux("aarch64"),
    "macos": _system("arm64", "darwin", "Darwin", "posix", "macosx_14_0_arm64"),
    "macos-intel": _system("x86_64", "darwin", "Darwin", "posix", "macosx_14_0_x86_64"),
    "windows": _system("AMD64", "win32", "Windows", "nt", "win_amd64"),
}


def bundle(
    out: Path,
    systems: Iterable[str],
    pythons: Iterable[str],
    *,
    model: bool = False,
    tell: Callable[[str], None] = print,
) -> int:
    """Write the bundle to `out` and return how many wheels are in it.

    Raises `ConfigError` when a system or a Python is not known, or a package cannot be had; nothing is written then.
    """
    wanted = [(_known(system), python) for system in systems for python in pythons]
    if out.exists() and not out.is_file():
        raise ConfigError(f"{out}: this is no file. Next: name the zip to write.")
    beside = out.with_name(f".{out.name}.{os.urandom(6).hex()}")
    try:
        with tempfile.TemporaryDirectory() as wheels:
            for system, python in wanted:
                tell(f"Getting the packages for {system}, Python {python} ...")
                for pins in (*PINS, *([MODEL_PINS] if model else [])):
                    _download(Path(wheels), HOME / pins, SYSTEMS[system], python)
            out.parent.mkdir(parents=True, exist_ok=True)
            count = _pack(beside, sorted(Path(wheels).iterdir()))
        os.replace(beside, out)
        return count
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written ({error.strerror}). Next: mend that and try again.") from error
    finally:
        beside.unlink(missing_ok=True)


def here() -> str:
    """Return the name of this machine's system.

    >>> here() in SYSTEMS
    True
    """
    import platform

    arm = platform.machine().lower() in ("arm64", "aarch64")
    if sys.platform == "win32":
        return "windows"
    if sys.platform == "darwin":
        return "macos" if arm else "macos-intel"
    return "linux-arm" if arm else "linux"


def pins_for(pins: str, system: System, python: str) -> list[str]:
    """Return the lines of a requirements file that hold for a machine. pip would ask this machine instead.

    >>> pins_for("a==1 # why\\nb==2 ; sys_platform == 'win32'", SYSTEMS["windows"], "3.12")
    ['a==1', 'b==2']
    >>> pins_for("a==1\\nb==2 ; sys_platform == 'win32'", SYSTEMS["linux"], "3.12")
    ['a==1']
    """
    from packaging.requirements import Requirement

    marks = {**system.markers, "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    lines = (line.split("#")[0].strip() for line in pins.replace("\\\n", " ").splitlines())
    found = []
    for line in filter(None, lines):
        pin, *hashes = line.split(" --hash=")
        need = Requirement(pin)
        if need.marker is None or need.marker.evaluate(marks):
            found.append(" --hash=".join([f"{need.name}{need.specifier}", *(part.strip() for part in hashes)]))
    return found


def offline(wheels: Path = HOME / "wheels", pins: Path = HOME / "requirements.txt") -> Look:
    """Can this machine be set up without a network? No `wheels` is no fault; some that do not do are."""
    from packaging.tags import sys_tags
    from packaging.utils import canonicalize_name, parse_wheel_filename

    if not wheels.is_dir():
        return Look("offline", True, "no wheels/ here: a set-up needs a network, or a kit made by gate bundle")
    fits = set(sys_tags())
    named = [parse_wheel_filename(wheel.name) for wheel in wheels.glob("*.whl")]
    there = {f"{name}=={version}" for name, version, _, tags in named if tags & fits}
    needed = pins_for(pins.read_text(encoding="utf-8"), SYSTEMS[here()], "{}.{}".format(*sys.version_info[:2]))
    split = [pin.split("==") for pin in needed]
    lacks = [f"{name} {version}" for name, version in split if f"{canonicalize_name(name)}=={version}" not in there]
    if lacks:
        words = f"wheels/ lacks {len(lacks)} of {len(needed)} packages for this machine: {', '.join(lacks[:3])}"
        return Look(
            "offline", False, words, "unpack the bundle again, or make one for this machine (gate bundle --help)"
        )
    return Look("offline", True, f"{len(needed)} packages in wheels/, all that a set-up needs")


def _known(system: str) -> str:
    if system not in SYSTEMS:
        raise ConfigError(f"{quote(system)} is no system. Next: one of {', '.join(SYSTEMS)}.")
    return system


def _download(folder: Path, pins: Path, system: System, python: str) -> None:
    with tempfile.TemporaryDirectory() as beside:
        wanted = Path(beside, "pins.txt")
        wanted.write_text("\n".join(pins_for(pins.read_text(encoding="utf-8"), system, python)), encoding="utf-8")
        platforms = [word for name in system.platforms for word in ("--platform", name)]
        options = [
            "--quiet",
            "--only-binary",
            ":all:",
            "--no-deps",
            "--implementation",
            "cp",
            "--python-version",
            python,
        ]
        command = [*downloader(), *options, *platforms, "--dest", str(folder), "-r", str(wanted)]
        run(command, "the bundle was not made")


def _pack(file: Path, wheels: list[Path]) -> int:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(_kit()):
            packed.write(path, f"{ROOT}/{path.relative_to(HOME).as_posix()}")
        for wheel in wheels:  # packed already
            packed.write(wheel, f"{ROOT}/wheels/{wheel.name}", zipfile.ZIP_STORED)
    return len(wheels)


def _kit() -> list[Path]:
    """Return the kit's files: nothing hidden but the few it has itself, no work, nothing that was made by running."""
    found = []
    for folder, names, files in os.walk(HOME):
        top = Path(folder) == HOME
        names[:] = [
            name for name in names if not (name.startswith(".") or name in _LEFT_OUT or name.endswith(".egg-info"))
        ]
        own = (".gitignore", ".gitattributes") if top else ()
        found += [Path(folder, name) for name in files if not name.startswith(".") or name in own]
    return [path for path in found if path.suffix not in (".pyc", ".zip") and ".kept-" not in path.name]
