"""Contracts and payloads for the property tests: schemas that may be contracts, and values near their borders."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gate.engine.formats import FORMATS

Schema = dict[str, Any]

#: Strings at the borders of formats and patterns, of what prints, and of what looks like something else.
TEXTS = (
    "", " ", "a", "A", "ab", "a b", " a", "a ", "a\n", "a\nb", "a\r", "a\tb", "\x00", "\x1b[2J", "\x7f", "\xa0", "\xad",
    "\u00e9", "e\u0301", "\u0430", "\u200b", "a\u200bb", "\u202e", "\u2028", "\u3164", "\ufe0f", "\ufeff", "\U0001f600",
    "\uff11", "\u0661", "\u017f", "\u212a", "SKU-19", "SKU-19\n", "ord_1842", "ord_18422", "0042", "4", "4.0", "true",
    "null", "None", "NaN", "[]", "{}", '{"a": 1}', "2024-02-29", "2023-02-29", "2024-13-01", "20240229", "2024-1-1",
    "2024-02-29T12:00:00Z", "2024-02-29t12:00:00z", "2024-02-29T23:59:60Z", "2024-02-29T12:00:00",
    "2024-02-29 12:00:00Z", "2024-02-29T12:00:00.123456+05:30", "a@b.example", "a@b", "@b.example", "a..b@c.example",
    "a b@c.example", "-a.example", "a-.example", "a_b.example", "x" * 63 + ".example", "x" * 64 + ".example",
    "1.2.3.4", "1.2.3", "01.2.3.4", "256.1.1.1", "::1", "::1%eth0", "1::2::3", "fe80::", "http://a.example/%20",
    "http://a.example/%2", "http:", "a.example", "urn:a:b", "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}", "000000000000-0000-0000-0000-00000000", "x" * 8, "x" * 40, "\u00e9" * 8,
)  # fmt: skip
PATTERNS = (
    "^[a-z]+$", "^[A-Z0-9-]+$", "^ord_[0-9]{4}$", r"^\d{2,4}$", r"^\w+$", r"^\S+$", r"^\s*$", "^.$", "^.{0,3}$", "^$",
    "a", "b$", "^(a|b)*$", "^(?:a+)+$", r"^[^\s]+$", r"^a\.b$", "^[\\u00e0-\\u00ff]+$", "^a|b$",
    "^(?:a|ab)(?:c|bcd)?$", r"^[\w.-]+@[\w.-]+$",
)  # fmt: skip
NUMBERS = (
    0, 1, 2, 3, 4, 5, 9, 10, -1, -2, 100, 999, 1000, 1001, 10**6, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, 10**20,
    10**300, -(2**63),
    0.0, -0.0, 1.0, 2.0, 4.0, 9.0, 10.0, 1000.0, 0.5, 1.5, 0.1, 0.3, 0.30000000000000004, 19.99, 19.999, 2.675, 0.01,
    0.001,
    1e-7, 1e-320, 5e-324, 1e16, 1e22, 1e300, 1.7976931348623157e308, -0.5, 9007199254740993.0, 99.99, 4.5,
)  # fmt: skip
STEPS = (1, 2, 3, 7, 0.5, 0.1, 0.01, 0.001, 2.5, 1e-7)
ODD = (None, True, False, [], {}, [1], [1.0], [True], {"a": 1}, {"a": 1.0}, [[0]], [[False]], [None], "x", 4, 4.0)

numbers = st.sampled_from(NUMBERS) | st.integers(-20, 20) | st.floats(-20, 20, allow_nan=False)
texts = st.sampled_from(TEXTS) | st.text(max_size=5).filter(lambda text: text.isascii() or _encodes(text))
scalars = numbers | texts | st.sampled_from(ODD)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
names = st.sampled_from(["a", "b", "c", "n", "type", "enum", "properties", "a/b", "x y", "\u00e9", "__proto__", "$ref"])


def _encodes(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


_NUMERIC = st.sampled_from(["integer", "number", ["integer", "null"], ["number", "string"], ["integer", "number"]])
_TEXTUAL = st.sampled_from(["string", ["string", "null"], ["string", "boolean"]])
_NAMES = st.sampled_from([{"pattern": "^[a-z]+$"}, {"maxLength": 3}, {"enum": ["a", "b", "type"]}])


@st.composite
def _numeric(draw: st.DrawFn) -> Schema:
    node: Schema = {
        "type": draw(_NUMERIC),
        draw(st.sampled_from(["minimum", "exclusiveMinimum"])): draw(st.sampled_from([-2, 0, 0.5, 1, 2**53])),
        draw(st.sampled_from(["maximum", "exclusiveMaximum"])): draw(st.sampled_from([3, 9.5, 1e3, 2**53 + 1, 10**20])),
    }
    if draw(st.booleans()):
        node["multipleOf"] = draw(st.sampled_from(STEPS))
    return node


@st.composite
def _textual(draw: st.DrawFn) -> Schema:
    node: Schema = {"type": draw(_TEXTUAL), "maxLength": 40}
    if draw(st.booleans()):
        node |= {"minLength": draw(st.integers(0, 3)), "maxLength": draw(st.integers(2, 12))}
    if draw(st.booleans()):
        node["pattern"] = draw(st.sampled_from(PATTERNS))
    if draw(st.booleans()):
        node["format"] = draw(st.sampled_from(sorted(FORMATS)))
    return node


_listed = st.lists(scalars, min_size=1, max_size=4, unique_by=repr).filter(lambda items: _unlike(items))
_leaves = (
    _numeric() | _textual() | st.builds(lambda items: {"enum": items}, _listed)
    | st.builds(lambda item: {"const": item}, scalars) | st.sampled_from([{"type": "boolean"}, {"type": "null"}])
    | st.just({"$ref": "#/$defs/word"}) | st.just({"$ref": "#/$defs/tree"})
)  # fmt: skip


def _unlike(items: list[Any]) -> bool:
    """The metaschema wants an enum's items to differ, and 1 and 1.0 do not."""
    return len({repr(_as_float(item)) for item in items}) == len(items)


def _as_float(value: Any) -> Any:
    if isinstance(value, dict | list):
        pairs = sorted(value.items()) if isinstance(value, dict) else enumerate(value)
        return [type(value), *((key, _as_float(item)) for key, item in pairs)]
    return value + 0.0 if type(value) is float or (type(value) is int and abs(value) < 10**300) else value


@st.composite
def _array(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    node: Schema = {"type": "array", "items": draw(inner), "maxItems": draw(st.integers(1, 4))}
    for word, value in (
        ("minItems", st.integers(0, 2)),
        ("uniqueItems", st.just(True)),
        ("contains", _leaves),
        ("prefixItems", st.lists(inner, min_size=1, max_size=2)),
    ):
        if draw(st.integers(0, 3)) == 0:
            node[word] = draw(value)
    if "contains" in node and draw(st.booleans()):
        node |= {"minContains": draw(st.integers(0, 2)), "maxContains": draw(st.integers(2, 3))}
    if "prefixItems" in node and draw(st.booleans()):
        node["items"] = False
    return node


@st.composite
def _object(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    properties = draw(st.dictionaries(names, inner, min_size=1, max_size=3))
    node: Schema = {
        "type": draw(st.sampled_from(["object", ["object", "null"]])),
        "additionalProperties": False,
        "properties": properties,
        "required": [name for name in properties if draw(st.booleans())],
    }
    if draw(st.integers(0, 4)) == 0:
        node["dependentRequired"] = {name: draw(st.lists(st.sampled_from(list(properties)), max_size=2, unique=True))
                                     for name in properties}  # fmt: skip
    if draw(st.integers(0, 4)) == 0:
        node |= {"minProperties": draw(st.integers(0, 2)), "maxProperties": draw(st.integers(1, 3))}
    return node


@st.composite
def _map(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    return {
        "type": "object",
        "additionalProperties": draw(inner),
        "propertyNames": draw(_NAMES),
        "maxProperties": draw(st.integers(1, 3)),
    }


def _combined(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    pairs = st.lists(inner, min_size=2, max_size=3)

    def branched(node: Schema, when: Schema, then: Schema) -> Schema:
        return node | {"if": when, "then": then, "else": {"not": then}}

    return (
        st.builds(lambda node: {"anyOf": [node, {"type": "null"}]}, inner)
        | st.builds(lambda nodes: {"anyOf": nodes}, pairs)
        | st.builds(lambda nodes: {"oneOf": nodes}, pairs)
        | st.builds(lambda node, leaf: {"allOf": [node, {"not": leaf}]}, inner, _leaves)
        | st.builds(branched, inner, _leaves, _leaves)
    )


_nodes = st.recursive(
    _leaves, lambda inner: _array(inner) | _object(inner) | _map(inner) | _combined(inner), max_leaves=4
)
_DEFS: Schema = {
    "word": {"type": "string", "maxLength": 8, "format": "line"},
    "tree": {
        "type": "object", "additionalProperties": False, "required": ["n"],
        "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}, "a": {"$ref": "#/$defs/tree"}},
    },
}  # fmt: skip


_map_names = st.lists(st.sampled_from(["a", "b", "type"]), max_size=2) | st.lists(names, max_size=2)


@st.composite
def contracts(draw: st.DrawFn) -> Schema:
    """Draw a schema that is fit to be a contract."""
    return draw(_object(_nodes)) | {"type": "object", "$defs": _DEFS}


@st.composite
def near(draw: st.DrawFn, node: Schema, root: Schema) -> Any:
    """Draw a value that a schema takes, or nearly."""
    if "$ref" in node:
        node = root["$defs"][node["$ref"].rpartition("/")[2]]
    if draw(st.integers(0, 29)) == 17:
        return draw(values)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in node:
            return draw(near(draw(st.sampled_from(node[word])), root))
    if "enum" in node or "const" in node:
        return draw(st.sampled_from([*node.get("enum", []), *([node["const"]] if "const" in node else [])]))
    kind = node.get("type")
    if kind == "array":
        parts = [draw(near(part, root)) for part in node.get("prefixItems", [])]
        inside = near(node["items"], root) if node["items"] else values
        return parts + draw(st.lists(inside, max_size=3))
    if kind == "object" or kind == ["object", "null"]:
        return _near_object(draw, node, root)
    if kind in ("boolean", "null"):
        return draw(st.sampled_from([None, True, False]))
    return draw(_near_number(node) if node.keys() & {"minimum", "exclusiveMinimum"} else _near_text(node))


def _near_number(node: Schema) -> st.SearchStrategy[Any]:
    ends = [value for word, value in node.items() if word.casefold().endswith(("minimum", "maximum"))]
    close = [end + step for end in ends for step in (-1, -0.5, 0, 0.5, 1)]
    step = node.get("multipleOf", 1)
    return st.sampled_from([*close, *map(float, close)]) | st.integers(0, 9).map(lambda n: n * step) | numbers


def _near_text(node: Schema) -> st.SearchStrategy[Any]:
    good = [text for text in TEXTS if node.get("minLength", 0) <= len(text) <= node.get("maxLength", 40)]
    good = [text for text in good if FORMATS.get(node.get("format", ""), bool)(text)]
    return st.sampled_from(good or TEXTS) | texts


def _near_object(draw: st.DrawFn, node: Schema, root: Schema) -> dict[str, Any]:
    properties = node.get("properties", {})
    made = {
        name: draw(near(part, root))
        for name, part in properties.items()
        if draw(st.integers(0, 1 if part == _DEFS["tree"]["properties"]["a"] else 12)) != 1
    }
    if isinstance(node["additionalProperties"], dict):
        made |= {name: draw(near(node["additionalProperties"], root)) for name in draw(_map_names)}
    elif draw(st.integers(0, 19)) == 13:
        made[draw(names)] = draw(values)
    return made


@st.composite
def judged(draw: st.DrawFn) -> tuple[Schema, dict[str, Any]]:
    """Draw a contract's schema and a payload near it."""
    schema = draw(contracts())
    payload = draw(near(schema, schema))
    return schema, payload if isinstance(payload, dict) else {"a": payload}
