"""What an answer cell has no business with: it is told before anything of it is run.

The box keeps answers apart; this is so that a person is told what was wrong, and what to do.

Not here: whether an answer is right. Not caught: names that are put together while the code runs.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from gate.errors import escape
from gate.grading.exercises import solution
from gate.grading.written_out import not_written_out
from gate.lab.names import parsed
from gate.lab.submission import MAX_CELL

_MARKER = re.compile(r"#[^\S\n]*(NBVAL_[A-Z_]+|PYTEST_[A-Z_]+)")
#: Nothing here looks beyond its line, so that no number of blank lines makes it slow.
_MAGIC = re.compile(r"^[^\S\n]*(%|!|\?)|=[^\S\n]{0,99}[!%]|^[^#'\"?\n]*\?[^\S\n]*$", re.MULTILINE)
_IPYTHON = {
    "IPython",
    "ipykernel",
    "get_ipython",
    "InteractiveShell",
    "input_transformers_post",
    "input_transformers_cleanup",
}
_SHOWS = {"IPython.display", *(f"IPython.display.{name}" for name in ("display", "HTML", "JSON", "Markdown", "Pretty"))}
_GRADERS = ("gate.grading", "nbval", "pytest", "_pytest", "nbclient", "jupyter_client")
#: Ways to change or look into the kernel that tries the answer.
_INSIDES = {
    "builtins", "ctypes", "gc", "importlib", "inspect", "__builtins__", "__import__", "__subclasses__", "__globals__",
    "__code__", "__closure__", "__bases__", "__base__", "__mro__", "_getframe", "_current_frames", "settrace",
    "setprofile", "f_back", "f_globals", "f_locals", "tb_frame", "gi_frame", "modules", "meta_path", "path_hooks",
}  # fmt: skip
#: Modules that run a text, or fetch by its name what an import would be refused for.
_BY_NAME = {
    "pkgutil", "runpy", "pydoc", "code", "codeop", "timeit", "doctest", "trace", "pdb", "bdb", "cProfile", "profile",
    "subprocess", "multiprocessing", "pickle", "_pickle", "marshal", "shelve", "zipimport", "imp", "_imp", "site",
}  # fmt: skip
#: Functions of other modules that do the same.
_FETCHERS = {"get_type_hints", "system", "popen", "posix_spawn", "execv", "execve"}
_REFERENCE = {"reference", "solutions", "learner_copy"}
_RUNS_TEXT = {"eval", "exec", "compile", "globals", "locals", "breakpoint"}
_BY_TEXT = {"setattr", "delattr", "getattr", "vars", "dir"}
_FETCHES_PARTS = {"attrgetter", "methodcaller"}  # by a text too
_UNREAD = "a name made while it runs"
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
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        if _MAGIC.search(source):
            yield Refused("answer.magic", f"line {line} is a command of the notebook, no Python. {_TAKE_OUT}")
        else:
            yield Refused("answer.not_python", f"line {line} is no Python. Next: run the cell, mend it, hand in again.")
        return
    own = {f"self.{name}" for name in _of_own_classes(tree)}
    for way, name in sorted(set(_named(tree)) - {("part", name) for name in own}):
        yield from _about(notebook, way, name)
    if fetched := not_written_out(notebook, source):
        yield Refused("answer.fetched", f"a schema is written out, without {fetched}. Next: write it as one literal.")
    for name in sorted(_patched(tree, _imported(tree) | _imports_of(notebook))):
        yield Refused("answer.patched", f"{escape(name, 60)} is not yours to change or to search. {_TAKE_OUT}")


def _about(notebook: str, way: str, name: str) -> Iterator[Refused]:
    """Yield what is wrong with a name that a cell uses: one that it imports, calls, looks up in something, or reads."""
    first, last, shown = name.split(".")[0], name.rpartition(".")[2], escape(name, 60)
    if name not in _SHOWS and (first in _IPYTHON or last in _IPYTHON):
        yield Refused("answer.ipython", f"{shown} changes the notebook itself. {_TAKE_OUT}")
    elif way in ("import", "part") and any(name == grader or name.startswith(f"{grader}.") for grader in _GRADERS):
        yield Refused("answer.grader", f"{shown} belongs to the grader. {_TAKE_OUT}")
    elif (
        last in _INSIDES
        and (way in ("import", "part") or last.startswith("_"))
        or way == "import"
        and first in _INSIDES
    ):
        yield Refused("answer.insides", f"{shown} reaches into the kernel itself. {_TAKE_OUT}")
    elif (way == "import" and first in _BY_NAME) or (way in ("import", "part") and last in (_UNREAD, *_FETCHERS)):
        yield Refused("answer.insides", f"{shown} runs or fetches what nobody can read here. {_TAKE_OUT}")
    elif way == "call" and name in _RUNS_TEXT:
        yield Refused("answer.insides", f"{shown}() runs or looks up what nobody can read here. {_TAKE_OUT}")
    elif last in _REFERENCE and way in ("import", "part", "call"):
        yield Refused("answer.reference", f"{shown} fetches the reference; an answer is your own. {_TAKE_OUT}")
    elif way == "import" and first == "gate" and last == "*":
        yield Refused("answer.kit", f"{shown} brings the kit's own answers too; name what you need. {_TAKE_OUT}")
    elif way in ("import", "part") and last in _KIT_HAS.get(notebook, ()):
        yield Refused("answer.kit", f"{shown} is the kit's own; write yours. {_TAKE_OUT}")


def _named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (how it is used, name) for every name in a cell, those given as a text too."""
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[_, ast.Constant(value=str(part)), *_]) if name in _BY_TEXT:
                yield "call", name
                yield "part", part
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=texts) if name in _FETCHES_PARTS:
                yield from (("part", _text(text)) for text in texts)
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _FETCHES_PARTS and node not in called:
                yield "part", _UNREAD
            case ast.Call(func=ast.Name(id=name)):
                yield "call", name
            case ast.MatchClass(kwd_attrs=parts):
                yield from (("part", part) for part in parts)
            case ast.Name(id=name):
                yield "name", name
            case ast.Attribute():
                yield "part", _dotted(node)
            case ast.Import(names=aliases):
                yield from (("import", alias.name) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield "import", str(module)
                yield from (("import", f"{module}.{alias.name}") for alias in aliases)
                yield from (("part", _UNREAD) for alias in aliases if alias.name in _FETCHES_PARTS and alias.asname)


def _text(node: ast.expr) -> str:
    """Return the text that an argument is, or what nobody can read before it runs."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else _UNREAD


def _of_own_classes(tree: ast.AST) -> Iterator[str]:
    """Yield the names of the methods that a cell's own classes have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from (one.name for one in node.body if isinstance(one, ast.FunctionDef))


def _patched(tree: ast.AST, imported: set[str]) -> Iterator[str]:
    """Yield where a cell changes what was imported, or looks into it by a text: `json.loads = …`, `vars(json)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Attribute(attr="__dict__" | "__getattribute__"):
                found = _dotted(node)
            case ast.Call(func=ast.Name(id=name), args=[ast.expr() as first, *_]) if name in _BY_TEXT:
                found = _dotted(first)
            case _:
                continue
        if found.split(".")[0] in imported:
            yield found


def _imported(tree: ast.AST) -> set[str]:
    return {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


@functools.cache
def _imports_of(notebook: str) -> frozenset[str]:
    cells = solution(notebook)["cells"]
    return frozenset(
        name for cell in cells if cell["cell_type"] == "code" for name in _imported(ast.parse(cell["source"]))
    )


def _dotted(node: ast.expr) -> str:
    """Return `gate.AgentMemory` for such an attribute; what stands before the first name is left out."""
    parts = list[str]()
    while isinstance(node, ast.Attribute):  # a loop: a student may write a chain that is too long to call oneself for
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))
