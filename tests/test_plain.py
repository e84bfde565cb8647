"""Copying a Python value to plain JSON types before it is judged."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import Finding
from gate.plain import copy_plain, is_plain, overflows, sketch
from tests.hostile import Nameless, Raising, cyclic, doubling, samples
from tests.strategies import values


@given(values)
def test_a_plain_value_is_copied_type_by_type(value: Any) -> None:
    copied = copy_plain(value, 10_000)
    assert repr(copied) == repr(value)
    assert copied is not value or not isinstance(value, dict | list)


def test_a_value_is_copied_refused_and_sketched_without_its_own_code() -> None:
    for value in samples():
        copied = copy_plain(value, 1000)
        assert is_plain(copied) or (isinstance(copied, Finding) and copied.code.startswith("parse."))
        assert len(json.dumps(sketch(value, 1000))) < 20_000


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ((1,), "not_json"),
        ({"a": {1}}, "not_json"),
        ({1: 2}, "not_json"),
        ({None: 2}, "not_json"),
        (Nameless(), "not_json"),
        ([Raising()], "not_json"),
        (float("nan"), "non_finite"),
        (10**309, "non_finite"),
        ("\ud800", "encoding"),
        ({"\ud800": 1}, "encoding"),
        (cyclic(), "depth"),
        ("x" * 1000, "size"),
        ({"x" * 1000: 1}, "size"),
        ([0] * 1000, "size"),
        (doubling(30), "size"),
    ],
)
def test_what_is_no_json_is_named(value: Any, reason: str) -> None:
    found = copy_plain(value, 1000)
    assert isinstance(found, Finding) and found.code == f"parse.{reason}"


@given(st.integers() | st.floats())
def test_a_number_overflows_when_a_double_cannot_hold_it(number: float) -> None:
    fits = math.isfinite(number) if type(number) is float else abs(number) < 10**308
    assert overflows(number) is not fits


def test_a_sketch_keeps_what_is_json_and_names_the_rest() -> None:
    value = {"a": (1,), 2: "two", "n": float("nan"), "deep": [{"set": {1}, "text": "\ud800"}], "big": 10**400}
    assert json.dumps(sketch(value, 1000)) == (
        '{"a": "a value of type tuple", "a value of type int": "two", "n": NaN, '
        '"deep": [{"set": "a value of type set", "text": "\\"\\\\ud800\\""}], "big": "a value of type int"}'
    )


def test_a_sketch_has_an_end() -> None:
    assert len(json.dumps(sketch(doubling(60), 1000))) < 10_000
    assert json.dumps(sketch(cyclic(), 1000)).startswith('{"a": {"a": {"a": ')
