"""Every keyword a contract may use, with values it takes and values it refuses, judged by both engines.

A keyword without a row fails, so that none can be let into a contract that is not checked. The last column is the code
of the refusal.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from gate.vet import KEYWORDS
from tests.cases_kit import WHOLE, WORD, contract, shape
from tests.strategies import Schema

NUMBER = {"type": "number", "minimum": -1000, "maximum": 1000}
BIG = 2**53 + 1


class Row(NamedTuple):
    keyword: str
    node: Schema  # the schema of the property `a`; `$defs` in it are moved to the root
    taken: list[Any]
    refused: list[Any]
    code: str = "other"


def array(**words: Any) -> Schema:
    return {"type": "array", "items": WHOLE, "maxItems": 9} | words


def pair(**words: Any) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": {"x": WHOLE, "y": WHOLE}} | words


def names(**words: Any) -> Schema:
    return {
        "type": "object",
        "additionalProperties": WHOLE,
        "propertyNames": {"maxLength": 3},
        "maxProperties": 2,
    } | words


ROWS = [
    Row("type", {"type": "string"}, ["", "4", "\U0001f600"], [4, None, True, [], {}], "type"),
    Row("type", {"type": "integer"}, [0, -1, 10**300, BIG], [4.0, 1e3, 4.5, "4", True, None, -0.0], "type"),
    Row("type", {"type": "number"}, [0, 4.0, -0.5, 1e300, 5e-324], ["4", True, None, []], "type"),
    Row("type", {"type": "boolean"}, [True, False], [0, 1, "true", None], "type"),
    Row("type", {"type": "null"}, [None], [0, False, "", "null", [], {}], "type"),
    Row("type", array(), [[], [1]], [{}, "[]", None, {"0": 1}], "type"),
    Row("type", pair(), [{}, {"x": 1}], [[], "{}", None], "type"),
    Row("type", {"type": ["integer", "null"]}, [1, None], [1.0, "1", False], "type"),
    Row("type", {"type": ["integer", "number"]}, [1, 1.0, 1.5], ["1", None], "type"),
    Row("enum", {"enum": ["sfo", "ams"]}, ["sfo"], ["SFO", "sfo ", "", None, ["sfo"]], "enum"),
    Row("enum", {"enum": [0, 1]}, [0, 1], [True, False, 1.0, 0.0, "1", None], "enum"),
    Row("enum", {"enum": [1.0, 2.5]}, [1.0, 2.5], [1, True, "1.0"], "enum"),
    Row("enum", {"enum": [True, None, [0], {"a": 1}]}, [True, None, [0], {"a": 1}], [1, [False], [0.0], {"a": 1.0}],
    "enum"),
    Row("enum", {"enum": [BIG]}, [BIG], [BIG - 1, BIG + 1, float(BIG)], "enum"),
    Row("const", {"const": 1}, [1], [True, 1.0, 2, "1"], "enum"),
    Row("const", {"const": "a"}, ["a"], ["A", "a\n"], "enum"),
    Row("const", {"const": False}, [False], [0, 0.0, None], "enum"),
    Row("const", {"const": {"a": [1]}}, [{"a": [1]}], [{"a": [1.0]}, {"a": [True]}, {}], "enum"),
    Row("properties", pair(), [{"x": 1}, {}], [{"x": 10}], "range"),
    Row("additionalProperties", pair(), [{"x": 1}], [{"z": 1}, {"X": 1}, {"x ": 1}, {"\u0445": 1}], "unknown_field"),
    Row("additionalProperties", names(), [{"q": 1}, {}], [{"q": 10}], "range"),
    Row("required", pair(required=["x"]), [{"x": 1}], [{}, {"y": 1}], "missing_field"),
    Row("dependentRequired", pair(dependentRequired={"x": ["y"]}), [{}, {"y": 1}, {"x": 1, "y": 1}], [{"x": 1}],
    "missing_field"),
    Row("propertyNames", names(), [{"abc": 1}], [{"abcd": 1}], "unknown_field"),
    Row("propertyNames", names(propertyNames={"pattern": "^[a-z]+$"}), [{"abcd": 1}], [{"A": 1}, {"": 1}, {"a\n": 1},
    {"42": 1}], "unknown_field"),
    Row("minProperties", pair(minProperties=1), [{"x": 1}], [{}]),
    Row("maxProperties", names(), [{"a": 1, "b": 1}], [{"a": 1, "b": 1, "c": 1}]),
    Row("items", array(), [[], [0, 9]], [[10], [0, -1]], "range"),
    Row("items", {"type": "array", "items": False}, [[]], [[1]], "items"),
    Row("prefixItems", array(prefixItems=[WORD]), [[], ["a"], ["a", 1]], [[1], [1, 1]], "type"),
    Row("minItems", array(minItems=2), [[1, 1]], [[], [1]], "items"),
    Row("maxItems", array(maxItems=2), [[], [1, 1]], [[1, 1, 1]], "items"),
    Row("uniqueItems", array(uniqueItems=True), [[], [1, 2]], [[1, 1], [1, 2, 1]], "items"),
    Row("uniqueItems", array(items=NUMBER, uniqueItems=True), [[1, 1.5]], [[1, 1.0], [0, -0.0]], "items"),
    Row("uniqueItems", array(items={"enum": [0, 1, True, False, [0], [False]]}, uniqueItems=True), [[1, True, 0,
    False]], [[[0], [0]]], "items"),
    Row("uniqueItems", array(uniqueItems=False), [[1, 1]], [[10]], "range"),
    Row("contains", array(contains={"const": 1}), [[1], [2, 1]], [[], [2]], "items"),
    Row("minContains", array(contains={"const": 1}, minContains=2), [[1, 1]], [[1], []], "items"),
    Row("minContains", array(contains={"const": 1}, minContains=0), [[], [2]], [[10]], "range"),
    Row("maxContains", array(contains={"const": 1}, maxContains=1), [[1]], [[1, 1], []], "items"),
    Row("minLength", WORD | {"minLength": 2}, ["ab", "\u00e9\u00e9", "\U0001f600\U0001f600"], ["", "a", "\U0001f600"],
    "length"),
    Row("maxLength", {"type": "string", "maxLength": 2}, ["", "ab", "\U0001f600\U0001f600"], ["abc", "e\u0301x"],
    "length"),
    Row("pattern", WORD | {"pattern": "^ord_[0-9]{4}$"}, ["ord_1842"], ["ord_1842\n", "ord_18", "\nord_1842",
    "ord_\uff11\uff18\uff14\uff12"], "pattern"),
    Row("format", WORD | {"format": "line"}, ["a b"], ["", " a", "a\nb", "a\u200bb"], "format"),
    Row("minimum", {"type": "number", "minimum": 0.5, "maximum": 9}, [0.5, 1, 9], [0.49, 0, -1], "range"),
    Row("minimum", {"type": "integer", "minimum": BIG, "maximum": BIG + 2}, [BIG], [BIG - 1], "range"),
    Row("maximum", {"type": "integer", "minimum": 0, "maximum": 9}, [9], [10, 10**300], "range"),
    Row("maximum", {"type": "number", "minimum": 0, "maximum": BIG}, [BIG, float(BIG - 1)], [BIG + 1, 1e300], "range"),
    Row("exclusiveMinimum", {"type": "number", "exclusiveMinimum": 0, "maximum": 9}, [5e-324, 0.01], [0, 0.0, -0.0,
    -1], "range"),
    Row("exclusiveMaximum", {"type": "number", "minimum": 0, "exclusiveMaximum": 9}, [8.999999], [9, 9.0], "range"),
    Row("multipleOf", NUMBER | {"multipleOf": 0.01}, [19.99, 0.07, 500, 0, -0.01], [19.999, 0.001, 1e-320], "range"),
    Row("multipleOf", {"type": "integer", "multipleOf": 3}, [0, 9, -3, 3 * 10**40], [1, 10, 10**40], "range"),
    Row("multipleOf", {"type": "number", "multipleOf": 2.5}, [5, 7.5, 1e35, 1.7976931348623157e308], [1, 7.6,
    10**40 + 1], "range"),
    Row("allOf", {"allOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"multipleOf": 2}]}, [4], [5, 12],
    "range"),
    Row("anyOf", {"anyOf": [WHOLE, {"type": "null"}]}, [4, None], [-1, 10], "range"),
    Row("anyOf", {"anyOf": [WHOLE, {"type": "null"}]}, [0], ["4", 4.0, 4.5, False, []], "type"),
    Row("anyOf", {"anyOf": [pair(required=["x"]), WORD]}, [{"x": 1}, "a"], [{}, {"y": 1}], "missing_field"),
    Row("anyOf", {"anyOf": [pair(required=["x"]), pair(required=["y"])]}, [{"x": 1}], [{}]),
    Row("oneOf", {"oneOf": [WHOLE, {"type": "integer", "minimum": 5, "maximum": 12}]}, [1, 12], [6, 13]),
    Row("oneOf", {"oneOf": [WHOLE, WORD]}, [1, "a"], [None, 1.0], "type"),
    Row("not", WORD | {"not": {"const": "no"}}, ["yes"], ["no"]),
    Row("if", WHOLE | {"if": {"const": 1}, "then": {"enum": [1, 2]}, "else": {"multipleOf": 3}}, [1, 3], [2, 4],
    "range"),
    Row("then", WORD | {"if": {"minLength": 2}, "then": {"pattern": "^a"}}, ["", "b", "ab"], ["bb"], "pattern"),
    Row("else", WORD | {"if": {"minLength": 2}, "else": {"pattern": "^a"}}, ["a", "bb"], ["b"], "pattern"),
    Row("$ref", {"$ref": "#/$defs/n", "$defs": {"n": WHOLE}}, [1], [10], "range"),
    Row("$ref", {"$ref": "#/$defs/n", "maximum": 5, "$defs": {"n": WHOLE}}, [5], [6], "range"),
    Row("$defs", {"$ref": "#/$defs/t", "$defs": {"t": pair(properties={"x": WHOLE,
    "t": {"$ref": "#/$defs/t"}})}}, [{"t": {"t": {"x": 1}}}], [{"t": {"t": {"x": 10}}}], "range"),
    *(
        Row(note, WHOLE | {note: value}, [1], [10], "range")
        for note, value in {
            "title": "t", "description": "d", "examples": [10], "deprecated": True, "readOnly": True,
            "writeOnly": True, "$comment": "c",
        }.items()
    ),
]  # fmt: skip

#: They stand at the root only, and say what the schema is; no value is judged by them.
NAMES = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.org/a.json"}

PLAIN_DIFFERS = {"multipleOf"}  # jsonschema divides doubles: 19.99 is no multiple of 0.01 there


def built(row: Row) -> Schema:
    node = dict(row.node)
    moved = {"$defs": node.pop("$defs")} if "$defs" in node else {}
    return shape(a=node) | moved


CASES = [
    pytest.param(row, value, taken, id=f"{number} {row.keyword} {ascii(value)[:30]}-{taken}")
    for number, row in enumerate(ROWS)
    for taken, values in ((True, row.taken), (False, row.refused))
    for value in values
]


def test_no_keyword_is_without_a_row() -> None:
    assert {row.keyword for row in ROWS} | set(NAMES) == KEYWORDS


def test_every_row_takes_and_refuses() -> None:
    assert all(row.taken and row.refused for row in ROWS)


@pytest.mark.parametrize(("row", "value", "taken"), CASES)
def test_both_engines_decide_as_the_table_says(row: Row, value: Any, taken: bool) -> None:
    schema, payload = built(row), {"a": value}
    first, second = contract(schema), contract(schema, True)
    for raw in (payload, json.dumps(payload), json.dumps(payload, ensure_ascii=False).encode()):
        decision = first.judge(raw)
        assert repr(decision) == repr(second.judge(raw))
        if taken:
            assert repr(decision.value) == repr(payload)
        else:
            assert set(decision.codes) == {f"schema.{row.code}"}
            assert all(found.path.startswith("/a") for found in decision.findings)


@pytest.mark.parametrize(("row", "value", "taken"), [case for case in CASES if case.values[2]])
def test_what_is_taken_is_valid_by_plain_json_schema(row: Row, value: Any, taken: bool) -> None:
    if row.keyword not in PLAIN_DIFFERS:
        assert Draft202012Validator(built(row)).is_valid({"a": value})


@pytest.mark.parametrize("word", NAMES)
def test_a_name_at_the_root_changes_nothing(word: str) -> None:
    named = shape(a=WHOLE) | {word: NAMES[word]}
    for second in (False, True):
        assert contract(named, second).judge('{"a": 1}')
        assert contract(named, second).judge('{"a": 10}').codes == ("schema.range",)
