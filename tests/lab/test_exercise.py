"""Rules of the marks in a cell: what stands under `# solution` goes, what takes its place runs as it is."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.lab.exercise import ExerciseError, is_exercise, solved_statements, stub

CASES = {
    "a function's body, its docstring kept": (
        'def f(a):\n    """Say."""\n    # solution\n    b = a\n    return b',
        'def f(a):\n    """Say."""\n    # your turn\n    raise NotImplementedError("f")',
    ),
    "the words of the mark reach the learner": (
        "def f():\n    # solution: use the é\n    return 1",
        'def f():\n    # your turn: use the é\n    raise NotImplementedError("f")',
    ),
    "what comes before in the function stays": (
        "def f(a):\n    b = 2 * a\n    # solution\n    return b",
        'def f(a):\n    b = 2 * a\n    # your turn\n    raise NotImplementedError("f")',
    ),
    "a closed block, and code after it": (
        "def f():\n    # solution\n    return 1\n    # end solution\n\nprint(f)",
        'def f():\n    # your turn\n    raise NotImplementedError("f")\n\nprint(f)',
    ),
    "two functions in one cell": (
        "def f():\n    # solution\n    return 1\n    # end solution\ndef g():\n    # solution\n    return 2",
        'def f():\n    # your turn\n    raise NotImplementedError("f")\n'
        'def g():\n    # your turn\n    raise NotImplementedError("g")',
    ),
    "a method is named with its class": (
        "class A:\n    def f(self):\n        # solution\n        return 1",
        'class A:\n    def f(self):\n        # your turn\n        raise NotImplementedError("A.f")',
    ),
    "an assignment becomes an ellipsis, everything else goes": (
        '# solution\nimport os\nx = {"a": 1}\nx["b"] = 2\nprint(x)\nn: int = 3\na, (b, *c) = 1, (2, 3)',
        "# your turn\nx = ...\nn: int = ...\na = ...\nb = ...\nc = ...",
    ),
    "only statements that define nothing": ("x = 1\n# solution\nprint(x)", "x = 1\n# your turn"),
    "whole functions keep signature, decorators and docstring": (
        "# solution\n@cache\ndef f(a: int,\n      b=2) -> int:\n    # the answer is easy\n    return a\n\n\n"
        'async def g():\n    """Say."""\n    return 1',
        '# your turn\n@cache\ndef f(a: int,\n      b=2) -> int:\n    raise NotImplementedError("f")\n\n'
        'async def g():\n    """Say."""\n    raise NotImplementedError("g")',
    ),
    "methods under a mark in a class": (
        "class A:\n    size = 1\n    # solution\n    def f(self): return 1\n"
        "    @property\n    def g(self):\n        return 2",
        'class A:\n    size = 1\n    # your turn\n    def f(self):\n        raise NotImplementedError("A.f")\n\n'
        '    @property\n    def g(self):\n        raise NotImplementedError("A.g")',
    ),
    "a whole class": (
        '# solution\nclass A(B):\n    """Say."""\n    size = 1\n    def f(self):\n        return 1',
        '# your turn\nclass A(B):\n    """Say."""\n    size = ...\n\n'
        '    def f(self):\n        raise NotImplementedError("A.f")',
    ),
    "a block inside with or if is never empty": (
        "with open(p) as file:\n    # solution\n    print(file)",
        "with open(p) as file:\n    # your turn\n    ...",
    ),
    "text that only looks like a mark": ('x = """\n# solution\n"""\ny = 1  # solution', None),
}


@pytest.mark.parametrize("name", CASES)
def test_derives(name: str) -> None:
    source, wanted = CASES[name]
    assert stub(source) == (source if wanted is None else wanted)
    assert is_exercise(source) is (wanted is not None)
    ast.parse(stub(source))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def f():\n    # solution\n    return 1\nprint(f)", "code further left follows line 2"),
        ("x = 1\n# solution\n", "nothing stands under line 2"),
        ("# solution\n# only a remark", "nothing stands under line 1"),
        ("# solution\nx = 1\n# solution\ny = 2", "line 3 opens a solution inside another"),
        ("x = 1\n# end solution", "line 2 ends a solution that none opened"),
        ("%time\n# solution\nx = 1", "make the cell plain, whole Python"),
        ("# solution\nx = (", "Next:"),
    ],
)
def test_refuses_marks_that_cannot_be_followed_and_says_what_to_do(source: str, says: str) -> None:
    with pytest.raises(ExerciseError, match=says) as refusal:
        stub(source)
    assert "Next:" in str(refusal.value)


def test_names_the_statements_that_hold_an_exercise() -> None:
    source = "import os\n\n\ndef f():\n    # solution\n    return 1\n    # end solution\n\n\nx = 1\n# solution\ny = 2"
    assert [node.lineno for node in solved_statements(source)] == [4, 12]
    assert solved_statements("x = 1") == []


STATEMENTS = ["x = 1", "def f(a):\n    return a", "y: int = 2", "print(3)", "import os"]


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6))
def test_a_stub_is_always_python_that_runs_and_holds_nothing_of_the_solution(statements: list[str]) -> None:
    derived = stub("z = 0\n# solution\n" + "\n".join(statements))
    exec(compile(derived, "stub", "exec"), {})
    assert "return" not in derived and "print" not in derived and derived.startswith("z = 0\n# your turn")
