"""Every keyword decides as in `jsonschema`, once what the kit is stricter about on purpose is taken out of the pair.

Taken out are number tokens (`4.0` is no integer, `1.0` is not 1), `$` before a last newline, and formats, which JSON
Schema does not check. Where `jsonschema` itself leaves the standard it cannot be asked: it divides doubles for a
`multipleOf` with a fraction, and reads `.` and classes like `\\w` as Python does.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.vet import KEYWORDS
from tests.cases_kit import contract
from tests.hard.budget import times
from tests.strategies import Schema, contracts, near

SCHEMAS, PAYLOADS = times(13), 20  # 5,000 pairs with GATE_HARD=20
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def plain(value: Any) -> Any:
    """Return a value whose whole numbers are all integers, and whose texts end in no newline."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return value.rstrip("\n")
    return int(value) if type(value) is float and value.is_integer() else value


_OF_NAMES = ("properties", "$defs", "dependentSchemas", "dependentRequired")  # their words are names, no keywords


def without_strictness(node: Any) -> Any:
    """Return a schema in which only plain JSON Schema is left."""
    if not isinstance(node, dict):
        return [without_strictness(part) for part in node] if isinstance(node, list) else plain(node)
    found: Schema = {}
    for word, part in node.items():
        if word in _OF_NAMES:
            found[word] = {name: without_strictness(inner) for name, inner in part.items()}
        elif not _gone(word, part):
            found[word] = plain(part) if word in ("enum", "const") else without_strictness(part)
    return found


def _gone(word: str, part: Any) -> bool:
    if word == "pattern":
        return "\\" in part or "." in part
    return word == "format" or (word == "multipleOf" and type(part) is float)


def test_every_pair_is_decided_as_by_jsonschema() -> None:
    counts: Counter[object] = Counter()
    rows: set[str] = set()

    @settings(max_examples=SCHEMAS, suppress_health_check=SLOW)
    @given(st.data())
    def judge(data: st.DataObject) -> None:
        schema: Schema = without_strictness(data.draw(contracts()))
        ours, theirs = contract(schema), Draft202012Validator(schema)
        rows.update(word for word in KEYWORDS if f'"{word}"' in json.dumps(schema))
        for _ in range(PAYLOADS):
            payload = data.draw(near(schema, schema))
            payload = plain(payload if isinstance(payload, dict) else {"a": payload})
            taken = bool(ours.judge(payload))
            assert taken == theirs.is_valid(payload), json.dumps([schema, payload])
            counts[taken] += 1

    judge()
    assert sum(counts.values()) >= SCHEMAS * PAYLOADS
    assert min(counts.values()) > SCHEMAS
    assert {"anyOf", "enum", "if", "items", "maxItems", "maximum", "pattern", "propertyNames"} <= rows
