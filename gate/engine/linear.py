"""A matcher for the patterns of a contract that takes time in proportion to the text, whatever the pattern.

Python's `re` backtracks: `^(a+)+$` on forty letters and a `!` takes it hours. The deciding engine does not backtrack,
so the second one must not either. A pattern becomes a little program (Thompson, 1968) of which all states are followed
at once; what one character does to a set of states is remembered.

Not here: which patterns are allowed, and how they read in Python (`patterns`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from gate.engine.patterns import to_python

MAX_STEPS = 5000  # a{1,2000} is a program of 4000 steps

_REMEMBERED = 500  # each set of states may be as large as the program

_TOKEN = re.compile(r"\\(?:x..|u....|.)|\[\^?(?:\\.|[^\]\\])+\]|\(\?:|[*+?]\??|\{[0-9]+(?:,[0-9]*)?\}\??|.", re.DOTALL)
_TIED = {"^": "start", r"\Z": "end"}
_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_Build = Callable[[int], int]  # takes the step that follows, adds its own, and returns the first of them


class _Step(NamedTuple):
    """Take a character that `takes` accepts, go on only at the `start` or `end`, or simply `go` on to all of `to`."""

    kind: str
    to: tuple[int, ...]
    takes: Callable[[str], object] = bool


class Matcher:
    """One pattern, ready to be looked for.

    >>> Matcher("^(a+)+$").found_in("a" * 5000 + "!")
    False

    Raises ValueError for a pattern that `patterns.to_python` refuses, or that repeats too much.
    """

    def __init__(self, pattern: str) -> None:
        self._steps = [_Step("match", ())]
        self._first = _alternatives(self._steps, _TOKEN.findall(to_python(pattern))[::-1])(0)
        self._anywhere = self._reach([self._first])  # a match may begin at every character
        self._known: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def found_in(self, text: str) -> bool:
        """Say whether the pattern matches anywhere in a text; `^` and `$` tie it to the ends."""
        states = self._reach([self._first], "start")
        for char in text:
            if 0 in states:
                return True
            states = self._known.get((states, char)) or self._after(states, char)
        return 0 in self._reach(states, *(("end",) if text else ("start", "end")))

    def _after(self, states: frozenset[int], char: str) -> frozenset[int]:
        steps = [self._steps[state] for state in states]
        taken = [step.to[0] for step in steps if step.kind == "take" and step.takes(char)]
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[states, char] = after = self._reach(taken) | self._anywhere
        return after

    def _reach(self, states: Iterable[int], *here: str) -> frozenset[int]:
        """Return all states reached without taking a character; `here` is what the place is: start, end, or neither."""
        reached: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            step = self._steps[state]
            if state not in reached and (step.kind == "go" or step.kind in here):
                waiting += step.to
            reached.add(state)
        return frozenset(reached)


def _add(steps: list[_Step], kind: str, to: tuple[int, ...], takes: Callable[[str], object] = bool) -> int:
    if len(steps) >= MAX_STEPS:
        raise ValueError(f"repeats so much that it takes more than {MAX_STEPS} steps")
    steps.append(_Step(kind, to, takes))
    return len(steps) - 1


# `tokens` is read from its end, and used up.


def _alternatives(steps: list[_Step], tokens: list[str]) -> _Build:
    parts = [_sequence(steps, tokens)]
    while tokens and tokens[-1] == "|":
        tokens.pop()
        parts.append(_sequence(steps, tokens))
    return parts[0] if len(parts) == 1 else lambda after: _add(steps, "go", tuple(part(after) for part in parts))


def _sequence(steps: list[_Step], tokens: list[str]) -> _Build:
    parts: list[_Build] = []
    while tokens and tokens[-1] not in ("|", ")"):
        token = tokens.pop()
        if token in ("(", "(?:"):
            parts.append(_alternatives(steps, tokens))
            tokens.pop()
        elif token[0] in "*+?{":
            parts.append(_repeated(steps, parts.pop(), token))
        else:
            parts.append(_single(steps, token))

    def build(after: int) -> int:
        for part in reversed(parts):
            after = part(after)
        return after

    return build


def _single(steps: list[_Step], token: str) -> _Build:
    if token in _TIED:
        return lambda after: _add(steps, _TIED[token], (after,))
    takes = re.compile(token, re.ASCII | re.DOTALL).match
    return lambda after: _add(steps, "take", (after,), takes)


def _repeated(steps: list[_Step], part: _Build, token: str) -> _Build:
    low, high = _REPEATS.get(token[0]) or _counts(token)

    def build(after: int) -> int:
        if high is None:
            loop = first = _add(steps, "go", (after,))
            steps[loop] = _Step("go", (part(loop), after))
        else:
            first = after
            for _ in range(high - low):
                first = _add(steps, "go", (part(first), after))
        for _ in range(low):
            first = _add(steps, "go", (part(first),))
        return first

    return build


def _counts(token: str) -> tuple[int, int | None]:
    low, comma, high = token.strip("{}?").partition(",")
    return int(low), int(high) if high else None if comma else int(low)


@lru_cache(maxsize=512)
def matcher(pattern: str) -> Matcher:
    """Return the matcher of a pattern, made once."""
    return Matcher(pattern)
