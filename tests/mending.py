"""A person with a to-do list: writes into a schema what the hint of each finding says, and nothing else."""

from __future__ import annotations

import copy
import json
from typing import Any

from gate.errors import Finding

Schema = dict[str, Any]
_AT_A_KEYWORD = ("default", "keyword", "required", "format", "pattern", "unanchored", "dialect", "ref", "remote_ref")


def mended(schema: Schema, found: Finding) -> Schema:
    """Return a copy of the schema in which the finding's line is written, or what it says is dropped."""
    new = copy.deepcopy(schema)
    reason = found.code.removeprefix("contract.")
    path = [json.loads(f'"{part}"').replace("~1", "/").replace("~0", "~") for part in found.path.split("/")[1:]]
    word = path.pop() if reason in _AT_A_KEYWORD else None
    verb, _, line = found.hint.partition(" ")
    assert verb in ("write", "drop"), found
    if line.startswith("{"):
        _at(new, path[:-1])[path[-1]] = json.JSONDecoder().raw_decode(line)[0]
        return new
    node, pairs = _at(new, path), _pairs(line)
    for name, value in pairs.items():
        if verb == "drop":
            assert node.get(name, value) == value
            node.pop(name, None)
        else:
            node[name] = value
    if verb == "write" and word not in pairs:  # written instead of a misspelt one
        node.pop(word, None)
    return new


def _at(schema: Any, path: list[str]) -> Any:
    for part in path:
        schema = schema[int(part) if isinstance(schema, list) else part]
    return schema


def _pairs(line: str) -> Schema:
    pairs: Schema = {}
    decode, here = json.JSONDecoder().raw_decode, 0
    while not pairs or line[here:].startswith(', "'):
        here += 2 if pairs else 0
        name, here = decode(line, here)
        assert line[here : here + 2] == ": "
        pairs[name], here = decode(line, here + 2)
    return pairs
