"""The session that the README shows is what happens: its commands are run, and what they say is compared."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.cli import main
from gate.files import HOME

_TITLE = "### One tool, from its definition to a proven contract"
_WRITE = re.compile(r'`("\w+": [^`]+)` at\s`/properties/(\w+)`')
_SCHEMA = Path("schemas/fetch.input.schema.json")


def session() -> Iterator[tuple[str, list[str]]]:
    """Yield each step of the page's session: a command with the lines it is said to print, or prose to act on."""
    text = (HOME / "README.md").read_text(encoding="utf-8").split(_TITLE)[1].split("\n### ")[0]
    for block in re.split(r"\n\n", text):
        lines = block.strip("\n").splitlines()
        if not block.lstrip("\n").startswith("    $ "):
            yield block, []
            continue
        starts = [index for index, line in enumerate(lines) if line.startswith("    $ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield lines[start].removeprefix("    "), [line.removeprefix("    ") for line in lines[start + 1 : end]]


def said(line: str, told: list[str]) -> int:
    """Return how many lines of an output have been read once this line was found in it."""
    begun = line.removesuffix("…").rstrip()
    for index, other in enumerate(told):
        if other.rstrip() == begun or (line.endswith("…") and other.startswith(begun)):
            return index + 1
    raise AssertionError(f"nowhere in what is left: {line}\n" + "\n".join(told))


def act(step: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Do what one step says, and return what was printed."""
    if step.startswith("$ gate "):
        main(shlex.split(step)[2:])
        out, err = capsys.readouterr()
        return (out + err).splitlines()
    if step.startswith("$ echo "):
        payload, _, name = step.removeprefix("$ echo ").partition(" > ")
        Path(name).write_text(payload.strip("'"), encoding="utf-8")
    elif step.startswith("$ "):
        subprocess.run(step.removeprefix("$ "), shell=True, check=True)
    else:
        for line, field in _WRITE.findall(step):
            schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
            schema["properties"][field] |= json.loads(f"{{{line}}}")
            _SCHEMA.write_text(json.dumps(schema, indent=2), encoding="utf-8")
    return []


def test_the_session_in_the_readme_is_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b.example")
    subprocess.run(["git", "init", "-q"], check=True)
    shutil.copy(HOME / "examples/fetch_tools.json", "tools.json")
    commands = 0
    for step, lines in session():
        told = act(step, capsys)
        commands += step.startswith("$ gate ")
        for line in lines:
            if line.strip() != "…":
                told = told[said(line, told) :]
    assert commands == 8
    assert main(["mutants", "fixtures", "--contracts", "schemas"]) == 0
