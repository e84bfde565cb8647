"""An answer that is a schema is written out: fetched from the contract that the kit has, it would be nobody's own.

What writes data out may be used: literals, loops, copies, `json` from a text, functions of one's own, types as a note
to the reader. What is made may be shown. All else is told before anything is run.

Not here: what no answer has any business with (`inspect`).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from gate.errors import escape
from gate.grading.exercises import solution
from gate.lab.exercise import bound
from gate.lab.names import parsed, statements

#: The notebooks that ask for a schema, and its name.
ASKED = {"memory/02_freeze_the_contract": "schema", "arguments/03_schema_gate": "schema"}
_MODULES = {"copy", "json"}
_NOTES = {"__future__", "typing"}  # from these what is imported stands for no data
_FUNCTIONS = {
    "AssertionError", "KeyError", "TypeError", "ValueError", "abs", "all", "any", "bool", "dict", "enumerate", "filter",
    "float", "frozenset", "int", "isinstance", "len", "list", "map", "max", "min", "next", "print", "range", "repr",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip", "copy", "deepcopy", "dumps", "loads",
}  # fmt: skip
_NOTE = ast.Constant("a type", lineno=0, col_offset=0, end_lineno=0, end_col_offset=0)
_SHOWS = {"board", "display", "pprint"}  # what is made, in a statement of its own
#: Of data all but `format`, which reads parts of what it is given by their names in a text.
_PARTS = {name for kind in (dict, list, set, str) for name in dir(kind) if not name.startswith(("_", "format"))} | {
    "deepcopy", "dumps", "loads",
}  # fmt: skip


def not_written_out(notebook: str, source: str) -> str | None:
    """Return the first thing in the cell of a schema that fetches or may fetch data, or None. The cell must be Python.

    >>> name = "memory/02_freeze_the_contract"
    >>> not_written_out(name, "schema = load_contracts().output('inventory.lookup').schema")
    'load_contracts'
    >>> not_written_out(name, "import copy\\nschema = copy.deepcopy({})\\nschema['additionalProperties'] = False")
    """
    tree = _without_notes(parsed(source))
    nodes = sorted(ast.walk(tree), key=_end)  # the first to be read is named
    made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if ASKED.get(notebook) not in made:
        return None
    made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    allowed = made | _FUNCTIONS | _MODULES | _data(notebook)
    return next((escape(name, 60) for node in nodes for name in _foreign(node, allowed)), None)


def _without_notes(tree: ast.Module) -> ast.Module:
    """Return a cell without its types, which stand for no data, and without what only shows what was made."""
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign() | ast.arg():
                node.annotation = _NOTE
            case ast.FunctionDef():
                node.returns = None
            case ast.Expr(value=ast.Call(func=ast.Name(id=name) as shows)) if name in _SHOWS:
                shows.id = "print"
            case ast.ImportFrom(module="pprint", names=[ast.alias(name="pprint", asname=None)]):
                node.module = "typing"
    return tree


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _foreign(node: ast.AST, allowed: set[str]) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (one.name for one in aliases if one.name not in _MODULES | _NOTES or one.asname)
        case ast.ImportFrom(module=module, names=aliases):
            known = module in _NOTES or module in _MODULES
            yield from (f"{module}.{one.name}" for one in aliases if not known or not _known(str(module), one))
        case ast.Attribute(attr=name) if name not in _PARTS:
            yield name
        case ast.Name(id=name) if name not in allowed:
            yield name
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in _FUNCTIONS | _MODULES:
            yield name  # what is called by that name would be something else
        case ast.FunctionDef(decorator_list=[_, *_]) | ast.AsyncFunctionDef() | ast.ClassDef() | ast.With():
            yield type(node).__name__.removesuffix("Def").lower()


def _known(module: str, alias: ast.alias) -> bool:
    return alias.asname is None and alias.name != "*" and (module in _NOTES or alias.name in _FUNCTIONS)


@functools.cache
def _data(notebook: str) -> frozenset[str]:
    """Return the names of the data that our own cells write out before: a learner may start from it."""
    found = set[str]()
    for cell in solution(notebook)["cells"]:
        if cell["cell_type"] == "code":
            for node in statements(cell["source"]):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict | ast.List):
                    found.update(name for target in node.targets for name in bound(target))
    return frozenset(found)
