"""The string formats, one table each: what is well-formed, and what only looks so."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.contract import Contract
from gate.engine.formats import BOUNDED, FORMATS, is_line, is_text
from tests.cases_kit import contract, shape
from tests.strategies import TEXTS

INVISIBLE = [
    "\x00", "\x07", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "\u034f", "\u061c", "\u115f", "\u1680", "\u17b4", "\u180b",
    "\u180e", "\u2000", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2060", "\u2066",
    "\u2800", "\u3000", "\u3164", "\ufe00", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\U0001d159", "\U000e0041",
    "\U000e0100", "\U000e01ef",
]  # fmt: skip

TABLE = {
    "line": (
        ["a", "damaged on delivery", "\u00e9", "e\u0301", "\u65e5\u672c", "\U0001f600", "a  b", "it's 100 % \u2014 ok"],
        ["", " ", "        ", " a", "a ", "a\n", "\na", "a\nb", "a\r", "a\tb", "\ud800",
        *(f"a{mark}b" for mark in INVISIBLE)],
    ),
    "text": (
        ["a", "a\nb", "first\n\nsecond", "\u00e9\n\U0001f600"],
        ["", "\n", "a\n", "\na", "a \nb", "a\n b", "a\n \nb", "a\r\nb", "a\tb", *(f"a\nb{mark}" for mark in INVISIBLE)],
    ),
    "date": (
        ["2024-02-29", "0001-01-01", "9999-12-31"],
        ["2023-02-29", "2024-13-01", "2024-00-01", "2024-1-1", "20240229", "2024-W09-4", "2024-02-29\n", "0000-01-01",
         "\uff12024-02-29", "24-02-29", "2024-02-29T00:00:00Z", ""],
    ),
    "date-time": (
        ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00z", "2024-02-29T12:00:00.5Z", "2024-02-29T12:00:00.123456-23:59"],
        ["2024-02-29 12:00:00Z", "2024-02-29T12:00:00", "2024-02-29T25:00:00Z", "2024-02-29T23:59:60Z",
        "2023-02-29T12:00:00Z", "2024-02-29T12:00Z", "2024-02-29T12:00:00+25:00", "2024-02-29T12:00:00.1234567Z",
        "2024-02-29T12:00:00Z\n", "2024-02-29"],
    ),
    "email": (
        ["a@b.example", "a.b+c@d-e.example", "x" * 64 + "@b.example"],
        ["a", "@b.example", "a@", "a@b", "a@@b.example", "a..b@c.example", ".a@b.example", "a.@b.example",
        "a b@c.example", '"a b"@c.example', "a@-b.example", "a@b.example\n", "\u00e9@b.example",
        "x" * 250 + "@b.example", "a@[1.2.3.4]"],
    ),
    "hostname": (
        ["a", "localhost", "a-b.example", "x" * 63 + ".example", "1.2.3.4"],
        ["", ".", "a.", ".a", "-a", "a-", "a_b", "x" * 64, "a..b", "a b", "a\n", "\u00e9.example",
        ".".join(["x" * 60] * 5)],
    ),
    "ipv4": (
        ["0.0.0.0", "255.255.255.255"],
        ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "1.2.3.4\n", "0x1.2.3.4", "\u0661.2.3.4",
        "1.2.3.4/8"],
    ),
    "ipv6": (
        ["::", "::1", "fe80::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4"],
        ["", ":", "1::2::3", "::1%eth0", "12345::", "::g", "1.2.3.4", "::1\n", "::1/64", "[::1]"],
    ),
    "uri": (
        ["http://a.example/b?c=d#e", "urn:isbn:0451450523", "mailto:a@b.example", "file:///a%20b", "a:b"],
        ["", "a", "//a.example", "http:", "http://a b", "http://a\n", "http://\u00e9", "http://a/%2", "1a:b", ":b"],
    ),
    "uuid": (
        ["00000000-0000-0000-0000-000000000000", "123E4567-e89b-12d3-a456-426614174000"],
        ["", "123e4567e89b12d3a456426614174000", "{00000000-0000-0000-0000-000000000000}",
        "0000000-0000-0000-0000-0000000000000", "00000000-0000-0000-0000-00000000000g",
        "00000000-0000-0000-0000-000000000000\n", "urn:uuid:00000000-0000-0000-0000-000000000000"],
    ),
}  # fmt: skip

ROWS = [
    pytest.param(name, text, good, id=f"{name} {number} {ascii(text)[:30]}")
    for name, (well, ill) in TABLE.items()
    for number, (text, good) in enumerate([*((text, True) for text in well), *((text, False) for text in ill)])
]


def test_every_format_has_a_row() -> None:
    assert set(TABLE) == set(FORMATS)


@pytest.fixture(scope="module")
def engines() -> dict[str, tuple[Contract, Contract]]:
    schemas = {name: shape(a={"type": "string", "format": name, "maxLength": 400}) for name in FORMATS}
    return {name: (contract(schema), contract(schema, True)) for name, schema in schemas.items()}


@pytest.mark.parametrize(("name", "text", "good"), ROWS)
def test_the_predicate_knows_it(name: str, text: str, good: bool) -> None:
    assert FORMATS[name](text) is good


@pytest.mark.parametrize("name", FORMATS)
def test_both_engines_ask_the_same_predicate(name: str, engines: dict[str, tuple[Contract, Contract]]) -> None:
    for text in [*TABLE[name][0], *TABLE[name][1], *TEXTS]:
        if "\ud800" in text:
            continue
        codes = () if FORMATS[name](text) else ("schema.format",)
        for engine in engines[name]:
            assert engine.judge({"a": text}).codes == codes


def test_nothing_invisible_is_in_a_line() -> None:
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
    for point in range(sys.maxunicode + 1):
        char = chr(point)
        if unicodedata.category(char) in hidden and char != " ":
            assert not is_line(f"a{char}b"), hex(point)


@given(st.text(max_size=12))
def test_a_text_is_lines(text: str) -> None:
    assert is_text(text) is (
        bool(text) and all(is_line(part) or part == "" for part in text.split("\n")) and text.strip("\n") == text
    )


@given(st.text(max_size=12), st.sampled_from(sorted(FORMATS)))
def test_a_format_answers_yes_or_no_to_anything(text: str, name: str) -> None:
    assert FORMATS[name](text) in (True, False)


def test_a_format_that_bounds_its_length_needs_no_bound() -> None:
    for name in FORMATS:
        warnings = contract(shape(a={"type": "string", "format": name})).warnings
        assert bool(warnings) is (name not in BOUNDED)
