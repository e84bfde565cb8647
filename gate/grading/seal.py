"""Seals a notebook: our cells that the answers need, the answers by their ids, and after each answer its probes.

    setup ─ our cells ─ answer ─ its probes ─ our cells ─ answer ─ its probes …

Only definitions of ours are taken over: no cell that shows, draws or asks anything. A probe cell that has one right
observation stores it, for nbval to compare; where several are right, nothing is stored, and what it showed is judged
afterwards.

Not here: running it (`runner`), what its outputs mean (`grade`).
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gate.grading.exercises import Asked, solution
from gate.grading.observe import SETUP
from gate.grading.probes import Case, cases
from gate.grading.words import Sealed
from gate.lab.derive import Cell, Notebook, exercise_cells
from gate.lab.names import binds, defined, statements, uses

SECONDS = 30.0  # for one cell, on the clock: what a cell that only waits costs
Sources = Mapping[str, str]
Kept = tuple[str, str]


def seal(name: str, questions: Iterable[Asked], answers: Sources, seed: int) -> Sealed:
    """Return our notebook `name` with answers set in by cell id, and probes for the questions.

    `answers` must be plain Python that was inspected (`inspect.refused`). Where there is none, and a question needs
    what the cell makes without asking for it, our own stands there: so does a learner go on who fell behind.
    """
    wanted = {one.name: one for one in questions}
    source = solution(name)
    exercises = {cell["id"]: defined(cell["source"]) for cell in exercise_cells(source)}
    cells, probes = [_code("setup", SETUP)], dict[str, str]()
    for id, text in _kept(source, exercises, answers, set(wanted)):
        if text:
            cells.append(_code(id, text))
        for asked in [wanted[one] for one in exercises.get(id, ()) if one in wanted]:
            for case in cases(asked, seed):
                probe = f"probe-{len(probes) + 1:03}"
                probes[probe] = case.id
                cells.append(_probe(probe, asked, case))
    return Sealed(name, {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, probes, SECONDS)


def answer_cells(name: str, questions: Iterable[Asked]) -> dict[str, list[str]]:
    """Return for each question, by its id, the ids of the cells that answer it."""
    cells = exercise_cells(solution(name))
    return {one.id: [cell["id"] for cell in cells if one.name in defined(cell["source"])] for one in questions}


class _Part(NamedTuple):
    """A statement of ours or a whole answer: its cell, its text, the names that it makes and those that it uses."""

    cell: str
    text: str
    makes: frozenset[str]
    uses: frozenset[str]


def _kept(source: Notebook, exercises: Mapping[str, list[str]], answers: Sources, wanted: set[str]) -> list[Kept]:
    """Return (cell id, what is kept of it), in order: what makes the names that are wanted, and what these need.

    What our own solution needs is kept too, so that nobody loses by writing more, or less, than we did.
    """
    code = [cell for cell in source["cells"] if cell["cell_type"] == "code"]
    ours = {cell["id"]: cell["source"] for cell in code if not wanted.intersection(exercises.get(cell["id"], ()))}
    parts = [part for cell in code for part in _parts(cell, exercises, {**ours, **answers})]
    needed, before = set(wanted), -1
    while len(needed) > before:
        before = len(needed)
        needed.update(*(part.uses for part in parts if part.makes & needed))
    kept: dict[str, list[str]] = {}
    for part in parts:
        if part.makes & needed:
            kept.setdefault(part.cell, []).append(part.text)
    return [(cell, "\n".join(texts)) for cell, texts in kept.items()]


def _parts(cell: Cell, exercises: Mapping[str, list[str]], answers: Sources) -> Iterable[_Part]:
    id, ours = cell["id"], cell["source"]
    return [_answer(id, ours, answers.get(id, ""))] if id in exercises else _own(id, ours)


@functools.lru_cache(128)  # an answer that is run again, or that many have left as it was handed out
def _answer(id: str, ours: str, answer: str) -> _Part:
    both = [*statements(ours), *statements(answer)]
    return _Part(id, answer, _made(both), frozenset().union(*map(uses, both)))


@functools.cache
def _own(id: str, source: str) -> tuple[_Part, ...]:
    nodes = [one for node in statements(source) for one in _each(node)]
    return tuple(_Part(id, ast.unparse(one), _made([one]), frozenset(uses(one))) for one in nodes)


def _each(node: ast.stmt) -> list[ast.stmt]:
    """Return an import of several names as one for each: a box may not have what nobody needs."""
    if isinstance(node, ast.ImportFrom):
        return [ast.ImportFrom(node.module, [alias], node.level) for alias in node.names]
    return [node]


def _made(nodes: Iterable[ast.stmt]) -> frozenset[str]:
    return frozenset(name for node in nodes for name in binds(node))


def _probe(id: str, asked: Asked, case: Case) -> Cell:
    """Return a probe cell; with one right observation it counts as run, and holds it."""
    probe = case.probe
    source = f"show({asked.id!r}, {probe.observer!r}, lambda: {asked.name}, {json.dumps(probe.given)!r})"
    outputs = [{"name": "stdout", "output_type": "stream", "text": f"{probe.right}\n"}] if probe.right else []
    return {**_code(id, f"{SETUP}; {source}"), "outputs": outputs,
            "execution_count": 1 if probe.right else None}  # fmt: skip


def _code(id: str, source: str) -> Cell:
    return {"cell_type": "code", "id": id, "metadata": {}, "execution_count": None, "outputs": [], "source": source}
