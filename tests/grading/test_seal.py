"""A sealed notebook holds answers, what they need of ours, and probes; what is right stands in its outputs alone."""

from __future__ import annotations

import ast

import pytest

from gate.grading import protect
from gate.grading.exercises import Asked, asked, notebooks, sections
from gate.grading.inspect import refused
from gate.grading.probes import cases
from gate.grading.seal import seal
from gate.grading.words import Sealed
from gate.lab.derive import exercise_cells
from tests.grading.kit import perfect

NAMES = sorted(notebooks())


def questions(name: str) -> list[Asked]:
    return asked(name, dict(sections(name.partition("/")[0]))[name])


def sealed(name: str, **answers: str) -> Sealed:
    return seal(name, questions(name), answers or perfect(name.partition("/")[0])[name], 3)


@pytest.mark.parametrize("name", NAMES)
def test_every_check_has_one_cell_and_every_cell_one_check(name: str) -> None:
    found = sealed(name)
    wanted = [case.id for one in questions(name) for case in cases(one, 3)]
    assert sorted(found.probes.values()) == sorted(wanted)
    ids = [cell["id"] for cell in found.notebook["cells"]]
    assert len(set(ids)) == len(ids) and set(found.probes) <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_right_stands_in_an_output_and_in_no_source(name: str) -> None:
    for cell in sealed(name).notebook["cells"]:
        shown = [output["text"] for output in cell["outputs"]]
        assert (cell["execution_count"] is None) == (shown == [])
        if shown and '"ended"' not in shown[0]:
            assert shown[0].strip() not in cell["source"]


@pytest.mark.parametrize("name", NAMES)
def test_our_solution_is_not_in_it_when_somebody_else_answers(name: str) -> None:
    theirs = {id: f"{one.name} = None" for one in questions(name) for id in _cells(name, one)}
    if not theirs:
        return
    text = "\n".join(cell["source"] for cell in sealed(name, **theirs).notebook["cells"])
    ours = perfect(name.partition("/")[0])[name]
    for id in theirs:
        lines = [line.strip() for line in ours[id].splitlines()]
        told = ('"""', "#", "def ", "class ")  # signatures are given, and stand in classes of ours too
        assert [line for line in lines if len(line) > 30 and not line.startswith(told) and line in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_ours_needs_what_the_box_does_not_have(name: str) -> None:
    hidden = {file.removesuffix(".py").replace("/", ".") for file in protect.HIDDEN}
    names = {"AgentMemory", "ToolFence", "SqliteLedger", "MemoryLedger"}
    for cell in sealed(name).notebook["cells"]:
        for node in ast.walk(ast.parse(cell["source"])):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in hidden
                assert node.module != "gate" or not names.intersection(alias.name for alias in node.names)


def test_where_an_earlier_answer_is_missing_ours_stands() -> None:
    name = "arguments/03_schema_gate"
    gate = [one for one in questions(name) if one.id == "arguments.schema_gate"]
    answers = perfect("arguments")[name]
    found = seal(name, gate, {"schema-gate": answers["schema-gate"]}, 3)
    assert any(cell["id"] == "schema-schema" and "ord_" in cell["source"] for cell in found.notebook["cells"])


@pytest.mark.parametrize(
    "deep", [f"x = {'-' * 900}1", f"x = {'[' * 90}{']' * 90}", "x = 1" + " + 1" * 3000, "x = a" + ".b" * 3000]
)
def test_an_answer_that_is_nested_deep_is_sealed_or_refused(deep: str) -> None:
    name = "memory/03_fail_closed"
    source = f"{deep}\n{perfect('memory')[name]['closed-gate']}"
    if refused(name, source) is None:
        found = seal(name, questions(name), {"closed-gate": source}, 3)
        assert any(cell["source"] == source for cell in found.notebook["cells"])


@pytest.mark.parametrize("line", ["x = '\\d'", "y = x is 'a'", "z = 1if x else 2", "assert (x, 'always')"])
def test_bad_style_is_no_reason_to_leave_an_answer_out(line: str) -> None:
    name = "memory/03_fail_closed"
    source = f"x = 1\n{line}\n{perfect('memory')[name]['closed-gate']}"
    assert refused(name, source) is None
    found = seal(name, questions(name), {"closed-gate": source}, 3)
    assert any(cell["source"] == source for cell in found.notebook["cells"])


def _cells(name: str, one: Asked) -> list[str]:
    from gate.grading.exercises import solution
    from gate.lab.names import defined

    return [cell["id"] for cell in exercise_cells(solution(name)) if one.name in defined(cell["source"])]
