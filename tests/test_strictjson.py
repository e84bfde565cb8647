"""The reader that names the fault, on the standard library alone."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import Finding
from gate.strictjson import MAX_DEPTH, decode, depth_of, loads, loads_exact
from tests.strategies import values


def code(text: str) -> str:
    found = loads(text)
    return found.code.removeprefix("parse.") if isinstance(found, Finding) else "read"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \t\r\n", "empty"),
        ("\xa0", "not_json"),
        ("\ufeff1", "encoding"),
        ("[1] 2", "trailing"),
        ("1\x0b", "trailing"),
        ("nul", "not_json"),
        ("{'a': 1}", "not_json"),
        ('{"a": 1,}', "not_json"),
        ("[1,]", "not_json"),
        ("01", "trailing"),
        ("1.", "trailing"),
        (".5", "not_json"),
        ("+1", "not_json"),
        ("NaN", "non_finite"),
        ("-Infinity", "non_finite"),
        ("1e999", "non_finite"),
        ("9" * 308, "read"),
        ("-" + "9" * 308, "read"),
        ("9" * 309, "non_finite"),
        ("9" * 100_000, "non_finite"),
        ("1" + "0" * 400 + ".5", "non_finite"),
        ('{"a": 1, "a": 1}', "duplicate_key"),
        ('[{"a": {"b": 1, "b": 2}}]', "duplicate_key"),
        ('{"a": 1, "A": 2}', "read"),
        ('"\\ud800"', "encoding"),
        ('{"\\udc00": 1}', "encoding"),
        ('"\\ud83d\\ude00"', "read"),
        ('"\x00"', "not_json"),
        ('"\n"', "not_json"),
        ('"\x7f"', "read"),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, "read"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "depth"),
        ("[" * 1_000_000, "depth"),
        ('{"a":' * 100_000, "depth"),
        ('"' + "[" * 1000 + '"', "read"),
        ('"\\"[[[[' + "[" * 1000 + '"', "read"),
    ],
    ids=lambda value: ascii(value)[:24] if len(value) < 60 else f"{ascii(value)[:8]} x {len(value)}",
)
def test_the_fault_is_named(text: str, reason: str) -> None:
    assert code(text) == reason


@settings(max_examples=150)
@given(values)
def test_what_json_writes_is_read_the_same(value: Any) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert repr(loads(text)) == repr(value)
        assert loads_exact(text) == value or "." in text or "e" in text


@given(st.text(max_size=30))
def test_nothing_is_raised_for_any_text(text: str) -> None:
    code(text)


def test_a_duplicate_is_named_escaped_and_short() -> None:
    key = "\u202e" + "k" * 5000
    found = loads(json.dumps({"a": 1})[:-1] + f", {json.dumps(key)}: 1, {json.dumps(key)}: 2}}")
    assert isinstance(found, Finding)
    assert found.message.startswith('the key "\\u202ekkk') and len(found.message) < 100


def test_where_the_text_goes_wrong_is_told() -> None:
    found = loads('{"a": 1,\n "b" 2}')
    assert isinstance(found, Finding) and "line 2 column 6" in found.message


def test_what_is_told_of_a_torn_text_is_a_whole_sentence() -> None:
    for text, told in (
        ('{"a": "x', "column 7: Unterminated string."),
        ('{"a\t', "column 4: Invalid control character."),
    ):
        found = loads(text)
        assert isinstance(found, Finding) and found.message.endswith(told), found


def test_the_first_bad_byte_is_told() -> None:
    found = decode(b'{"a": "\xff"}')
    assert isinstance(found, Finding) and found.message == "byte 7 is not valid UTF-8."
    assert decode("\u00e9".encode()) == "\u00e9"


@pytest.mark.parametrize(
    ("text", "depth"), [("1", 0), ("[]", 1), ('{"a": ["]]]"]}', 2), ('"[\\"["', 0), ("[[]][[[]]]", 3), ('["[', 1)]
)
def test_brackets_in_strings_do_not_nest(text: str, depth: int) -> None:
    assert depth_of(text) == depth


def test_fractions_keep_their_digits() -> None:
    assert loads_exact("[0.10, 1e2, 3]") == [Decimal("0.10"), Decimal("1E+2"), 3]
