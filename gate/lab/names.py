"""The names of a cell: those that it makes, and those that it looks up outside of its functions.

Not here: what they stand for. Not seen: names that are put together while the code runs.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterable, Iterator, Mapping

from gate.lab.exercise import bound

_HAD = {*dir(builtins), "display", "get_ipython", "In", "Out", "_", "__", "___"}  # by every cell of a notebook


def parsed(source: str) -> ast.Module:
    """Return the syntax of a cell, without a word about its style. Raises as `ast.parse` and `compile` do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
        # A return outside a function is found only here. A notebook may await anywhere.
        compile(tree, "answer", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return tree


def statements(source: str) -> list[ast.stmt]:
    """Return the statements of a cell; none if it is no Python."""
    try:
        return parsed(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def defined(source: str) -> list[str]:
    """Return the names that a cell defines, imports or assigns; none if it is no Python.

    >>> defined("import json\\nx = 1")
    ['json', 'x']
    """
    return [name for node in statements(source) for name in binds(node)]


def binds(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement at module level defines, imports them, or tries to import them."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.split(".")[0] for alias in aliases)
        case ast.Assign(targets=targets):
            for target in targets:
                yield from bound(target)
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Try(body=body):
            for inner in body:
                yield from binds(inner)


def uses(node: ast.stmt) -> set[str]:
    """Return the names that a statement looks up in the module: not what its functions have for themselves."""
    try:
        tables = [symtable.symtable(ast.unparse(node), "cell", "exec")]
    except (RecursionError, SyntaxError, MemoryError, UnicodeError):  # what is nested so deep is a student's
        return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    found = {name.get_name() for name in tables[0].get_symbols() if name.is_referenced()}
    for table in tables:
        tables += table.get_children()
        found |= {name.get_name() for name in table.get_symbols() if name.is_referenced() and name.is_global()}
    return found


def borrowed(answers: Mapping[str, str], ours: Iterable[str], theirs: Iterable[str]) -> dict[str, list[str]]:
    """Return for each answer cell the names that only a student's own cells make: whoever has the answers lacks them.

    `answers` are by cell id, `ours` are the cells of the kit, `theirs` all cells of the student's notebook.

    >>> borrowed({"a": "def f():\\n    return helper(1)"}, ["import json"], ["def helper(x):\\n    return x"])
    {'a': ['helper']}
    """
    had = _HAD.union(*map(defined, (*answers.values(), *ours)))
    own = {name for text in theirs for name in defined(text)} - had
    found = {id: sorted(own.intersection(*[set().union(*map(uses, statements(text)))])) for id, text in answers.items()}
    return {id: names for id, names in found.items() if names}


def unmade(answers: Iterable[str], cells: Iterable[str]) -> list[str]:
    """Return the names that answers look up and that no cell makes, theirs among `cells`; sorted.

    >>> unmade(["def f():\\n    return helper(json)"], ["import json", "def f():\\n    return helper(json)"])
    ['helper']
    """
    looked_up = set().union(*(uses(node) for source in answers for node in statements(source)))
    made = {name for source in cells for node in statements(source) for name in (*binds(node), *_stored(node))}
    return sorted(looked_up - made - _HAD)


def _stored(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement sets anywhere in it: in a loop, a `with`, a branch."""
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
