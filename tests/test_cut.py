"""Cutting a text to its cap."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from gate.wrapping.cut import cut

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
NOTE = re.compile(r"\n\[gate: (\d+) of (\d+) characters left out; ask for a narrower range\]\n")


def test_a_short_text_is_left_alone() -> None:
    assert cut("x" * 2000, 2000) == ("x" * 2000, 2000, 0)


@pytest.mark.parametrize("length", [2001, 5000, 1_000_000])
def test_the_cap_includes_the_note(length: int) -> None:
    text, total, dropped = cut("x" * length, 2000)
    assert 1990 < len(text) <= 2000
    assert total == length
    found = NOTE.search(text)
    assert found is not None
    assert (int(found[1]), int(found[2])) == (dropped, length)


def test_head_and_tail_are_kept_with_the_count_of_what_is_gone() -> None:
    text = "".join(f"{n:04}," for n in range(1000))
    piece = cut(text, 600)
    head, count, _, tail = NOTE.split(piece.text)
    assert text.startswith(head) and text.endswith(tail)
    assert len(head) > len(tail) > 100
    assert len(head) + len(tail) + int(count) == len(text) == piece.total


def test_a_stack_trace_keeps_its_last_line() -> None:
    last = "ValueError: " + "the reason is long, " * 60 + "and here is its end"
    trace = "Traceback (most recent call last):\n" + '  File "x.py", line 1, in f\n' * 400 + last + "\n\n"
    piece = cut(trace, 2000)
    assert piece.text.endswith("\n" + last)
    assert piece.text.startswith("Traceback")
    assert len(piece.text) <= 2000


def test_a_last_line_that_does_not_fit_is_cut_like_any_text() -> None:
    piece = cut("first\n" + "y" * 5000, 300)
    assert piece.text.startswith("first\ny") and piece.text.endswith("y")
    assert len(piece.text) == 300


@pytest.mark.parametrize("unit", [FAMILY, "e\u0301\u0302", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f", "\uac01"])
@pytest.mark.parametrize("limit", range(200, 212))
def test_no_character_is_cut_in_two(unit: str, limit: int) -> None:
    piece = cut(unit * 300, limit)
    head, tail = NOTE.split(piece.text)[0], NOTE.split(piece.text)[-1]
    assert len(piece.text) <= limit
    assert set(iter_graphemes(head)) | set(iter_graphemes(tail)) == {unit}


def test_one_endless_character_is_left_out_whole() -> None:
    piece = cut("start" + "e" + "\u0301" * 100_000, 500)
    assert "\u0301" not in piece.text
    assert piece.text.startswith("start\n[gate: ")


@given(st.text(max_size=400), st.integers(1, 300))
def test_no_text_is_longer_than_its_cap(text: str, limit: int) -> None:
    piece = cut(text, limit)
    assert len(piece.text) <= limit
    assert piece.dropped == 0 or piece.dropped <= piece.total
    assert piece.dropped > 0 or piece.text in (text, text.rstrip())


@pytest.mark.parametrize(("limit", "text"), [(1, "…"), (10, "aaaaaa…aaa"), (90, None)])
def test_a_tiny_cap_shortens_the_note(limit: int, text: str | None) -> None:
    piece = cut("a" * 100, limit)
    assert len(piece.text) <= limit
    assert piece.dropped > 0
    assert text is None or piece.text == text
