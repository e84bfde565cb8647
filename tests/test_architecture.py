"""Data flows one way, and imports follow it: a module may import only what stands above it in `ROOMS`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.files import HOME

#: The one list of rooms, in the order in which data flows. A folder stands for everything in it.
ROOMS = [
    "errors", "decision", "strictjson", "plain", "payload", "files", "installer",
    "engine", "vetting", "vet", "contract", "registry", "toolcall", "contracts",
    "results", "journal", "memory",
    "orders", "store", "exchange", "semantic", "pipeline",
    "limits", "responses", "brakes", "ledger", "ledgers", "fence",
    "wrapping", "envelope",
    "calls", "harness", "adapters", "live", "loop",
    "warm",
    "evidence", "pytest_plugin",
    "model",
    "lab",
    "webpage",
    "room",
    "grading",
    "bundle",
    "commands",
    "cli", "__main__",
]  # fmt: skip
_RANK = {room: rank for rank, room in enumerate(ROOMS)}
_HEAVY = ("jsonschema", "pandas", "IPython", "ipywidgets", "anywidget", "httpx", "rich", "matplotlib", "hypothesis")


def _modules() -> list[Path]:
    return [path for path in sorted((HOME / "gate").rglob("*.py")) if path != HOME / "gate/__init__.py"]


def _room(path: Path) -> str:
    return path.relative_to(HOME / "gate").parts[0].removesuffix(".py")


def _imports(path: Path) -> Iterator[str]:
    """Yield the rooms of `gate` that a module imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "gate":
            yield from (alias.name for alias in node.names if alias.name in _RANK)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gate."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("gate."))


@pytest.mark.parametrize("path", _modules(), ids=lambda path: path.relative_to(HOME).as_posix())
def test_imports_only_what_stands_before_it(path: Path) -> None:
    room = _room(path)
    assert room in _RANK, f"{path.name} is a new room. Next: put {room} into ROOMS, where its data comes from above"
    if room == "cli":
        return  # the way in imports the commands' folder, and each command when it is asked for
    later = sorted({other for other in _imports(path) if _RANK[other] > _RANK[room]})
    assert later == [], f"{room} imports {later}, which stand after it. Next: turn the arrow, or move the room"


def test_every_room_in_the_list_is_there() -> None:
    rooms = {_room(path) for path in _modules()}
    assert [room for room in ROOMS if room not in rooms] == []


def _inside(folder: str) -> dict[str, set[str]]:
    """Return for each module in a folder of `gate` the modules of the same folder that it imports."""
    inside: dict[str, set[str]] = {}
    for path in sorted((HOME / "gate" / folder).rglob("*.py")):
        name = ".".join(path.relative_to(HOME).with_suffix("").parts)
        found = inside.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"gate.{folder}"):
                found.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    return {name: {other for other in found if other in inside and other != name} for name, found in inside.items()}


_FOLDERS = [path.parent.name for path in sorted((HOME / "gate").glob("*/__init__.py"))]


@pytest.mark.parametrize("folder", _FOLDERS)
def test_no_circle_inside_a_folder(folder: str) -> None:
    imports = _inside(folder)
    while free := [name for name, others in imports.items() if not others]:
        for name in free:
            del imports[name]
        imports = {name: others - set(free) for name, others in imports.items()}
    # `gate.lab` names its public surface in its own __init__, which is no step of the flow.
    assert {name: others for name, others in imports.items() if name != f"gate.{folder}"} == {}


@pytest.mark.parametrize(
    "code",
    [
        "import gate",
        "from gate import load_contracts, judge_call, AgentMemory, validate_tool_result, tool_result\n"
        "contracts = load_contracts()\n"
        "memory = AgentMemory(contracts)\n"
        'memory.append_tool_result(\'inventory.lookup\', \'{"sku":"SKU-19","quantity":4,"warehouse":"sfo"}\', \'c1\')\n'
        "assert not contracts.output('inventory.lookup').judge('{')",
    ],
    ids=["importing", "judging"],
)
def test_the_core_brings_nothing_heavy_along(code: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sorted(name for name in sys.modules if '.' not in name))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert [name for name in told.stdout.split() if name in _HEAVY] == []


def test_every_public_name_is_there_and_documented() -> None:
    import gate

    for name in gate.__all__:
        value = getattr(gate, name)
        assert name == "CODES" or (value.__doc__ or "").strip(), name
