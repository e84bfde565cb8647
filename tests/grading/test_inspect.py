"""What an answer cell has no business with is refused before it runs, with a code; plain answers are not."""

from __future__ import annotations

import pytest

from gate.grading.exercises import notebooks, solution
from gate.grading.inspect import _MAGIC, _MARKER, refused
from gate.lab.derive import exercise_cells
from gate.lab.exercise import stub

NAME = "memory/03_fail_closed"
BAD = {
    "answer.magic": [
        "%timeit f()",
        "!cat /etc/passwd",
        "%%bash\necho",
        "f?",
        "x = !ls",
    ],
    "answer.not_python": [
        "def f(:\n",
        "return 1",
        "f(\n",
        "x = 1\x00",
    ],
    "answer.marker": [
        "f = 1  # NBVAL_SKIP",
        "#NBVAL_IGNORE_OUTPUT\nf = 1",
        "# NBVAL_RAISES_EXCEPTION",
    ],
    "answer.ipython": [
        "get_ipython().run_cell('1')",
        "from IPython import get_ipython",
        "import ipykernel.kernelbase",
        "import IPython.display as d\nd.get_ipython()",
        "ip.input_transformers_post.append(f)",
    ],
    "answer.grader": [
        "import gate.grading.observe",
        "from gate.grading import seal",
        "import nbval.plugin",
        "import pytest",
        "import gate\ngate.grading.observe.observers.show",
    ],
    "answer.reference": [
        "reference('memory', '03')",
        "from gate.lab import reference",
        "from gate.lab.reference import solutions",
        "import gate.lab as lab\nlab.reference('memory', '03')",
    ],
    "answer.kit": [
        "from gate import validate_tool_result",
        "import gate\nf = gate.validate_tool_result",
        "from gate.results import validate_tool_result as mine",
        "from gate.results import *",
        "import gate.results as r\nf = r.validate_tool_result",
        "import gate.results as self\nf = self.validate_tool_result",
        "import gate\nself = gate\nf = self.validate_tool_result",
    ],
    "answer.insides": [
        "import sys\nsys.modules['json'] = 1",
        "import gc\ngc.get_objects()",
        "import builtins",
        "__builtins__",
        "__import__('os')",
        "().__class__.__base__.__subclasses__()",
        "import sys\nsys._getframe(1)",
        "f.__globals__['x']",
        "import sys\nsys.settrace(f)",
        "import importlib",
        "e.__traceback__.tb_frame",
        "eval('gate')",
        "import pkgutil\nf = pkgutil.resolve_name('gate.results:validate_tool_result')",
        "import runpy",
        "import subprocess\nsubprocess.run(['python'])",
        "from os import system",
        "import os\nos.popen('env')",
        "import pickle\npickle.loads(b'')",
        "import operator\noperator.attrgetter('__glo' + 'bals__')(f)",
        "import operator\noperator.attrgetter('__globals__')(f)",
        "import operator\nfetch = operator.attrgetter",
        "from operator import methodcaller as m\nm('x')(f)",
        "getattr(f, '__globals__')",
        "getattr([sys][0], 'modules')",
        "match f:\n    case object(__globals__=found):\n        pass",
        "from timeit import timeit",
        "exec(text)",
        "globals()['validate_tool_result']",
    ],
    "answer.patched": [
        "import json\njson.loads = eval",
        "json.dumps = str",
        "import jsonschema\nsetattr(jsonschema, 'x', 1)",
        "from gate import Contract\nContract.judge = f",
        "del json.loads",
        "import gate\ngetattr(gate, 'validate_' + 'tool_result')",
        "import gate\ngate.__dict__['x']",
        "vars(json)",
    ],
    "answer.long": ["x = 1\n" * 4000],
}


@pytest.mark.parametrize(("code", "source"), [(code, source) for code, found in BAD.items() for source in found])
def test_refuses(code: str, source: str) -> None:
    found = refused(NAME, source)
    assert found is not None and found.code == code
    assert "Next: " in found.told and len(found.told) <= 300


@pytest.mark.parametrize("source", ["\n" * 19_990 + "(", "a" + " " * 19_000 + "(", "x =" + " " * 19_000 + "(",
                                    "a" + ".b" * 9_990, "a" + ".b" * 950])  # fmt: skip
def test_a_text_made_to_be_slow_is_looked_at_line_by_line(source: str) -> None:
    found = refused(NAME, source)
    assert found is None or found.code == "answer.not_python"
    assert all(pattern.search(f"x\n\n{text}") for pattern, text in ((_MAGIC, "  %run"), (_MARKER, "# NBVAL_SKIP")))
    assert _MAGIC.search("\n\n%run") and not _MARKER.search("#\nNBVAL_SKIP")


@pytest.mark.parametrize(
    "source",
    [
        "modules = ['a']\ninspect = 1\nreference = 4\nbuiltins = [modules, inspect]",
        "class A:\n    def __init__(self):\n        super().__init__()\n        self.kept = type(self).__name__",
        "import json, re, threading, sqlite3, copy\nfrom pathlib import Path\nx = json.loads('{}')\nx.y = 3",
        "text = '%d of 3' % 4\nprint('is it?')  # really?",
        "x = 'NBVAL_SKIP is a word'",
        "from operator import attrgetter\nx = sorted(y, key=attrgetter('code', 'field'))",
        "class A:\n    def judge_side(self):\n        return 1\n    def f(self):\n        return self.judge_side()",
        "import asyncio\nawait asyncio.sleep(0)",
        "from IPython.display import display, Markdown\ndisplay(Markdown('x'))",
        "code = getattr(finding, 'code', None)\nmatch event:\n    case dict(): pass\n    case Finding(code=code): pass",
    ],
)
def test_lets_plain_python_alone(source: str) -> None:
    assert refused(NAME, source) is None


def test_lets_every_solution_and_every_stub_alone() -> None:
    for name in notebooks():
        for cell in exercise_cells(solution(name)):
            assert refused(name, cell["source"]) is None
            assert refused(name, stub(cell["source"])) is None
