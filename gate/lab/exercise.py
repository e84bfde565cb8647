"""Exercises in a cell's source: what stands under `# solution`, and the stub that takes its place.

    def double(n):              def double(n):
        # solution: one line        # your turn: one line
        return 2 * n                raise NotImplementedError("double")

A block ends at `# end solution` or with the cell. In a function it becomes a raise with the function's name; around
functions each keeps its signature and docstring; at module level `name = …` becomes `name = ...`. Everything else in
the block goes. Stubs use only what Python has, so that an unsolved cell never fails by being defined.

Not here: notebooks (`derive`), what a board says of a stub (`board`).
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

_OPENS = re.compile(r"# solution(?:: (?P<words>.+))?")
_CLOSES = "# end solution"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class ExerciseError(ValueError):
    """A cell whose marks cannot be followed; the text says what to do."""


class Block(NamedTuple):
    """One exercise: lines `start` (its mark) to `end` (the line after its last), counted from 0, and its words."""

    start: int
    end: int
    indent: int
    words: str


def is_exercise(source: str) -> bool:
    """Say whether a cell holds an exercise."""
    return "# solution" in source and bool(blocks(source))


@functools.lru_cache(256)  # a grader asks for the same few again for each submission
def stub(source: str) -> str:
    """Return the learner's form of a cell. Raises `ExerciseError` if its marks cannot be followed.

    >>> stub("answer = 42  # kept\\n# solution\\ntwice = 2 * answer")
    'answer = 42  # kept\\n# your turn\\ntwice = ...'
    """
    found = blocks(source)
    tree = _parsed(source) if found else ast.Module([], [])
    lines = source.split("\n")
    for block in reversed(found):
        mark = " " * block.indent + "# your turn" + (f": {block.words}" if block.words else "")
        closing = lines[block.end : block.end + 1]
        after = block.end + (1 if closing and closing[0].strip() == _CLOSES else 0)
        lines[block.start : after] = [mark, *_stub_lines(tree, block, lines)]
    derived = "\n".join(lines).rstrip()
    _parsed(derived)
    return derived


def solved_statements(source: str) -> list[ast.stmt]:
    """Return the statements at module level that hold or stand in an exercise."""
    found = blocks(source)
    return [
        node
        for node in (_parsed(source).body if found else [])
        if any(node.lineno <= block.end and block.start < (node.end_lineno or node.lineno) for block in found)
    ]


@functools.lru_cache(256)
def blocks(source: str) -> tuple[Block, ...]:
    """Return the exercises in a cell, in order."""
    found: list[Block] = []
    opened: Block | None = None
    for line, column, text in _comments(source):
        mark = _OPENS.fullmatch(text)
        if mark and opened:
            raise ExerciseError(f"line {line + 1} opens a solution inside another. Next: write {_CLOSES} before it.")
        if mark:
            opened = Block(line, source.count("\n") + 1, column, mark["words"] or "")
        elif text == _CLOSES and opened:
            found.append(opened._replace(end=line))
            opened = None
        elif text == _CLOSES:
            raise ExerciseError(f"line {line + 1} ends a solution that none opened. Next: write # solution above it.")
    return (*found, opened) if opened else tuple(found)


def _comments(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield (line, column, text) of each comment that has its line to itself."""
    if "# solution" not in source and _CLOSES not in source:
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT and token.line.strip() == token.string:
                yield token.start[0] - 1, token.start[1], token.string.rstrip()
    except (tokenize.TokenError, SyntaxError) as error:
        raise ExerciseError(f"the cell is not plain Python ({error}). Next: take magics out of it.") from error


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise ExerciseError(f"line {error.lineno}: {error.msg}. Next: make the cell plain, whole Python.") from error


def _stub_lines(tree: ast.Module, block: Block, lines: list[str]) -> list[str]:
    """Return what stands below the mark in the learner's copy."""
    owner, statements = _inside(tree, block, ())
    if any(node.col_offset < block.indent for node in statements):
        raise ExerciseError(f"code further left follows line {block.start + 1}. Next: write {_CLOSES} before it.")
    if not statements:
        raise ExerciseError(f"nothing stands under line {block.start + 1}. Next: write the solution there.")
    pad, names = " " * block.indent, [node.name for node in owner]
    if owner and not isinstance(owner[-1], ast.ClassDef):
        return [f"{pad}{_raise(names)}"]
    made = _joined([_stub_of(node, lines, pad, names) for node in statements])
    return made or ([f"{pad}..."] if pad else [])


def _inside(
    node: ast.AST, block: Block, around: tuple[Definition, ...]
) -> tuple[tuple[Definition, ...], list[ast.stmt]]:
    """Return the definitions around a block, outermost first, and the topmost statements in it."""
    owner = around
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and block.start < child.lineno - 1 < block.end:
            owner, found = around, [*found, child]
        elif not found:
            owner, found = _inside(child, block, (*around, child) if isinstance(child, Definition) else around)
    return owner, found


def _stub_of(node: ast.stmt, lines: list[str], pad: str, names: list[str]) -> list[str]:
    match node:
        case ast.Assign():
            return [f"{pad}{name} = ..." for target in node.targets for name in bound(target)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [f"{pad}{name}: {ast.unparse(node.annotation)} = ..."]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*_head(node, lines), f"{pad}    {_raise([*names, node.name])}"]
        case ast.ClassDef():
            inner = [_stub_of(child, lines, f"{pad}    ", [*names, node.name]) for child in node.body]
            return [*_head(node, lines), *(_joined(inner) or [f"{pad}    ..."])]
    return []


def _joined(stubs: list[list[str]]) -> list[str]:
    """Return the lines of all stubs, with an empty line before each definition but the first."""
    made: list[str] = []
    for stub_lines in stubs:
        defines = bool(stub_lines) and stub_lines[0].lstrip().startswith(("def ", "async ", "class ", "@"))
        made += [""] if made and defines else []
        made += stub_lines
    return made


def bound(target: ast.expr) -> list[str]:
    """Return the names that an assignment to `target` defines: `x, y` two, `x["a"]` none."""
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _head(node: Definition, lines: list[str]) -> list[str]:
    """Return decorators, signature and docstring as they were written."""
    first, body = _first_line(node), node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        return lines[first : body.end_lineno]
    if body.lineno == node.lineno:  # def f(x): return x
        before = lines[node.lineno - 1].encode()[: body.col_offset].decode().rstrip()
        return [*lines[first : node.lineno - 1], before]
    head = lines[first : _first_line(body)]
    while not head[-1].strip() or head[-1].lstrip().startswith("#"):  # a remark on the solution goes with it
        head.pop()
    return head


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1


def _raise(names: list[str]) -> str:
    return f'raise NotImplementedError("{".".join(names)}")'
