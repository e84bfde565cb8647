"""The patterns a contract may use: three matchers, one answer; and no text that takes for ever."""

from __future__ import annotations

import re
import time

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.engine.linear import MAX_STEPS, Matcher, matcher
from gate.engine.patterns import is_anchored, to_python

REFUSED = [
    r"(?=a)", r"(?!a)", r"(?<=a)b", r"(?<!a)b", r"(?<n>a)", r"(?P<n>a)", r"(?i)a", r"(?i:a)", r"(?>a)", r"(a)\1",
    r"\k<n>", r"a++", r"a*+", r"a?+", r"a{2}+", r"a***", r"a??+", r"\bword\b", r"\Ba", r"\Aa", r"a\Z", r"a\z",
    r"\p{L}", r"\P{L}", r"\u{61}", r"\cA", r"\0", r"\x4", r"\u12", r"\a", r"\e", r"\<a", r"a\>", r"\é", r"[[a]]",
    r"[a&&b]", r"[a--b]", r"[a~~b]", r"[a||b]", r"[\S]", r"[]", r"[^]", r"[a", r"a]", r"a}", r"{a", r"a{", r"a{,3}",
    r"(a", r"a)", r"*a", r"+", r"?", r"(*a)", r"[z-a]", r"a{3,2}", r"[[:alpha:]]", r"a{99999999999}", "\\",
]  # fmt: skip
MATCHED = [
    ("^ord_[0-9]{4}$", ["ord_1842"], ["ord_1842\n", "ord_184", "xord_1842", "ord_\uff11\uff18\uff14\uff12"]),
    (r"^\d+$", ["0", "42"], ["", "\u0661", "4\n"]),
    (r"^\w+$", ["a_9"], ["\u00e9", "\u017f", "a-b"]),
    (r"^\s$", [" ", "\t", "\n", "\xa0", "\u2028", "\ufeff"], ["\x1c", "\x85", "\u180e", "\u200b"]),
    (r"^\S$", ["a", "\x85", "\u200b"], [" ", "\ufeff"]),
    ("^.$", ["a", "\u00e9", "\U0001f600", "\x85"], ["", "\n", "\r", "\u2028", "ab"]),
    ("^[^a]$", ["b", "\n", "\U0001f600"], ["a", ""]),
    ("^a|b$", ["ax", "xb"], ["xax"]),
    ("^(?:a|b)$", ["a", "b"], ["ab", "ax"]),
    ("^(a{2,3}|b?)$", ["aa", "aaa", "b", ""], ["a", "aaaa", "bb"]),
    (r"^[\]\\^-]+$", ["]\\^-"], ["[", "a"]),
    (r"^[\u00e0-\u00ff]$", ["\u00e9"], ["e"]),
    ("^a*?b+?c??$", ["b", "aabbc"], ["a", "bcc"]),
    ("", ["", "a"], []),
    ("^", ["", "a"], []),
    ("^$", [""], ["a", "\n"]),
    ("$", ["", "a"], []),
    ("a$b", [], ["a", "ab", "a\nb"]),
    ("b^a", [], ["ba", "b\na"]),
    ("()", ["", "x"], []),
    ("^(a*)*$", ["", "aaa"], ["b"]),
    ("^(|a)+$", ["", "aa"], ["b"]),
]

ATOMS = ["a", "b", "\u00e9", "\U0001f600", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S",
".", r"\.", r"\-", r"\/", r"\n", r"\x41", r"\u00e9", "[a-z]", "[^a-z]", r"[\d_-]", r"[^\s]", r"[\W]", r"[a\]b]",
"[.]", "[-a]", "[$^]", "[^^]", r"\\", r"[|]", "[&~]", "#", " ", "_", r"\ ", r"\#", r"\@",
         r"\=", r"\!", r"\,", r"\;", r"\"", r"\`", r"\~", r"\&", r"\%", r"\:", r"\v", r"[\n\x0b]", "-", "<", "=", "^",
         "$"]  # fmt: skip
REPEATS = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{2}?", "{1,2}?"]
CHARS = "abAZ09_- .\n\r\t\x0b\x85\u2028\u00e9\u0130\u017f\u212a\u0660\U0001f600/\\]^$|&~#"

written = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.builds("{}{}".format, inner, inner)
        | st.builds("({}|{})".format, inner, inner)
        | st.builds("(?:{})".format, inner)
        | st.builds("({}){}".format, inner, st.sampled_from(REPEATS))
    ),
    max_leaves=6,
)


def fast(pattern: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions())


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_the_engines_could_read_in_two_ways_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^(uses|has|repeats|is not)"):
        Matcher(pattern)


@pytest.mark.parametrize(("pattern", "good", "bad"), MATCHED)
def test_all_matchers_know_it(pattern: str, good: list[str], bad: list[str]) -> None:
    for text in [*good, *bad]:
        expected = text in good
        assert matcher(pattern).found_in(text) is expected
        assert bool(re.search(to_python(pattern), text, re.ASCII)) is expected
        assert fast(pattern).is_valid(text) is expected


@settings(max_examples=300)
@given(written, st.booleans(), st.lists(st.text(alphabet=CHARS, max_size=5), min_size=6, max_size=6))
def test_all_matchers_give_one_answer_to_anything(pattern: str, tied: bool, texts: list[str]) -> None:
    pattern = f"^{pattern}$" if tied else pattern
    python, linear, rust = re.compile(to_python(pattern), re.ASCII), Matcher(pattern), fast(pattern)
    for text in texts:
        assert bool(python.search(text)) is linear.found_in(text) is rust.is_valid(text)


@given(st.text(max_size=12) | st.text(alphabet="ab()[]{}*+?|^$\\.,-0123:=<>dDsSwWxu&~", max_size=12))
def test_what_is_let_by_is_read_by_all(pattern: str) -> None:
    try:
        linear = Matcher(pattern)
    except ValueError:
        return
    python, rust = re.compile(to_python(pattern), re.ASCII), fast(pattern)
    for text in ("", "a", "ab", "1", "\n", pattern):
        if "\ud800" <= max(text, default="") <= "\udfff":
            continue
        assert bool(python.search(text)) is linear.found_in(text) is rust.is_valid(text)


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(a|a)*$", "^(a|ab)(c|bcd)*$", "^(a*)*b$", "^([a-z]+)*[A-Z]$", "^(.*)*x$", "(a*)*$b"]
)
def test_no_text_takes_more_than_its_length(pattern: str) -> None:
    started = time.perf_counter()
    assert not matcher(pattern).found_in("a" * 100_000 + "!")
    assert time.perf_counter() - started < 2


def test_many_states_and_many_characters_do_not_fill_the_memory() -> None:
    counting = Matcher("^.*a.{1,300}$")
    text = "".join("ab"[number * number % 7 % 2] for number in range(3000)) + "b" * 301
    assert not counting.found_in(text)
    assert len(counting._known) <= 500


@pytest.mark.parametrize("pattern", ["^(a{1,1000}){1,1000}$", "(){1,99999999}", "^a{1,6000}$", "((a{99}){99}){99}"])
def test_a_pattern_that_repeats_too_much_is_refused_at_once(pattern: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ValueError, match=f"more than {MAX_STEPS} steps"):
        Matcher(pattern)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    "pattern", [r"^\S{0,2000}$", r"^(?:[^\s]\W){1600}$", r"^(?:\S{0,70}){0,34}$", "^(?:é|[^a-z]){0,1200}$"]
)
def test_the_deciding_engine_takes_the_largest_patterns(pattern: str) -> None:
    matcher(pattern)
    assert fast(pattern).is_valid("é") == matcher(pattern).found_in("é")


@pytest.mark.parametrize(
    ("pattern", "anchored"),
    [
        ("^a$", True), ("^a", False), ("a$", False), ("^a|b$", False), ("^(a|b)$", True), ("^(?:a|b$)$", True),
        (r"^a\$", False),
        (r"^a\\$", True), ("^[|]$", True), (r"^[\]|]$", True), ("^$", True), ("", False), ("$^", False),
    ],
)  # fmt: skip
def test_a_pattern_is_anchored_at_both_ends_in_every_branch(pattern: str, anchored: bool) -> None:
    assert is_anchored(pattern) is anchored
