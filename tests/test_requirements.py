"""requirements.txt, and for the tests requirements-scale.txt, is all that is installed, for every system, pinned."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, distributions
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from start.environment import UNWANTED

KIT = Path(__file__).resolve().parent.parent
SYSTEMS = {
    "linux": {"os_name": "posix", "platform_system": "Linux"},
    "darwin": {"os_name": "posix", "platform_system": "Darwin"},
    "win32": {"os_name": "nt", "platform_system": "Windows"},
}
FILES = ("requirements.txt", "requirements-scale.txt")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def pins() -> dict[str, Requirement]:
    """Return every pin; a package that both files name has one."""
    lines = [line for name in FILES for line in (KIT / name).read_text(encoding="utf-8").splitlines()]
    found = [Requirement(line.split("#")[0]) for line in lines if line.split("#")[0].strip()]
    assert len({canonicalize_name(pin.name) for pin in found}) == len(found)
    return {canonicalize_name(pin.name): pin for pin in found}


def machine(system: str, python: str) -> dict[str, str]:
    """Return the markers of a machine: its system and its Python."""
    versions = {"python_version": python, "python_full_version": f"{python}.0"}
    return {**default_environment(), **SYSTEMS[system], **versions, "sys_platform": system}


def holds(requirement: Requirement, env: dict[str, str], extras: frozenset[str] = frozenset()) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**env, "extra": extra}) for extra in {"", *extras})


def needs(package: Distribution, env: dict[str, str], extras: frozenset[str]) -> Iterator[Requirement]:
    for text in package.requires or []:
        requirement = Requirement(text)
        if holds(requirement, env, extras):
            yield requirement


def test_every_pin_is_one_exact_version_and_names_no_place() -> None:
    for pin in pins().values():
        assert re.fullmatch(r"==[0-9a-z.]+", str(pin.specifier)), pin
    for name in FILES:
        text = (KIT / name).read_text(encoding="utf-8")
        assert not re.search(r"https?:|--|@", re.sub(r"#.*", "", text))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_pins_hold_all_that_any_pin_needs(system: str, python: str) -> None:
    env, all_pins = machine(system, python), pins()
    to_read = [(name, frozenset(pin.extras)) for name, pin in all_pins.items() if holds(pin, env)]
    read: set[tuple[str, frozenset[str]]] = set()
    while to_read:
        name, extras = to_read.pop()
        here = list(distributions(name=name))
        if (name, extras) in read or not here:  # what only another system has cannot be read here
            continue
        read.add((name, extras))
        for needed in needs(here[0], env, extras):
            key = canonicalize_name(needed.name)
            if key in UNWANTED:
                continue
            pin = all_pins.get(key)
            assert pin and holds(pin, env), (
                f"{name} needs {needed}; next: pin it in requirements.txt for {system} {python}"
            )
            assert needed.specifier.contains(str(pin.specifier)[2:], prereleases=True), (
                f"{name} needs {needed}, not {pin}"
            )
            to_read.append((key, frozenset(needed.extras)))


def test_the_kits_own_needs_are_pinned() -> None:
    project = tomllib.loads((KIT / "pyproject.toml").read_text(encoding="utf-8"))
    own = [*project["project"]["dependencies"], *sum(project["project"]["optional-dependencies"].values(), [])]
    for text in [*own, *project["build-system"]["requires"]]:
        needed = Requirement(text)
        pin = pins()[canonicalize_name(needed.name)]
        assert needed.specifier.contains(str(pin.specifier)[2:]), f"pyproject.toml needs {needed}, not {pin}"


def test_what_is_installed_is_what_is_pinned() -> None:
    env = {**default_environment()}
    for name, pin in pins().items():
        if holds(pin, env):
            assert distribution(name).version == str(pin.specifier)[2:], f"{name}; next: delete .venv and set up again"


def test_only_extras_ask_for_what_is_left_out() -> None:
    asking = {
        canonicalize_name(package.metadata["Name"]): str(needed.marker)
        for package in distributions()
        for needed in map(Requirement, package.requires or [])
        if canonicalize_name(needed.name) in UNWANTED
    }
    assert set(asking) == {"jsonschema", "hypothesis"}
    assert all("extra ==" in marker for marker in asking.values())
    assert [find_spec(name) for name in ("rfc3987_syntax", "lark")] == [None, None]


def test_importing_jsonschema_is_quick_and_loads_no_grammar() -> None:
    code = "import sys, jsonschema; print([name for name in ('rfc3987_syntax', 'lark') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert done.stdout.strip() == "[]"


def test_jsonschema_still_checks_the_formats_that_jupyter_asks_for() -> None:
    import jsonschema

    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    assert {"date-time", "uri", "uri-reference", "hostname", "json-pointer"} <= set(checker.checkers)
    assert not checker.conforms("no date", "date-time")
