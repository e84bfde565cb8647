"""The documents say what is so: every file and heading they point to is there, every command in them can be typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.cli import build_parser, command_names
from gate.files import HOME

DOCUMENTS = sorted(path for folder in (HOME, HOME / "benchmarks", HOME / "docs") for path in folder.glob("*.md"))
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PATH = re.compile(
    r"`((?:gate|tests|notebooks|data|schemas|fixtures|examples|benchmarks|start|labconfig|lite|docs)/[\w./*-]+)`"
)
_NAMES = "|".join(command_names())
_COMMAND = re.compile(rf"(?:^|[`\s|])(?:python -m )?gate ((?:{_NAMES})(?: [^`|#\n]*)?)", re.MULTILINE)
_SPOKEN = re.compile(r"[…\[]")  # from here on a command is told, not typed


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", _text(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _commands(path: Path) -> Iterator[str]:
    """Yield each command that stands in a code block or between backticks."""
    code = re.findall(r"^(?:    .*|\| `.*)$|```.*?```|`[^`\n]+`", _text(path), re.MULTILINE | re.DOTALL)
    for found in _COMMAND.findall("\n".join(code)):
        yield _SPOKEN.split(found)[0].strip()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(HOME).as_posix())
def test_every_link_and_every_file_it_names_is_there(path: Path) -> None:
    missing = [name for name in _PATH.findall(_text(path)) if not list(HOME.glob(name.rstrip("/")))]
    for link in _LINK.findall(_text(path)):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(HOME).as_posix())
def test_every_command_in_it_can_be_typed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = []
    for command in dict.fromkeys(_commands(path)):
        words = shlex.split(command)
        try:
            build_parser([words[0]]).parse_args(words)
        except SystemExit:
            if "the following arguments are required" not in (said := capsys.readouterr().err):  # it is only named
                wrong.append((command, said.splitlines()[-1]))
    assert wrong == []


def test_the_commands_in_the_readme_are_found() -> None:
    found = list(_commands(HOME / "README.md"))
    assert "check --tool inventory.lookup -" in found and len(found) > 12


def test_the_page_on_trouble_has_a_line_for_each_look_of_the_doctor() -> None:
    from tests.lab.test_doctor import LOOKS

    _, _, trouble = _text(HOME / "docs" / "setup.md").partition("## Trouble")
    assert re.findall(r"^\| `(\w+)` \|", trouble, re.MULTILINE) == list(LOOKS)
