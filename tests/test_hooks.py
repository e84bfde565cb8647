"""The pre-commit hooks and the action that people paste: each command line in them exists, passes, and can fail."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml

from gate.cli import main
from gate.files import HOME

README = (HOME / "README.md").read_text(encoding="utf-8")


def _yaml(name: str) -> Any:
    return yaml.safe_load((HOME / name).read_text(encoding="utf-8"))


def _hooks() -> dict[str, list[str]]:
    """Return what each hook runs, by its id."""
    return {hook["id"]: [*shlex.split(hook["entry"]), *hook["args"]] for hook in _yaml(".pre-commit-hooks.yaml")}


def _steps() -> dict[str, list[str]]:
    """Return what each step of the action that calls the gate runs, by its name, with the inputs in their place."""
    action = _yaml("action.yml")
    inputs = {f"${{{{ inputs.{name} }}}}": one["default"] for name, one in action["inputs"].items()}
    inputs["${{ inputs.calls }}"] = "fixtures/tool_calls.jsonl"
    found = {}
    for step in action["runs"]["steps"]:
        if step.get("run", "").startswith("gate "):
            environ = {name: inputs[value] for name, value in step["env"].items()}
            found[step["name"]] = shlex.split(Template(step["run"]).substitute(environ))
    return found


COMMANDS = {**_hooks(), **_steps()}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("schemas", "fixtures"):
        shutil.copytree(HOME / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_line_runs_and_passes_where_all_is_well(name: str) -> None:
    program, *words = COMMANDS[name]
    assert program == "gate"
    assert main(words) == 0


def _unbounded(folder: Path) -> None:
    _edit(
        folder / "schemas/inventory.lookup.output.schema.json", lambda it: it["properties"]["quantity"].pop("maximum")
    )


def _removed(folder: Path) -> None:
    (folder / "schemas/inventory.lookup.output.schema.json").unlink()


def _mislabelled(folder: Path) -> None:
    payload = {"sku": "SKU-19", "quantity": "4", "warehouse": "sfo"}
    _edit(folder / "fixtures/inventory.lookup/valid.json", lambda it: it.update(payload=payload))


def _false_allow(folder: Path) -> None:
    calls = folder / "fixtures/tool_calls.jsonl"
    text = calls.read_text(encoding="utf-8").replace('"allow", "stage": null', '"block", "stage": "schema"', 1)
    calls.write_text(text, encoding="utf-8")


def _thin(folder: Path) -> None:
    (folder / "fixtures/ticket/valid-largest.json").unlink()


def _edit(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "spoil", "status"),
    [("lint", _unbounded, 1), ("replay", _unbounded, 2), ("replay", _mislabelled, 1), ("replay", _removed, 2),
     ("scorecard", _false_allow, 1), ("mutants", _thin, 1)],
    ids=["lint: a bound is gone", "replay: the lock is old", "replay: a wrong label", "replay: a contract is gone",
         "scorecard", "mutants"],
)  # fmt: skip
def test_each_command_line_fails_where_something_is_wrong(
    kind: str, spoil: Callable[[Path], None], status: int, repository: Path
) -> None:
    spoil(repository)
    lines = [words for words in COMMANDS.values() if kind in words[:3]]
    assert lines
    assert [main(words[1:]) for words in lines] == [status] * len(lines)


def test_the_hooks_look_at_whole_folders_whatever_the_commit_names() -> None:
    for hook in _yaml(".pre-commit-hooks.yaml"):
        assert hook["pass_filenames"] is False and hook["language"] == "python"


def test_a_commit_that_only_removes_a_file_is_looked_at() -> None:
    hooks = {hook["id"]: hook for hook in _yaml(".pre-commit-hooks.yaml")}
    lint = re.compile(hooks.pop("gate-lint")["files"])  # what is not there has no fault of its own
    assert lint.search("schemas/find.input.schema.json") and not lint.search("gate/contract.py")
    assert all(hook["always_run"] is True and "files" not in hook for hook in hooks.values())


def test_no_input_of_the_action_reaches_the_shell_unquoted() -> None:
    for step in _yaml("action.yml")["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.findall(r'(?<!")\$[A-Z_]+', step.get("run", "")) == []


def test_the_snippets_of_the_readme_name_hooks_and_inputs_that_exist() -> None:
    snippets = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)]
    hooks = [hook for one in snippets if "repos" in one for repo in one["repos"] for hook in repo["hooks"]]
    assert {hook["id"] for hook in hooks} <= set(_hooks()) and len(hooks) >= 3
    steps = [step for one in snippets if "jobs" in one for job in one["jobs"].values() for step in job["steps"]]
    (action,) = (step for step in steps if "gate" in step["uses"])
    assert set(action["with"]) <= set(_yaml("action.yml")["inputs"])
