"""A schema that is asked for is written out, and not fetched from the contract that the kit has."""

from __future__ import annotations

import pytest

from gate.grading.inspect import refused
from gate.grading.written_out import ASKED
from tests.grading.kit import perfect

MEMORY, ARGUMENTS = ASKED
_CELLS = perfect("memory", "arguments")
_OURS = {name: next(text for text in _CELLS[name].values() if "schema = {" in text) for name in ASKED}

FETCHES = {
    "load_contracts": "from gate import load_contracts\nschema = load_contracts().output('inventory.lookup').schema",
    "open": "import json\nschema = json.load(open('schemas/inventory.lookup.output.schema.json'))",
    "read": "import json\nwith open('x') as file:\n    schema = json.loads(file.read())",
    "Path": "from pathlib import Path\nimport json\nschema = json.loads(Path('x').read_text())",
    "codecs": "import json\nschema = json.loads(json.codecs.open('x').read())",
    "another name": "fetch = open\nschema = list(fetch('x'))",
    "a key": "schema = sorted(['x'], key=open)",
    "a hook": "import json\nschema = json.loads('1.5', parse_float=open)",
    "a default": "def f(x=open):\n    return list(x('x'))\nschema = f()",
    "a decorator": "import json\ndef f():\n    pass\nschema = f.__globals__['CONTRACTS']",
    "another module": "import json as copy\nschema = copy.loads('{}')",
    "a star": "from json import *\nschema = {}",
    "a name for another": "def f(loads):\n    return loads('x')\nschema = f(str)",
    "a contract of ours": "schema = CONTRACTS.output('inventory.lookup').schema",
    "parts named in a text": "def f():\n    pass\nschema = '{0.__globals__}'.format(f)",
    "a note that is no note": "from typing import sys\nschema = sys.path",
    "shown and kept": "schema = board('memory.contract', 1)",
    "fetched to be shown": "schema = {}\nprint(schema.update(load_contracts()))",
    "in a function": "def f():\n    return __import__('gate')\nschema = f()",
}
WRITES = {
    "a copy of what was loose": "import copy\nschema = copy.deepcopy(loose)\nschema['additionalProperties'] = False",
    "a text": 'import json\nschema = json.loads(\'{"type": "object"}\')\nprint(json.dumps(schema, indent=1))',
    "a loop": "schema = {}\nfor name in ['sku', 'warehouse']:\n    schema.setdefault('required', []).append(name)",
    "a function": "def text(most):\n    return {'maxLength': most}\nschema = {'properties': {'a': text(9)}}",
    "types": "from __future__ import annotations\nfrom typing import Any\nschema: dict[str, Any] = {}",
    "types of a function": "import typing\ndef f(x: typing.Any) -> typing.Any:\n    return x\nschema = f({})",
    "shown": "from pprint import pprint\nschema = {}\npprint(schema)\nboard('memory.contract', schema)",
    "a shallow copy": "from copy import copy\nschema = copy(loose)\nassert schema, 'it is empty'",
    "keys of one kind": "schema = dict.fromkeys('a b'.upper().split(), {'type': 'string'})\nschema.pop('A')",
    "parts": "names = {'sku': {'type': 'string'}}\nschema = {**names, 'required': [name for name in sorted(names)]}",
}


@pytest.mark.parametrize("way", FETCHES)
@pytest.mark.parametrize("name", ASKED)
def test_a_schema_that_is_fetched_is_refused_with_what_fetches_it(name: str, way: str) -> None:
    found = refused(name, FETCHES[way])
    assert found is not None and found.code in ("answer.fetched", "answer.insides")
    assert "Next: " in found.told


@pytest.mark.parametrize("way", WRITES)
def test_a_schema_may_be_put_together(way: str) -> None:
    assert refused(ARGUMENTS, WRITES[way]) is None


@pytest.mark.parametrize("name", ASKED)
def test_our_own_schemas_are_written_out(name: str) -> None:
    assert refused(name, _OURS[name]) is None


def test_the_gate_that_judges_by_the_schema_may_use_the_kit() -> None:
    cells = _CELLS[ARGUMENTS]
    assert [refused(ARGUMENTS, text) for text in cells.values()] == [None] * len(cells)
