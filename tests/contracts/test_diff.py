"""What changed between two contracts: every kind of change, its direction, and the payload that proves it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.contract import Contract
from gate.contracts.diff import diff
from gate.evidence.rules import rules
from gate.evidence.witness import Difference, alone, differences
from tests.cases_kit import WHOLE, WORD, Schema, contract, shape
from tests.strategies import contracts

MAP = {"type": "object", "additionalProperties": WHOLE, "propertyNames": {"maxLength": 3}, "maxProperties": 3}
LINES = {"type": "array", "items": WHOLE, "maxItems": 3}
TREE = shape(n=WHOLE) | {"properties": {"n": WHOLE, "next": {"$ref": "#"}}}
NULL = {"type": "null"}


def inside(node: Schema, **changes: Any) -> Schema:
    return {word: value for word, value in (node | changes).items() if value is not ...}


#: (name, the node before, the node after, the direction of each change in order)
CHANGES: list[tuple[str, Schema, Schema, list[str]]] = [
    ("a greater maximum", WHOLE, inside(WHOLE, maximum=12), ["widened"]),
    ("a smaller minimum", WHOLE, inside(WHOLE, minimum=-3), ["widened"]),
    ("a bound that is exclusive now", {"type": "number", "minimum": 0, "maximum": 9},
     {"type": "number", "exclusiveMinimum": 0, "maximum": 9}, ["narrowed"]),
    ("a step", WHOLE, inside(WHOLE, multipleOf=2), ["narrowed"]),
    ("another step", inside(WHOLE, multipleOf=2), inside(WHOLE, multipleOf=3), ["narrowed", "widened"]),
    ("a longer text", WORD, inside(WORD, maxLength=41), ["widened"]),
    ("no longest text", WORD, inside(WORD, maxLength=...), ["widened"]),
    ("a least length", WORD, inside(WORD, minLength=2), ["narrowed"]),
    ("a pattern", WORD, inside(WORD, pattern="^[a-z]{1,3}$"), ["narrowed"]),
    ("a wider pattern", inside(WORD, pattern="^[a-z]{1,3}$"), inside(WORD, pattern="^[a-z]{1,4}$"), ["widened"]),
    ("another pattern", inside(WORD, pattern="^a{1,3}$"), inside(WORD, pattern="^b{1,3}$"), ["narrowed", "widened"]),
    ("another format", inside(WORD, format="line"), inside(WORD, format="text"), ["widened"]),
    ("another value", {"enum": ["a", "b"]}, {"enum": ["a", "c"]}, ["narrowed", "widened"]),
    ("the one value is another", {"const": "a"}, {"const": "b"}, ["narrowed", "widened"]),
    ("1 became 1.0", {"enum": [1, 2]}, {"enum": [1.0, 2]}, ["narrowed", "widened"]),
    ("null as well", WORD, inside(WORD, type=["string", "null"]), ["widened"]),
    ("null as well, said by anyOf", WORD, {"anyOf": [WORD, NULL]}, ["widened"]),
    ("another type", WORD, WHOLE, ["narrowed", "widened"]),
    ("a text became a choice", WORD, {"enum": ["a", "b"]}, ["narrowed"]),
    ("a field more", shape(x=WHOLE), inside(shape(x=WHOLE), properties={"x": WHOLE, "y": WORD}), ["widened"]),
    ("a field less", inside(shape(x=WHOLE), properties={"x": WHOLE, "y": WORD}), shape(x=WHOLE), ["narrowed"]),
    ("a field that must be there", inside(shape(x=WHOLE, y=WORD), required=["x"]), shape(x=WHOLE, y=WORD),
     ["narrowed"]),
    ("a field renamed", shape(x=WHOLE), shape(y=WHOLE), ["narrowed", "widened", "narrowed", "widened"]),
    ("a change deep inside", shape(x=shape(y=WHOLE)), shape(x=shape(y=inside(WHOLE, maximum=3))), ["narrowed"]),
    ("a longer list", LINES, inside(LINES, maxItems=5), ["widened"]),
    ("other items", LINES, inside(LINES, items=inside(WHOLE, maximum=12)), ["widened"]),
    ("no item twice", LINES, inside(LINES, uniqueItems=True), ["narrowed"]),
    ("a tail", {"type": "array", "prefixItems": [WORD], "items": False},
     {"type": "array", "prefixItems": [WORD], "items": WHOLE}, ["widened"]),
    ("a larger map", MAP, inside(MAP, maxProperties=5), ["widened"]),
    ("longer names", MAP, inside(MAP, propertyNames={"maxLength": 5}), ["widened"]),
    ("other values", MAP, inside(MAP, additionalProperties=inside(WHOLE, maximum=3)), ["narrowed"]),
    ("an alternative more", {"anyOf": [WORD, NULL]}, {"anyOf": [WORD, NULL, WHOLE]}, ["widened"]),
    ("an alternative less", {"anyOf": [WORD, NULL, WHOLE]}, {"anyOf": [WORD, NULL]}, ["narrowed"]),
    ("inside an alternative", {"anyOf": [WORD, NULL]}, {"anyOf": [inside(WORD, maxLength=2), NULL]}, ["narrowed"]),
    ("an object as well", WORD, {"anyOf": [WORD, shape(x=WHOLE)]}, ["widened"]),
    ("inside what may be null", {"anyOf": [shape(x=WHOLE), NULL]}, {"anyOf": [shape(x=inside(WHOLE, maximum=3)), NULL]},
     ["narrowed"]),
    ("one of two shapes", {"anyOf": [shape(x=WHOLE), shape(y=WHOLE)]}, {"anyOf": [shape(x=WHOLE), shape(z=WHOLE)]},
     ["narrowed", "widened", "narrowed", "widened"]),
    ("an exception", WORD, inside(WORD, **{"not": {"const": "x"}}), ["narrowed"]),
    ("another exception", inside(WORD, **{"not": {"const": "x"}}), inside(WORD, **{"not": {"const": "y"}}),
     ["narrowed", "widened"]),
    ("what must be contained", LINES, inside(LINES, contains={"const": 4}), ["narrowed"]),
]  # fmt: skip


def check(old: Contract, new: Contract, found: list[Difference]) -> None:
    """Judge every proof again: it really flips."""
    for one in found:
        if one.payload is not None:
            before, after = old.judge(one.payload).outcome, new.judge(one.payload).outcome
            assert (one.direction, before, after) in (("widened", "block", "allow"), ("narrowed", "allow", "block"))


@pytest.mark.parametrize(("old", "new", "ways"), [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_each_change_is_proven_by_a_payload_that_flips(old: Schema, new: Schema, ways: list[str]) -> None:
    before, after = contract(shape(a=old)), contract(shape(a=new))
    found = differences(before, after)
    assert sorted(one.direction for one in found) == sorted(ways)
    assert all(one.payload is not None for one in found)
    check(before, after, found)


@pytest.mark.parametrize(("old", "new", "ways"), [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_the_other_way_round_the_directions_change_places(old: Schema, new: Schema, ways: list[str]) -> None:
    turned = {"widened": "narrowed", "narrowed": "widened"}
    found = differences(contract(shape(a=new)), contract(shape(a=old)))
    assert sorted(one.direction for one in found) == sorted(turned[way] for way in ways)
    assert all(one.payload is not None for one in found)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (WHOLE, inside(WHOLE, maximum=12), "maximum of a is 12 now, it was 9"),
        (inside(WORD, pattern="^a{1,3}$"), WORD, 'a has no pattern "^a{1,3}$" any more'),
        ({"enum": ["sfo"]}, {"enum": ["sfo", "lon"]}, 'a may be "lon" now'),
        ({"enum": ["sfo", "lon"]}, {"enum": ["sfo"]}, 'a may no longer be "lon"'),
        (WORD, inside(WORD, type=["string", "null"]), "a may be of type null now"),
        (LINES, inside(LINES, items=inside(WHOLE, maximum=12)), "maximum of a[] is 12 now, it was 9"),
        (shape(x=WHOLE), inside(shape(x=WHOLE), required=...), "a.x may be missing now"),
        (MAP, inside(MAP, additionalProperties=inside(WHOLE, maximum=12)), "maximum of a.* is 12 now, it was 9"),
    ],
)
def test_says_in_a_sentence_what_changed(old: Schema, new: Schema, told: str) -> None:
    assert [change.words for change in diff(shape(a=old), shape(a=new))] == [told]


def test_a_proof_is_about_its_own_change() -> None:
    old, new = shape(a=WHOLE, b=WHOLE), shape(a=inside(WHOLE, maximum=12), b=inside(WHOLE, minimum=-3))
    first, second = differences(contract(old), contract(new))
    assert (first.payload, second.payload) == ({"a": 10, "b": 0}, {"a": 0, "b": -1})


def test_a_change_that_another_rule_hides_is_not_proven() -> None:
    old = shape(a=inside(WORD, pattern="^[a-z]{1,3}$"))
    (found,) = differences(contract(old), contract(shape(a=inside(WORD, pattern="^[a-z]{1,3}$", maxLength=99))))
    assert found == Difference("widened", "/properties/a/maxLength", "maxLength of a is 99 now, it was 40", None)


def test_what_another_change_lets_through_proves_nothing_about_this_one() -> None:
    old, new = (
        shape(a=inside(WORD, pattern=f"^[a-z]{{1,{most}}}$", maxLength=length)) for most, length in ((3, 40), (4, 99))
    )
    found = {one.path.rpartition("/")[2]: one for one in differences(contract(old), contract(new))}
    assert found["maxLength"].payload is None
    assert found["pattern"].direction == "widened" and len((found["pattern"].payload or {})["a"]) == 4


def test_a_spelling_that_nobody_can_order_is_a_change_without_a_direction() -> None:
    old, new = (shape(a=inside(WORD, pattern=pattern)) for pattern in ("^[ab]$", "^(?:a|b)$"))
    (found,) = differences(contract(old), contract(new))
    assert (found.direction, found.payload) == ("changed", None)


def test_a_payload_that_is_handed_in_proves_what_no_drawing_finds() -> None:
    old, new = (shape(a=inside(WORD, maxLength=40, **{"not": {"const": word}})) for word in ("qwertzuiopü", "other"))
    assert {one.direction for one in differences(contract(old), contract(new), [{"a": "qwertzuiopü"}])} == {
        "widened", "narrowed",
    }  # fmt: skip


def test_a_recursive_contract_is_compared_as_well() -> None:
    old, new = TREE, inside(TREE, properties={"n": inside(WHOLE, maximum=12), "next": {"$ref": "#"}})
    (found,) = differences(contract(old), contract(new))
    assert (found.direction, found.payload) == ("widened", {"n": 10})


def test_a_contract_that_comes_or_goes_is_a_change_with_a_proof() -> None:
    there = contract(shape(a=WHOLE))
    assert alone(None, there)[::3] == ("widened", {"a": 0})
    assert alone(there, None)[::3] == ("narrowed", {"a": 0})


@settings(max_examples=20)
@given(contracts())
def test_a_contract_does_not_differ_from_itself(schema: Schema) -> None:
    assert differences(contract(schema), contract(copy.deepcopy(schema))) == []


@settings(max_examples=25)
@given(contracts(), st.data())
def test_every_proof_flips_whatever_rule_is_dropped(schema: Schema, data: st.DataObject) -> None:
    old = contract(schema)
    rule = data.draw(st.sampled_from(rules(schema)))
    new = old.weakened(rule.dropped_from(schema))
    check(old, new, differences(old, new))
    check(new, old, differences(new, old))


@settings(max_examples=20)
@given(contracts(), contracts())
def test_every_proof_flips_between_any_two_contracts(one: Schema, other: Schema) -> None:
    old, new = contract(one), contract(other)
    check(old, new, differences(old, new))
