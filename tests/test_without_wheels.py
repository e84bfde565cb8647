"""Where less can be installed, as in a browser, the core answers and the memory lab shows word for word the same.

A browser has no `jiter`, `jsonschema-rs`, `rpds-py`, pandas or matplotlib, and cannot start a thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gate.errors import ContractError
from gate.evidence.fixtures import load_fixtures
from gate.evidence.recorded import load_recorded
from gate.files import HOME
from gate.lab.derive import read_notebook, solution_paths
from gate.results import judge_side
from tests.cases_kit import contract, kit
from tests.cases_table import CASES, REFUSALS

WHEELS = {"jiter", "jsonschema_rs"}
IN_NO_BROWSER = WHEELS | {"pandas", "matplotlib", "psutil", "zmq"}

_CHILD = """
import importlib.abc, json, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""


def without(wheels: set[str], source: str, cwd: Path = HOME, **environment: str) -> Any:
    """Run Python in a process of its own in which importing the wheels fails; return the JSON it prints."""
    command = [sys.executable, "-W", "error", "-c", _CHILD + source, *wheels]
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert done.stderr == ""
    return json.loads(done.stdout)


@cache
def answers() -> dict[str, str]:
    """Return what the core says to every fixture, every recorded output and every case row, as JSON text."""
    told = {}
    for one in load_fixtures():
        told[f"fixture {one.tool}/{one.id}"] = judge_side(kit(False), one.tool, one.side, one.payload).as_dict()
    for row in load_recorded():
        told[f"recorded {row.id}"] = judge_side(kit(False), row.tool, row.side, row.raw).as_dict()
    for number, case in enumerate(CASES):
        told[f"case {number} {case.name}"] = case.judge(False).as_dict()
    for refusal in REFUSALS:
        told[f"schema {refusal.name}"] = {"codes": schema_codes(refusal.schema)}
    return {name: json.dumps(answer, sort_keys=True) for name, answer in told.items()}


def schema_codes(schema: Any) -> list[tuple[str, str]]:
    """Return the codes and paths of the schema's refusal; the words about the metaschema are the engine's own."""
    try:
        contract(json.loads(schema) if isinstance(schema, str) else schema)
    except ContractError as error:
        return [(found.code, found.path) for found in error.findings]
    return []


@pytest.mark.parametrize("missing", [WHEELS, {"jiter"}, {"jsonschema_rs"}], ids=["both", "jiter", "jsonschema-rs"])
def test_every_answer_is_the_same_without(missing: set[str]) -> None:
    source = """
from tests.test_without_wheels import answers
print(json.dumps([answers(), sorted({"jiter", "jsonschema_rs"} & sys.modules.keys())]))
"""
    told, there = without(missing, source)
    expected = answers()
    assert there == sorted(WHEELS - missing)
    assert len(expected) > 600 and told.keys() == expected.keys()
    assert {name: told[name] for name in told if told[name] != expected[name]} == {}


def test_memory_and_commands_work_without(tmp_path: Path) -> None:
    source = (
        f"folder = {str(tmp_path)!r}"
        + """
import contextlib, io, pathlib
from gate import AgentMemory, ResultGateError, validate_tool_result
from gate.cli import main

good = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
folder = pathlib.Path(folder)
memory = AgentMemory(path=folder / "memory")
memory.append_tool_result("inventory.lookup", json.dumps(good), "c1")
codes = []
for raw in (json.dumps(good)[:-1] + ',"quantity":5}', json.dumps(good).replace("4", "4.0")):
    try:
        validate_tool_result("inventory.lookup", raw)
    except ResultGateError as error:
        codes += [found.code for found in error.findings]
(folder / "bad.json").write_text('{"sku": NaN}')
with contextlib.redirect_stdout(io.StringIO()):
    exits = [
        main(["replay"]), main(["demo"]), main(["check", "--tool", "inventory.lookup", str(folder / "bad.json")])
    ]
reloaded = AgentMemory(path=folder / "memory").events
print(json.dumps([memory.events == reloaded, reloaded[0]["content"] == good, codes, exits]))
"""
    )
    same, kept, codes, exits = without(WHEELS, source)
    assert same and kept
    assert codes == ["parse.duplicate_key", "schema.type"]
    assert exits == [0, 0, 1]


_CELLS = """
import contextlib, io, threading
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
from gate.lab.derive import read_notebook

class Keep(DisplayHook):
    def __call__(self, value=None):
        values.extend([] if value is None else [self.compute_format_data(value)[0]["text/plain"]])

def start(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}), displayhook_class=Keep)
shown = {}
for cell in read_notebook(notebook)["cells"]:
    if cell["cell_type"] == "code":
        values = []
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            shell.run_cell(cell["source"]).raise_error()
        shown[cell["id"]] = [printed.getvalue(), *values]
import rpds
print(json.dumps([shown, rpds.__file__, sorted(set(sys.argv[1:]) & sys.modules.keys())]))
"""


@pytest.mark.parametrize(
    "notebook", [path for path in solution_paths() if path.parent.name == "memory"], ids=lambda path: path.stem
)
def test_the_memory_lab_shows_the_same_without_and_starts_no_thread(notebook: Path, tmp_path: Path) -> None:
    source = f"from pathlib import Path\nnotebook = Path({str(notebook)!r})\n" + _CELLS
    stand_in = str(HOME / "lite" / "browser")
    there = {"GATE_WORK": str(tmp_path), "PYTHONPATH": stand_in, "IPYTHONDIR": str(tmp_path / "ipython")}
    shown, rpds, heavy = without(IN_NO_BROWSER, source, notebook.parent, **there)
    assert Path(rpds).parent == Path(stand_in) and heavy == []
    assert shown == stored(notebook)


def stored(notebook: Path) -> dict[str, list[str]]:
    """Return for each code cell of a solution what it printed, then what it shows."""
    told = {}
    for cell in read_notebook(notebook)["cells"]:
        if cell["cell_type"] == "code":
            printed = ["".join(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream"]
            values = ["".join(one["data"]["text/plain"]) for one in cell["outputs"] if "data" in one]
            told[cell["id"]] = ["".join(printed), *values]
    return told
