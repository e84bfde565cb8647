"""A probe: one hidden input, what observes it in the student's kernel, and how what is seen is judged outside.

Not here: where probes come from (the modules beside this one).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

#: Says of what was seen, as plain data, whether it is right. What it is handed is a student's word.
Judge = Callable[[Any], bool]


@dataclass(frozen=True)
class Probe:
    """One hidden input of an exercise.

    `told` is what a student may know of it: the kind of input, never the input. `given` is for the observer. `right`
    is the one observation that is right, where there is one. Where several are, or where one observation answers
    several questions, each of the `judges` is one check, with what may be told of it. A probe with neither is asked of
    the reference solution.
    """

    told: str
    observer: str
    given: dict[str, Any]
    right: str = ""
    judges: tuple[tuple[str, Judge], ...] = ()


@dataclass(frozen=True)
class Case:
    """A probe with its id, `memory.validate/07`, and with the right observation wherever there is just one."""

    id: str
    exercise: str
    probe: Probe


Make = Callable[[random.Random], Iterator[Probe]]


def as_input(value: Any) -> str:
    """Return a value as the text of an input."""
    return json.dumps(value)
