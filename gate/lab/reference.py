"""If you fell behind: the reference solution's names for the next section, the student's own kept.

    reference("memory", "03")

What stands under `# solution` is cut out of the solution notebook with the imports and definitions it needs, and run in
a namespace of its own. Cells that only do something are not run.

Not here: the marks (`exercise`), the notebooks (`derive`).
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from gate.errors import ConfigError, quote
from gate.files import HOME
from gate.lab.board import turned_green
from gate.lab.derive import Notebook, read_notebook
from gate.lab.exercise import solved_statements
from gate.lab.names import binds
from gate.lab.show import Shown

Names = dict[str, Any]
_loaded: Names = {}  # what this kernel has from here, by name: that is not the student's own


def reference(lab: str, section: str, *names: str) -> Shown:
    """Load the reference for a section into the notebook and say what was loaded and what was kept.

    `section` is its number or its whole id; `names` picks some of its exercises. A name that is missing or not written
    yet is loaded. One whose board is red is loaded too, and the student's stays as `my_<name>`. One whose board is
    green, or that has none, stays as it is; so does a reference that was loaded before. Raises `ConfigError` for a
    section or name that is not there.

    >>> reference("memory", "03", "validate_tool_result")
    validate_tool_result: the reference, loaded
    """
    solved = solutions(HOME / "notebooks" / "solutions" / lab, section)
    unknown = [name for name in names if name not in solved]
    if unknown:
        raise ConfigError(f"{quote(unknown[0])} is no exercise of {lab} {section}. Next: use {', '.join(solved)}.")
    namespace = sys._getframe(1).f_globals
    lines = [_load(namespace, name, solved[name]) for name in names or solved]
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return Shown("\n".join(lines), f"<ul>{items}</ul>")


def solutions(folder: Path, section: str) -> Names:
    """Return what the exercises of a section define in its solution, by name."""
    found = sorted(folder.glob(f"{section}*.ipynb"))
    if len(found) != 1:
        raise ConfigError(f"{folder.name} has no section {quote(section)}. Next: use its number, such as 03.")
    notebook = read_notebook(found[0])
    wanted = exercise_names(notebook)
    namespace: Names = {"__name__": f"{folder.name}.{found[0].stem}"}
    for statement in _needed(notebook, wanted):
        exec(compile(ast.Module([statement], []), found[0].name, "exec"), namespace)  # noqa: S102 - the kit's own file
    return {name: namespace[name] for name in wanted}


def exercise_names(notebook: Notebook) -> list[str]:
    """Return the names that a solution's exercises define, in order."""
    found = [name for cell in _code(notebook) for node in solved_statements(cell) for name in binds(node)]
    return list(dict.fromkeys(found))


def _load(namespace: Names, name: str, solution: Any) -> str:
    if name not in namespace or _unwritten(namespace[name]):
        namespace[name] = _loaded[name] = solution
        return f"{name}: the reference, loaded"
    if namespace[name] is _loaded.get(name):
        return f"{name}: the reference, kept"
    green = turned_green(namespace[name])
    if green:
        return f"{name}: yours, kept (its board is green)"
    if green is None:  # no board: nobody knows whether it is right
        return f"{name}: yours, kept; for the reference run del {name}, and this cell again"
    namespace[f"my_{name}"], namespace[name] = namespace[name], solution
    _loaded[name] = solution
    return f"{name}: the reference, loaded; yours is my_{name} (its board is red)"


def _unwritten(value: Any) -> bool:
    """Say whether a value is a stub, or a class with one in it."""
    if isinstance(value, type):
        return any(map(_unwritten, vars(value).values()))
    if isinstance(value, property):
        return _unwritten(value.fget)
    return value is ... or (isinstance(value, types.FunctionType) and "NotImplementedError" in value.__code__.co_names)


def _needed(notebook: Notebook, wanted: list[str]) -> list[ast.stmt]:
    """Return the statements that define the wanted names and all that these need, in their order."""
    statements = [node for cell in _code(notebook) for node in ast.parse(cell).body if any(binds(node))]
    needed, chosen = set(wanted), set[int]()
    for _ in statements:
        before = len(needed)
        for index, node in enumerate(statements):
            if needed.intersection(binds(node)):
                chosen.add(index)
                needed.update(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        if len(needed) == before:
            break
    return [statements[index] for index in sorted(chosen)]


def _code(notebook: Notebook) -> Iterator[str]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and not cell["source"].lstrip().startswith(("%", "!")):
            yield cell["source"]
