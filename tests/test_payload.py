"""The front door: what it reads, what it refuses and by which code, with `jiter` and without."""

from __future__ import annotations

import json
import threading
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import payload
from gate.errors import MAX_MESSAGE, Finding
from gate.payload import MAX_BYTES, exact_number, read
from gate.strictjson import MAX_DEPTH
from tests.hostile import INDEXES, doubling, samples
from tests.strategies import values

TEXTS = [
    "", " ", "\n", "\ufeff", "\x00", "null", "true", "1", '"a"', "[]", "{}", " {} ", "\t{}\r\n", "{}\x0b", "{} {}",
    "{}x", "x{}", '{"a":1}', '{"a":1,}', '{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '{"a":{"b":1,"b":2}}', "{'a':1}",
    "{a:1}", '{"a" 1}', '{"a":}', '{"a":01}', '{"a":-0}', '{"a":-0.0}', '{"a":+1}', '{"a":1.}', '{"a":.5}',
    '{"a":1e}', '{"a":1E+5}', '{"a":0x1}', '{"a":1_0}', '{"a":NaN}', '{"a":Infinity}', '{"a":-Infinity}', '{"a":nan}',
    '{"a":1e308}', '{"a":1e309}', '{"a":-1e309}', '{"a":1e-400}', '{"a":' + "9" * 308 + "}",
    '{"a":' + "9" * 309 + "}", '{"a":1' + "0" * 308 + "}", '{"a":-' + "9" * 309 + "}", '{"a":' + "9" * 5000 + "}",
    '{"a":"\\ud83d"}', '{"a":"\\ude00"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ud83d"}', '{"\\ud83d":1}',
    '{"a":"\ud83d"}', '{"a":"\\x"}', '{"a":"\\u12"}', '{"a":"\\"}', '{"a":"\x1f"}', '{"a":"\x7f"}', '{"a":"\u2028"}',
    '{"a":"\\u0000"}', '{"a":"x', '{"a":"x\n"}', '{"a":[1,2}', '{"a":tru}', '{"a":1}//', '/* */{"a":1}',
    '{"a":1}\ufeff', '[[[["', "[" * 40, "{" * 40, '{"a":' * 40 + "1" + "}" * 40, '{"a":"' + "[" * 100 + '"}',
    '{"a":' + "[" * 31 + "]" * 31 + "}", '{"a":' + "[" * 32 + "]" * 32 + "}", '{"a":' + "[" * 250 + "]" * 250 + "}",
    "```json\n{}\n```", "```json\r\n{}\r\n```\r\n", " \n```json\n{}\n```\n ", "```json\n{}```", "```\n{}\n```",
    "~~~json\n{}\n~~~", "```JSON\n{}\n```", "```json\n```", "```json\n\n```", "````json\n{}\n````", "```json {} ```",
    "```json\n{}", "{}\n```", 'a\n```json\n{}\n```', "```json\n[1]\n```", '```json\n{"a":"```"}\n```',
    '```json\n{"a":1}\n```\n```json\n{}\n```', "```json\n```json\n{}\n```\n```",
    "```json\n{}\n ```\n ```json\n{}\n ```",
]  # fmt: skip
BYTES = [
    b"\xff",
    b'{"a":"\xff"}',
    b'{"a":"\xc3"}',
    b'{"a":"\xed\xa0\x80"}',
    b"\xef\xbb\xbf{}",
    b'{"a":"\xc0\x80"}',
    b"{}\x80",
    b"{}\x00",
]

token = st.sampled_from([*'{}[]:,"', '"a"', '"b"', "1", "-1", "1.5", "1e999", "true", "null", "NaN", '"\\ud83d"',
"\\", " ", "\n", "\x0b", "é", "\ud83d", "\x00", "```json\n", "\n```", "9" * 310])  # fmt: skip
jsonish = st.lists(token, max_size=12).map("".join) | st.builds(
    "{{{}}}".format, st.lists(token, max_size=8).map("".join)
)


def numbered(texts: list[Any]) -> list[Any]:
    """Return parameters whose ids hold a number, so that no two are the same."""
    return [pytest.param(text, id=f"{number} {ascii(text)[:30]}") for number, text in enumerate(texts)]


def read_both(raw: Any, monkeypatch: pytest.MonkeyPatch, **caps: int) -> tuple[Any, Any]:
    """Return what the front door says with jiter and without it."""
    assert payload._fast_json is not None
    fast = read(raw, **caps)
    with monkeypatch.context() as patch:
        patch.setattr(payload, "_fast_json", None)
        return fast, read(raw, **caps)


def code(raw: Any, **caps: int) -> str:
    found = read(raw, **caps)
    return found.code if isinstance(found, Finding) else "read"


@pytest.mark.parametrize("raw", numbered([*TEXTS, *BYTES]))
def test_both_readers_give_one_answer(raw: str | bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = read_both(raw, monkeypatch)
    assert repr(fast) == repr(slow)


@pytest.mark.parametrize("raw", numbered(TEXTS))
def test_bytes_are_read_as_their_text_is(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert code(raw.encode("utf-8", "surrogatepass")) == code(raw)


@settings(max_examples=400)
@given(jsonish, st.sampled_from(["", " ", "\ufeff", "x", "```json\n"]), st.sampled_from(["", "\n", "x", "\n```"]))
def test_both_readers_give_one_answer_to_anything(text: str, before: str, after: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for raw in (before + text + after, (before + text + after).encode("utf-8", "surrogatepass")):
            fast, slow = read_both(raw, patch, max_bytes=600)
            assert repr(fast) == repr(slow)


@settings(max_examples=300)
@given(st.binary(max_size=24) | st.binary(max_size=12).map(lambda some: b'{"a":"' + some + b'"}'))
def test_both_readers_give_one_answer_to_any_bytes(raw: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        fast, slow = read_both(raw, patch)
        assert repr(fast) == repr(slow)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(["a", "b", "\u00e9", ""]), values, max_size=3))
def test_what_is_written_is_read_the_same_and_afresh(value: dict[str, Any]) -> None:
    for raw in (value, MappingProxyType(value), json.dumps(value), json.dumps(value, ensure_ascii=False).encode()):
        found = read(raw)
        assert repr(found) == repr(value)
        assert found is not value
        assert not _shares(found, value)


def _shares(left: Any, right: Any) -> bool:
    if isinstance(left, dict | list) and left is right:
        return True
    parts = left.items() if isinstance(left, dict) else enumerate(left) if isinstance(left, list) else ()
    return any(_shares(part, right[key]) for key, part in parts)


def test_changing_what_was_sent_changes_nothing() -> None:
    sent = {"a": [1, {"b": 2}]}
    kept = read(sent)
    sent["a"].append("EVIL")
    assert kept == {"a": [1, {"b": 2}]}


@pytest.mark.parametrize("index", INDEXES)
def test_no_value_runs_its_own_code(index: int) -> None:
    found = read(samples()[index], max_bytes=5000)
    if isinstance(found, Finding):
        assert found.code.startswith("parse.")
        for text in (found.message, found.hint):
            assert 0 < len(text) <= MAX_MESSAGE
            assert text.replace("…", "").isascii() and text.isprintable()


def test_a_view_that_never_ends_is_too_large() -> None:
    assert code(samples()[8], max_bytes=5000) == "parse.size"


@pytest.mark.parametrize("size", [MAX_BYTES - 8, MAX_BYTES - 7])
def test_the_cap_counts_bytes(size: int) -> None:
    text = '{"a":"' + "x" * size + '"}'
    expected = "read" if size == MAX_BYTES - 8 else "parse.size"
    assert code(text) == code(text.encode()) == expected
    assert code('{"a":"' + "\u00e9" * (size // 2) + " " * (size % 2) + '"}') == expected


def test_nothing_beyond_the_cap_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "_fast_json", lambda *_, **__: pytest.fail("parsed"))
    monkeypatch.setattr(payload.strictjson, "loads", lambda *_: pytest.fail("parsed"))
    for raw in ("x" * 10_000_000, b"x" * 10_000_000, '{"a":"' + "\u00e9" * (MAX_BYTES // 2) + '"}'):
        monkeypatch.setattr(payload, "_fast_json", None)
        assert code(raw) == "parse.size"


def test_a_mapping_is_capped_by_its_names_and_texts() -> None:
    assert code({"a": "x" * 100}, max_bytes=200) == "read"
    assert code({"a": "x" * 300}, max_bytes=200) == "parse.size"
    assert code({"a": [0] * 300}, max_bytes=200) == "parse.size"
    assert code({"x" * 300: 0}, max_bytes=200) == "parse.size"
    assert code({"a": doubling(29)}) == "parse.size"


@pytest.mark.parametrize("wrapped", ['{"a":{}}', '{"a":[{}]}'])
def test_depth_is_counted_alike_in_text_and_in_objects(wrapped: str) -> None:
    for levels in range(MAX_DEPTH - 3, MAX_DEPTH + 2):
        value: Any = json.loads(wrapped)
        for _ in range(levels):
            value = {"a": value}
        assert code(value) == code(json.dumps(value)) == code(json.dumps(value).encode())
    assert code('{"a":"' + "{[" * 500 + '"}') == "read"


def test_a_value_that_another_thread_changes_is_read_or_refused() -> None:
    sent: dict[str, Any] = {f"k{number}": 0 for number in range(2000)}
    done = threading.Event()

    def change() -> None:
        number = 0
        while not done.is_set():
            sent[f"k{number % 2000}"] = sent.pop(f"k{(number + 7) % 2000}", number)
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        answers = {code(sent) for _ in range(60)}
    finally:
        done.set()
        thread.join()
    assert answers <= {"read", "parse.not_json"}


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        ('{"amount": 19.000000000000001}', Decimal("19.000000000000001")),
        ('{"amount": 19.00}', Decimal("19.00")),
        ('{"amount": 1E2}', Decimal("1E+2")),
        (b'```json\n{"amount": 0.1}\n```', Decimal("0.1")),
        ('{"amount": 19}', Decimal(19)),
        ('{"amount": true}', None),
        ('{"amount": "19"}', None),
        ('{"other": 19}', None),
        ({"amount": 0.1 + 0.2}, Decimal("0.30000000000000004")),
        (MappingProxyType({"amount": 5}), Decimal(5)),
    ],
)
def test_money_keeps_the_digits_it_was_written_with(raw: Any, number: Decimal | None) -> None:
    found = exact_number(raw, "amount")
    assert (found, str(found)) == (number, str(number))


def test_a_twice_encoded_object_is_told_so() -> None:
    found = read('"{\\"a\\": 1}"')
    assert isinstance(found, Finding)
    assert found.code == "parse.not_object" and "encoded twice" in found.hint
