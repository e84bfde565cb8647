"""Reaching: for each rule that counts in no payload of some, one in which it does, drawn through the place it judges.

What lies below several fields that may be missing, or in one branch of several, is hardly ever drawn by chance, and a
rule that is never met looks as if nobody could tell that it is gone.

Not here: drawing (`samples`). Not caught: a place that the rules of the schema themselves forbid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gate.evidence.aim import counting
from gate.evidence.rules import rules
from gate.evidence.samples import Node, Sampler

_TRIES = 30  # a place may lie in one branch of several
Fits = Callable[[Any], object]


def reaching(schema: Node, payloads: Sequence[Any], sampler: Sampler, fits: Fits) -> list[Any]:
    """Return payloads that fit, one for each rule that counts in none of `payloads`, which fit, nor of those before it.

    >>> import random
    >>> inner = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3, "maximum": 3}}}
    >>> schema = {"type": "object", "properties": {"a": inner}}
    >>> reaching(schema, [{}], Sampler(schema, random.Random(0)), lambda value: True)
    [{'a': {'n': 3}}]
    """
    found: list[Any] = []
    nodes = {rule.path: rule for rule in rules(schema)}.values()
    for rule in sorted(nodes, key=lambda rule: -min(map(len, rule.at))):  # what is deep passes what is not
        counts = counting(schema, rule)
        if not any(map(counts, (*payloads, *found))):
            drawn = (sampler.draw(at) for at in sorted(rule.at, key=len)[:2] for _ in range(_TRIES))
            value = next((value for value in drawn if counts(value) and fits(value)), None)
            found += [] if value is None else [value]
    return found
