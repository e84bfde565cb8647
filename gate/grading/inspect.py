"""What an answer cell has no business with: it is told before anything of it is run.

The box keeps answers apart; this is so that a person is told what was wrong, and what to do.

Not here: whether an answer is right. Not caught: names that are put together while the code runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from gate.errors import clip
from gate.lab.submission import MAX_CELL

_MARKER = re.compile(r"#\s*(NBVAL_[A-Z_]+|PYTEST_[A-Z_]+)")
_MAGIC = re.compile(r"^\s*(%|!|\?)|^[^#'\"\n]*\?\s*$", re.MULTILINE)
_IPYTHON = {
    "IPython",
    "ipykernel",
    "get_ipython",
    "InteractiveShell",
    "input_transformers_post",
    "input_transformers_cleanup",
}
_GRADERS = ("gate.grading", "nbval", "pytest", "_pytest", "nbclient", "jupyter_client")
_REFERENCE = {"reference", "solutions", "learner_copy"}
_TAKE_OUT = "Next: take it out of this cell, and hand in again."
#: What the kit itself has for the exercise of a notebook: an answer is to be one's own.
_KIT_HAS = {
    "memory/03_fail_closed": {"validate_tool_result", "judge_side", "AgentMemory"},
    "memory/04_isolate_memory_writes": {"AgentMemory"},
    "fence/02_one_key_one_mutation": {"ToolFence", "SqliteLedger", "MemoryLedger"},
    "fence/03_budget_and_clock": {"ToolFence", "SqliteLedger", "MemoryLedger"},
    "results/01_validate_run_wrap": {"run_tool"},
    "results/03_cap_the_result": {"tool_result", "wrapping"},
}


class Refused(NamedTuple):
    """Why an answer cell is not run: a code, and what to tell."""

    code: str
    told: str


def refused(notebook: str, source: str) -> Refused | None:
    """Return why an answer cell is not run, or None.

    >>> refused("memory/03_fail_closed", "%timeit f()").code
    'answer.magic'
    >>> refused("memory/03_fail_closed", "def f():\\n    return 1")
    """
    return next(_reasons(notebook, source), None)


def _reasons(notebook: str, source: str) -> Iterator[Refused]:
    if len(source) > MAX_CELL:
        yield Refused(
            "answer.long", f"the cell has {len(source)} characters, {MAX_CELL} are allowed. Next: shorten it."
        )
        return
    if marker := _MARKER.search(source):
        yield Refused("answer.marker", f"{marker[1]} is a mark for a test runner. {_TAKE_OUT}")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        if _MAGIC.search(source):
            yield Refused("answer.magic", f"line {line} is a command of the notebook, no Python. {_TAKE_OUT}")
        else:
            yield Refused("answer.not_python", f"line {line} is no Python. Next: run the cell, mend it, hand in again.")
        return
    for name in sorted(set(_named(tree))):
        yield from _about(notebook, name)


def _about(notebook: str, name: str) -> Iterator[Refused]:
    """Yield what is wrong with a name that a cell uses: a variable, an attribute, a module or a part of one."""
    last = name.rpartition(".")[2]
    if name.split(".")[0] in _IPYTHON or last in _IPYTHON:
        yield Refused("answer.ipython", f"{clip(name, 60)} changes the notebook itself. {_TAKE_OUT}")
    elif any(name == grader or name.startswith(f"{grader}.") for grader in _GRADERS):
        yield Refused("answer.grader", f"{clip(name, 60)} belongs to the grader. {_TAKE_OUT}")
    elif last in _REFERENCE and name != last or name == "reference":
        yield Refused("answer.reference", f"{clip(name, 60)} fetches the reference; an answer is your own. {_TAKE_OUT}")
    elif name.startswith("gate.") and last in _KIT_HAS.get(notebook, ()):
        yield Refused("answer.kit", f"{clip(name, 60)} is the kit's own; write yours. {_TAKE_OUT}")


def _named(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Attribute():
                yield _dotted(node)
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield str(module)
                yield from (f"{module}.{alias.name}" for alias in aliases)


def _dotted(node: ast.expr) -> str:
    """Return `gate.AgentMemory` for such an attribute; what stands before the first name is left out."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
