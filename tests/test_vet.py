"""What a contract may say: every reason to refuse one, every warning, and that nothing else gets through."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.contract import Contract
from gate.engine import fast, strict
from gate.engine.refs import resolve
from gate.errors import MAX_MESSAGE, ContractError
from gate.vet import KEYWORDS, vet
from tests.cases_kit import WHOLE, WORD, contract, shape
from tests.hostile import INDEXES, Raising, samples
from tests.mending import mended
from tests.strategies import Schema, values

A = {"$ref": "#/$defs/a"}


def defs(**parts: Any) -> Schema:
    return {"$defs": parts}


REFUSED: list[tuple[str, Schema, list[str]]] = [
    ("no object at the root", {"type": "array", "items": WHOLE}, ["contract.root"]),
    ("two types at the root", shape(a=WHOLE) | {"type": ["object", "null"]}, ["contract.root"]),
    ("open", {"type": "object", "properties": {"a": WHOLE}}, ["contract.open"]),
    ("additionalProperties true", shape(a=WHOLE) | {"additionalProperties": True}, ["contract.open"]),
    ("a map of anything", {"type": "object", "additionalProperties": {}}, ["contract.open"] * 2),
    ("a map of any names", {"type": "object", "additionalProperties": WHOLE, "maxProperties": 9}, ["contract.open"]),
    (
        "a map of any size",
        {"type": "object", "additionalProperties": WHOLE, "propertyNames": {"maxLength": 9}},
        ["contract.open"],
    ),
    ("open inside", shape(a={"type": "object", "properties": {}}), ["contract.open"]),
    ("open in an array", shape(a={"type": "array", "items": {"type": "object"}, "maxItems": 3}), ["contract.open"]),
    ("open in a branch", shape(a={"anyOf": [{"type": "object"}, {"type": "null"}]}), ["contract.open"]),
    ("open behind allOf", shape(a={"allOf": [{"type": "object"}]}), ["contract.open"]),
    ("open behind allOf twice", shape(a={"allOf": [{"allOf": [{"type": "object"}]}]}), ["contract.open"]),
    ("open, or a string", shape(a={"type": ["object", "string"], "maxLength": 3}), ["contract.open"]),
    ("open in $defs", shape(a=A) | defs(a={"type": "object"}), ["contract.open"]),
    ("no type", shape(a={"maxLength": 3}), ["contract.open"]),
    ("no type, only not", shape(a={"not": {"type": "string"}}), ["contract.open"]),
    ("no type, only if", shape(a={"if": WHOLE, "then": WHOLE}), ["contract.open"]),
    ("an empty schema", shape(a={}), ["contract.open"]),
    ("true", shape(a=True), ["contract.open"]),
    ("false", shape(a=False), ["contract.open"]),
    ("items true", shape(a={"type": "array", "items": True, "maxItems": 1}), ["contract.open"]),
    ("an array of anything", shape(a={"type": "array", "maxItems": 3}), ["contract.open"]),
    ("a tuple with a tail", shape(a={"type": "array", "prefixItems": [WHOLE], "maxItems": 3}), ["contract.open"]),
    ("properties of a string", shape(a=WORD | {"properties": {}}), ["contract.open"]),
    ("a default", shape(a=WHOLE | {"default": 1}), ["contract.default"]),
    ("a misspelt keyword", shape(a=WHOLE | {"maximun": 1}), ["contract.keyword"]),
    ("a keyword nobody checks", shape(a=WORD | {"contentEncoding": "base64"}), ["contract.keyword"]),
    ("patternProperties", shape(a=WHOLE) | {"patternProperties": {"^x": WHOLE}}, ["contract.keyword"]),
    ("nullable", shape(a=WORD | {"nullable": True}), ["contract.keyword"]),
    ("$id below the root", shape(a=WHOLE | {"$id": "x"}), ["contract.keyword"]),
    ("$schema below the root", shape(a=WHOLE | {"$schema": "a b"}), ["contract.keyword"]),
    ("$anchor", shape(a=WHOLE | {"$anchor": "x"}), ["contract.keyword"]),
    ("another dialect", shape(a=WHOLE) | {"$schema": "http://json-schema.org/draft-07/schema#"}, ["contract.dialect"]),
    ("required is no property", shape(a=WHOLE) | {"required": ["b"]}, ["contract.required"]),
    ("dependentRequired too", shape(a=WHOLE) | {"dependentRequired": {"a": ["b"]}}, ["contract.required"]),
    ("a format nobody checks", shape(a=WORD | {"format": "iban"}), ["contract.format"]),
    ("look-ahead", shape(a=WORD | {"pattern": "^(?=a)$"}), ["contract.pattern"]),
    ("no pattern", shape(a=WORD | {"pattern": "("}), ["contract.pattern"]),
    ("a pattern too large", shape(a=WORD | {"pattern": "^(a{1,1000}){1,1000}$"}), ["contract.pattern"]),
    ("another file", shape(a={"$ref": "other.json"}), ["contract.remote_ref"]),
    ("another host", shape(a={"$ref": "https://example.org/a.json#/$defs/a"}), ["contract.remote_ref"]),
    ("nothing", shape(a=A), ["contract.ref"]),
    ("an anchor", shape(a={"$ref": "#a"}), ["contract.ref"]),
    ("no pointer", shape(a={"$ref": "#/$defs/a b"}) | defs(**{"a b": WHOLE}), ["contract.ref"]),
    ("a title", shape(a={"$ref": "#/title"}) | {"title": "x"}, ["contract.ref"]),
    ("a bag of schemas", shape(a={"$ref": "#/properties"}), ["contract.ref"]),
    ("a constant", shape(a={"$ref": "#/properties/b/const"}, b={"const": {"type": "object"}}), ["contract.ref"]),
    ("beyond a list", shape(a={"anyOf": [WHOLE]}, b={"$ref": "#/properties/a/anyOf/1"}), ["contract.ref"]),
    ("a leading zero", shape(a={"anyOf": [WHOLE]}, b={"$ref": "#/properties/a/anyOf/00"}), ["contract.ref"]),
    ("what only narrows", shape(a={"$ref": "#/properties/b/not"}, b=WORD | {"not": {"const": ""}}), ["contract.open"]),
    ("itself", shape(a=A) | defs(a=A), ["contract.ref"] * 2),
    ("round in a ring", shape(a=A) | defs(a={"$ref": "#/$defs/b"}, b=A), ["contract.ref"] * 3),
    ("round through anyOf", shape(a=A) | defs(a={"anyOf": [{"type": "null"}, A]}), ["contract.ref"] * 2),
]  # fmt: skip

TAKEN: list[tuple[str, Schema]] = [
    ("the dialect by name", shape(a=WHOLE) | {"$schema": "https://json-schema.org/draft/2020-12/schema"}),
    ("an $id that is no address", shape(a=WHOLE) | {"$id": "not a uri \x1b["}),
    ("notes", shape(a=WHOLE | {"title": "t", "description": "d", "examples": [1], "deprecated": True})),
    ("a map", shape(a={"type": "object", "additionalProperties": WHOLE, "propertyNames": {"maxLength": 9},
    "maxProperties": 9})),
    ("null beside", shape(a={"anyOf": [WHOLE, {"type": "null"}]})),
    ("narrowing", shape(a=WORD | {"not": {"const": "x"}, "allOf": [{"minLength": 1}], "if": {"const": "y"},
    "then": {"minLength": 2}})),
    ("a closed object narrowed", shape(a={"allOf": [shape(b=WHOLE), {"required": ["b"]}]})),
    ("$defs", shape(a=A) | defs(a=WHOLE)),
    ("an escaped pointer", shape(a={"$ref": "#/$defs/a~1b%20c"}) | defs(**{"a/b c": WHOLE})),
    ("a property pointed at", shape(a=WHOLE, b={"$ref": "#/properties/a"})),
    ("a branch pointed at", shape(a={"anyOf": [WHOLE, WORD]}, b={"$ref": "#/properties/a/anyOf/1"})),
    ("a tree", shape(n=WHOLE) | {"properties": {"n": WHOLE, "next": {"$ref": "#"}}}),
    ("a tree in $defs", shape(a=A) | defs(a=shape(n=WHOLE) | {"properties": {"n": WHOLE, "next": A}})),
    ("a tuple", shape(a={"type": "array", "prefixItems": [WHOLE, WORD], "items": False})),
    ("names that are keywords", shape(type=WHOLE, enum=WHOLE, const=WHOLE, properties=WHOLE, required=WHOLE)
     | {"dependentRequired": {"const": ["type"], "type": ["enum"], "enum": []}}),
]  # fmt: skip

WARNED: list[tuple[str, Schema, list[str]]] = [
    ("a string", {"type": "string"}, ["contract.unbounded"]),
    ("a string in a line", {"type": "string", "format": "line"}, ["contract.unbounded"]),
    ("a string by an open pattern", {"type": "string", "pattern": "^a+$"}, ["contract.unbounded"]),
    ("a string by a fixed pattern", {"type": "string", "pattern": "^a{3}$"}, []),
    ("a string by a format", {"type": "string", "format": "uuid"}, []),
    ("a listed string", {"type": "string", "enum": ["a"]}, []),
    ("a pattern found anywhere", {"type": "string", "maxLength": 3, "pattern": "a"}, ["contract.unanchored"]),
    ("a number", {"type": "number"}, ["contract.unbounded_number"]),
    ("an integer with one end", {"type": "integer", "minimum": 0}, ["contract.unbounded_number"]),
    (
        "a bound that bounds nothing",
        {"type": "number", "minimum": 0, "maximum": 1.7e308},
        ["contract.unbounded_number"],
    ),
    ("a number between", {"type": "number", "exclusiveMinimum": 0, "maximum": 9}, []),
    ("an array", {"type": "array", "items": WHOLE}, ["contract.unbounded"]),
    ("a number behind allOf", {"allOf": [{"type": "number"}]}, ["contract.unbounded_number"]),
    ("what only narrows", WORD | {"not": {"type": "string"}}, []),
]


@pytest.mark.parametrize(("schema", "codes"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_refuses_to_start(schema: Schema, codes: list[str]) -> None:
    with pytest.raises(ContractError) as caught:
        contract(schema)
    assert [found.code for found in caught.value.findings] == codes


@pytest.mark.parametrize("schema", [pytest.param(row[1], id=row[0]) for row in TAKEN])
def test_takes(schema: Schema) -> None:
    assert contract(schema).warnings == ()
    assert contract(schema, True).judge("{}").outcome == contract(schema).judge("{}").outcome


@pytest.mark.parametrize(("node", "codes"), [pytest.param(*row[1:], id=row[0]) for row in WARNED])
def test_warns_of_what_has_no_bound(node: Schema, codes: list[str]) -> None:
    assert [found.code for found in contract(shape(a=node)).warnings] == codes


def test_says_what_was_probably_meant() -> None:
    (found,) = vet(
        {"type": "object", "additionalProperties": False, "properties": {"a": WHOLE}, "requierd": ["a"]}
    ).errors
    assert (found.path, found.hint) == ("/requierd", 'write "required": ["a"].')
    (found,) = vet({"type": "object", "additionalproperties": False, "additionalProperties": False}).errors
    assert found.hint.startswith('drop "additionalproperties": false, or')


_NO_LINE = {"contract.ref", "contract.remote_ref"}  # what they should point at is nobody's guess
_LOOK = "what only narrows"


@pytest.mark.parametrize(
    "schema",
    [pytest.param(row[1], id=row[0]) for row in REFUSED if not _NO_LINE & set(row[2]) and row[0] != _LOOK]
    + [pytest.param(shape(a=row[1]), id=row[0]) for row in WARNED],
)
def test_the_line_to_write_instead_mends_it(schema: Schema) -> None:
    for _ in range(6):  # a line may bring the next finding: a type asks for a bound
        found = [item for part in vet(schema) for item in part]
        if not found:
            break
        schema = mended(schema, found[0])
    assert vet(schema) == ([], [])
    assert contract(schema).warnings == ()


def test_names_the_place() -> None:
    schema = shape(a={"type": "array", "items": {"anyOf": [WHOLE, {"type": "object"}]}, "maxItems": 3})
    (found,) = vet(schema).errors
    assert found.path == "/properties/a/items/anyOf/1"


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(ContractError) as caught:
        contract(shape(a={}, b=WHOLE | {"default": 1}, c=WORD | {"format": "x"}, d=True) | {"required": ["z"]})
    codes = [found.code.removeprefix("contract.") for found in caught.value.findings]
    assert codes == ["default", "format", "open", "open", "required"]
    assert "and 2 more" in str(caught.value)


def test_references_that_meet_again_and_again_are_vetted_once() -> None:
    parts = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 3} for n in range(60)} | {"d60": WHOLE}
    started = time.process_time()
    (found,) = vet(shape(a={"$ref": "#/$defs/d0"}) | {"$defs": parts}).errors
    assert found.code == "contract.ref" and "judging could take for ever" in found.message
    assert time.process_time() - started < 1


@pytest.mark.parametrize("index", INDEXES[:-1])  # the last is only large
def test_what_is_no_schema_is_a_contract_error(index: int) -> None:
    value = samples()[index]
    for schema in (value, shape(a=value)):
        with pytest.raises(ContractError) as caught:
            contract(schema)
        assert printable(caught.value)


@pytest.mark.parametrize("tool", ["", "a b", "a/b", "../a", "1a", "a" * 65, "\u0430", "a\n", None, 1, ["a"], b"a"])
def test_a_tool_s_name_is_a_plain_word(tool: Any) -> None:
    with pytest.raises(ContractError) as caught:
        Contract.from_schema(shape(a=WHOLE), tool=tool)
    assert [found.code for found in caught.value.findings] == ["contract.name"]


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("side", "inside", "name"), ("side", None, "name"), ("side", ["input"], "name"), ("side", Raising(), "name"),
        ("version", 1, "version"), ("version", "", "version"), ("version", "1\n", "version"), ("version", "1" * 65,
        "version"),
        ("max_bytes", 0, "size"), ("max_bytes", -1, "size"), ("max_bytes", "9", "size"), ("max_bytes", 1.5, "size"),
        ("max_bytes", True, "size"),
    ],
    ids=range(13),
)  # fmt: skip
def test_what_stands_around_a_schema_is_checked_too(part: str, value: Any, reason: str) -> None:
    frame: dict[str, Any] = {"tool": "t", part: value}
    with pytest.raises(ContractError) as caught:
        Contract.from_schema(shape(a=WHOLE), **frame)
    assert [found.code for found in caught.value.findings] == [f"contract.{reason}"]


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("#", "root"), ("#/$defs/a", "a"), ("#/$defs/%61", "a"), ("#/list/1", "two"), ("#/list/01", None),
        ("#/list/-1", None),
        ("#/list/9", None), ("#/x~1y", "slash"), ("#/x~0y", "tilde"), ("#/%C3%A9", "accent"), ("#/", "nameless"),
        ("#//", None),
        ("#/none", None), ("#/%", None), ("#/a b", None), ("#a", None), ("", None), ("#/list/one", None),
        ("#/$defs/a/b", None),
    ],
)  # fmt: skip
def test_a_reference_is_read_as_a_pointer(ref: str, found: str | None) -> None:
    root = {
        "$defs": {"a": "a"},
        "list": ["one", "two"],
        "x/y": "slash",
        "x~y": "tilde",
        "\u00e9": "accent",
        "": "nameless",
    }
    assert resolve(root, ref) == (root if found == "root" else found)


def printable(error: ContractError) -> bool:
    texts = [text for found in error.findings for text in (found.path, found.message, found.hint)]
    assert texts and max(map(len, texts)) <= MAX_MESSAGE
    return all(text.replace("…", "").isascii() and text.isprintable() for text in [*texts, str(error)])


_REFS = [
    "#",
    "#/$defs/a",
    "#/properties/a",
    "#/properties/a/anyOf/0",
    "#/$defs/a%62",
    "#a",
    "x",
    "#/",
    "#/properties/a/const",
]
_COUNTS, _NUMBERS = st.integers(0, 3), st.sampled_from([1, 2, 1.5, 1e307, 10**20, 0.1])
_PLAIN = {
    "type": st.sampled_from(["object", "string", "integer", "number", "array", "boolean", "null", ["object", "null"]]),
    "$ref": st.sampled_from(_REFS),
    "pattern": st.sampled_from(["^a$", "(", "a**", "^[a-z]{1,2000}$", r"\p{L}", "(a{1000}){1000}"]),
    "format": st.sampled_from(["line", "date", "uri", "x"]),
    "required": st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
    "enum": st.lists(values, min_size=1, max_size=3, unique_by=repr),
    "const": values,
    "examples": st.lists(values, max_size=2),
    "$schema": st.sampled_from(["https://json-schema.org/draft/2020-12/schema", "http://a/b", "a b", "#"]),
    "$id": st.sampled_from(["http://a/b", "x", "a b", "#", "https://json-schema.org/draft/2020-12/schema"]),
    "dependentRequired": st.dictionaries(
        st.sampled_from(["a", "b", "type", "enum", "const"]), st.lists(st.sampled_from(["a",
        "b"]), max_size=2, unique=True)
    ),
} | {word: st.booleans() for word in ("uniqueItems", "deprecated", "readOnly", "writeOnly")}  # fmt: skip


def _pairs(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    def pair(word: str) -> st.SearchStrategy[tuple[str, Any]]:
        value = _PLAIN.get(word)
        if value is None and word in ("properties", "$defs"):
            value = st.dictionaries(st.sampled_from(["a", "b", "type", "enum", "$ref"]), inner, max_size=2)
        elif value is None and word in ("allOf", "anyOf", "oneOf", "prefixItems"):
            value = st.lists(inner, min_size=1, max_size=2)
        elif value is None and word in ("title", "description", "$comment"):
            value = st.text(max_size=4)
        elif value is None and word == "multipleOf" or word.casefold().endswith("imum"):
            value = _NUMBERS
        elif value is None:
            value = _COUNTS if word.startswith(("min", "max")) else inner
        return st.tuples(st.just(word), value)

    return st.lists(st.sampled_from(sorted(KEYWORDS)).flatmap(pair), max_size=4).map(dict)


_nodes = st.recursive(
    st.sampled_from([True, False, {"type": "boolean"}, WORD, WHOLE, {"const": 1}, 1, "x"]), _pairs, max_leaves=6
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    _nodes,
    _nodes,
    _pairs(_nodes),
    st.lists(st.dictionaries(st.sampled_from(["a", "b"]), values, max_size=2), max_size=3),
)
def test_any_schema_is_refused_in_words_or_judges_alike(a: Any, part: Any, more: Schema, payloads: list[Any]) -> None:
    schema = shape(a=a) | {"required": [], "$defs": {"a": part, "ab": {"type": "boolean"}}} | more
    assert bool(fast.metaschema_faults(schema)) is bool(strict.metaschema_faults(schema))
    try:
        first, second = contract(schema), contract(schema, True)
    except ContractError as error:
        assert printable(error)
        return
    for payload in payloads:
        assert repr(first.judge(payload)) == repr(second.judge(payload)) == repr(first.judge(json.dumps(payload)))
