"""One meaning, one spelling: what is no change of a contract, and what is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.contract import Contract
from gate.contracts.meaning import meaning
from gate.errors import ConfigError
from tests.cases_kit import WHOLE, WORD, Schema, shape
from tests.strategies import contracts, judged

TREE = shape(n=WHOLE) | {"properties": {"n": WHOLE, "next": {"$ref": "#/$defs/tree"}}}

SAME: list[tuple[str, Schema, Schema]] = [
    ("the order of keys", {"type": "object", "properties": {}}, {"properties": {}, "type": "object"}),
    ("the order of required", shape(a=WORD, b=WORD), shape(a=WORD, b=WORD) | {"required": ["b", "a"]}),
    ("the order of enum", {"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
    ("the order of types", {"type": ["null", "string"]}, {"type": ["string", "null"]}),
    ("the order of anyOf", {"anyOf": [WHOLE, WORD]}, {"anyOf": [WORD, WHOLE]}),
    ("moved into $defs", shape(a=WORD), shape(a={"$ref": "#/$defs/w"}) | {"$defs": {"w": WORD}}),
    ("moved twice", shape(a=WORD), shape(a={"$ref": "#/$defs/v"}) | {"$defs": {"v": {"$ref": "#/$defs/w"}, "w": WORD}}),
    ("beside a note", shape(a=WORD), shape(a={"$ref": "#/$defs/w", "title": "A"}) | {"$defs": {"w": WORD}}),
    ("inside allOf", shape(a=WORD), shape(a={"allOf": [{"$ref": "#/$defs/w"}]}) | {"$defs": {"w": WORD}}),
    ("notes", WORD, WORD | {"title": "t", "description": "d", "examples": ["x"], "$comment": "c"}),
    ("const", {"const": 1}, {"enum": [1]}),
    ("a type that the values say", {"enum": ["a"]}, {"type": "string", "enum": ["a"]}),
    ("a value of another type", {"enum": ["a"]}, {"type": "string", "enum": ["a", 1]}),
    ("one type in a list", {"type": ["string"]}, {"type": "string"}),
    ("integers are numbers", {"type": ["integer", "number"]}, {"type": "number"}),
    ("no least length", WORD, WORD | {"minLength": 0}),
    ("a bound of another type", WORD, WORD | {"minimum": 3}),
    ("an exclusive bound of integers", {"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    ("a bound with a point", {"type": "number", "maximum": 9}, {"type": "number", "maximum": 9.0}),
    ("an empty required", {"type": "object"}, {"type": "object", "required": [], "dependentRequired": {"a": []}}),
    ("anyOf inside anyOf", {"anyOf": [WHOLE, WORD]}, {"anyOf": [{"anyOf": [WORD, WHOLE]}]}),
    ("null beside", {"anyOf": [WORD, {"type": "null"}]}, WORD | {"type": ["string", "null"]}),
    ("null beside a choice", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, {"enum": ["a", None]}),
    ("an object or nothing", {"anyOf": [shape(a=WORD), {"type": "null"}]},
     shape(a=WORD) | {"type": ["null", "object"]}),
    ("an integer or nothing", {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]},
     {"type": ["integer", "null"], "minimum": 1}),
    ("brackets around an alternative of two types", {"anyOf": [WHOLE, {"anyOf": [WORD, {"type": "null"}]}]},
     {"anyOf": [WHOLE, WORD, {"type": "null"}]}),
    ("one of several that are never two", {"oneOf": [WHOLE, WORD]}, {"anyOf": [WORD, WHOLE]}),
    ("an alternative twice", {"anyOf": [WHOLE, WORD]}, {"anyOf": [WORD, WHOLE, WORD]}),
    ("definitions that nobody uses", shape(a=WORD), shape(a=WORD) | {"$defs": {"w": WHOLE}}),
    ("a tree by another name", shape(a={"$ref": "#/$defs/tree"}) | {"$defs": {"tree": TREE}},
     shape(a={"$ref": "#/$defs/t"}) | {"$defs": {"t": json.loads(json.dumps(TREE).replace("tree", "t"))}}),
    ("a tree behind another name", shape(a={"$ref": "#/$defs/tree"}) | {"$defs": {"tree": TREE}},
     shape(a={"$ref": "#/$defs/x"}) | {"$defs": {"tree": TREE, "x": {"$ref": "#/$defs/tree"}}}),
]  # fmt: skip

OTHER: list[tuple[str, Schema, Schema]] = [
    ("1 and true", {"enum": [1]}, {"enum": [True]}),
    ("1 and 1.0", {"const": 1}, {"const": 1.0}),
    ("a narrowed reference", shape(a=WORD), shape(a={"$ref": "#/$defs/w", "minLength": 3}) | {"$defs": {"w": WORD}}),
    (
        "one of two that may be both",
        {"oneOf": [WHOLE, WHOLE | {"maximum": 3}]},
        {"anyOf": [WHOLE, WHOLE | {"maximum": 3}]},
    ),
    ("one of an integer and a number", {"oneOf": [WHOLE, {"type": "number"}]}, {"anyOf": [WHOLE, {"type": "number"}]}),
    ("one of two lists of values", {"oneOf": [{"enum": ["a"]}, {"enum": ["a", "b"]}]}, {"enum": ["a", "b"]}),
    ("an alternative twice, of which one may hold", {"oneOf": [WORD]}, {"oneOf": [WORD, WORD]}),
    ("an exclusive bound of numbers", {"type": "number", "exclusiveMinimum": 0}, {"type": "number", "minimum": 1}),
    ("two ranges", {"anyOf": [WHOLE, WHOLE | {"maximum": 99, "minimum": 20}]}, WHOLE | {"maximum": 99}),
    (
        "an integer, or a number in a range",
        {"anyOf": [{"type": "integer"}, {"type": "number", "maximum": 9}]},
        {"type": "number", "maximum": 9},
    ),
    ("anything beside null", {"anyOf": [{}, {"type": "null"}]}, {"type": "null"}),
    ("types in a list", {"anyOf": [{"type": ["string", "null"]}, WHOLE]}, WHOLE),
    ("a choice beside any string", {"anyOf": [{"enum": ["a"]}, WORD]}, WORD),
    ("a place in a tuple", {"prefixItems": [WORD, WHOLE]}, {"prefixItems": [WHOLE, WORD]}),
    ("no fewest of what is contained", {"contains": WORD}, {"contains": WORD, "minContains": 0}),
]


@pytest.mark.parametrize(("one", "other"), [pytest.param(*row[1:], id=row[0]) for row in SAME])
def test_says_the_same(one: Schema, other: Schema) -> None:
    assert json.dumps(meaning(one), sort_keys=True) == json.dumps(meaning(other), sort_keys=True)


@pytest.mark.parametrize(("one", "other"), [pytest.param(*row[1:], id=row[0]) for row in OTHER])
def test_says_something_else(one: Schema, other: Schema) -> None:
    assert json.dumps(meaning(one), sort_keys=True) != json.dumps(meaning(other), sort_keys=True)


def test_a_loop_through_two_definitions_points_at_where_it_stands() -> None:
    two = {"x": {"$ref": "#/$defs/y"}, "y": shape(n=WHOLE) | {"properties": {"n": WHOLE, "z": {"$ref": "#/$defs/x"}}}}
    meant = meaning(shape(a={"$ref": "#/$defs/x"}, b={"$ref": "#/$defs/y"}) | {"$defs": two})
    assert meant["properties"]["a"]["properties"]["z"] == {"$ref": "#/properties/a"}
    assert meant["properties"]["b"]["properties"]["z"] == {"$ref": "#/properties/b"}


def test_what_repeats_itself_without_end_is_refused_in_one_line() -> None:
    defs: Schema = {"d0": WORD}
    for level in range(1, 20):
        defs[f"d{level}"] = shape(a={"$ref": f"#/$defs/d{level - 1}"}, b={"$ref": f"#/$defs/d{level - 1}"})
    with pytest.raises(ConfigError, match="too large to be compared. Next: "):
        meaning(shape(a={"$ref": "#/$defs/d19"}) | {"$defs": defs})


@settings(max_examples=150)
@given(judged())
def test_a_contract_decides_as_its_meaning_does(drawn: tuple[Schema, dict[str, Any]]) -> None:
    schema, payload = drawn
    contract = Contract.from_schema(schema, tool="t")
    assert contract.weakened(meaning(schema)).judge(payload).outcome == contract.judge(payload).outcome


@settings(max_examples=50)
@given(contracts(), st.randoms(use_true_random=False))
def test_shuffled_keys_mean_the_same(schema: Schema, rng: Any) -> None:
    def shuffled(node: Any) -> Any:
        if isinstance(node, dict):
            names = list(node)
            rng.shuffle(names)
            return {name: shuffled(node[name]) for name in names}
        return [shuffled(item) for item in node] if isinstance(node, list) else node

    assert meaning(shuffled(schema)) == meaning(schema)
    assert meaning(meaning(schema)) == meaning(schema)
