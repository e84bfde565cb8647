"""Proof of a change: for each difference between two contracts, the smallest payload found on which they differ by it.

A payload proves that a change widens when the old contract refuses it, the new one allows it, and the new one without
this change refuses it again. That a change narrows is proven the other way round. Where no such payload is found the
change is said to be not proven; nothing is guessed.

Not here: reading the contracts, and printing (`gate contract diff`). Not caught: a difference that neither the schemas'
meaning nor any payload drawn shows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.contracts.diff import diff
from gate.contracts.edits import Edit, Steps
from gate.contracts.keywords import Change, Direction
from gate.contracts.meaning import Node, meaning
from gate.evidence.aim import counting
from gate.evidence.nearmiss import near_misses
from gate.evidence.reach import reaching
from gate.evidence.rules import Rule, at_path, places, replaced, rules
from gate.evidence.samples import Sampler
from gate.evidence.shrink import shrunk

_DRAWN = 300
_BASES = 24
_WAYS: tuple[Direction, ...] = ("widened", "narrowed")
Differs = Callable[[Any], bool]


class Difference(NamedTuple):
    """One change with its proof: `payload` is newly allowed (widened) or newly refused (narrowed), None if not found.

    `direction` is "changed" where neither could be proven and the schemas do not show which it is.
    """

    direction: Direction
    path: str
    words: str
    payload: dict[str, Any] | None


def differences(old: Contract, new: Contract, payloads: Iterable[Any] = ()) -> list[Difference]:
    """Return what changed between two contracts of one tool and side, each change with its proof.

    `payloads` are tried beside those that are drawn, such as the ones of fixtures. Seeded: the same contracts give the
    same proofs. Empty exactly when the two mean the same and no payload was found to tell them apart.

    >>> closed = {"type": "object", "additionalProperties": False, "properties": {}}
    >>> small, great = ({**closed, "properties": {"n": {"type": "integer", "minimum": 0, "maximum": most}}}
    ...                 for most in (5, 9))
    >>> differences(Contract.from_schema(small, tool="count"), Contract.from_schema(great, tool="count"))[0].payload
    {'n': 6}
    """
    finder = _Finder(old, new, list(payloads))
    found = [one for change in diff(old.schema, new.schema) for one in finder.proven(change)]
    return found + finder.unexplained(found)


def alone(old: Contract | None, new: Contract | None) -> Difference:
    """Return the difference between a contract and none: without a contract every call is refused."""
    there = new or old
    if there is None:
        raise ValueError("one of the two contracts must be there")
    words = "is new: its payloads pass" if new else "is gone: its payloads are refused"
    drawn = _drawn(there)
    payload = shrunk(drawn[0], lambda less: bool(there.judge(less))) if drawn else None
    return Difference("widened" if new else "narrowed", "", f"the contract {words}", payload)


class _Finder:
    def __init__(self, old: Contract, new: Contract, payloads: list[Any]) -> None:
        self._old, self._new = old, new
        self._meant = (meaning(old.schema), meaning(new.schema))
        self._allowed = {one: [*_drawn(one), *filter(one.judge, payloads)] for one in (old, new)}

    def proven(self, change: Change) -> Iterator[Difference]:
        """Yield the change in each direction that is proven, or once without a proof."""
        ways = _WAYS if change.direction == "changed" else (change.direction,)
        proofs = [(way, self._proof(change.edit, way)) for way in ways]
        found = [Difference(way, change.path, change.words, payload) for way, payload in proofs if payload is not None]
        yield from found or [Difference(change.direction, change.path, change.words, None)]

    def unexplained(self, found: list[Difference]) -> list[Difference]:
        """Return what payloads show and the changes do not: a direction that none of them has."""
        more = []
        for way in _WAYS:
            loose, strict = self._sides(way)
            differs = _differs(loose, [strict])
            payload = next(filter(differs, self._allowed[loose]), None)
            if payload is not None and way not in {one.direction for one in found}:
                told = "passes now, and was refused" if way == "widened" else "is refused now, and passed"
                more.append(Difference(way, "", f"a payload {told}", shrunk(payload, differs)))
        return more

    def _sides(self, way: Direction) -> tuple[Contract, Contract]:
        """Return the looser and the stricter contract of a direction."""
        return (self._new, self._old) if way == "widened" else (self._old, self._new)

    def _proof(self, edit: Edit, way: Direction) -> dict[str, Any] | None:
        """Return the smallest payload found that shows this edit, alone, to go this way."""
        widened = way == "widened"
        loose, strict = self._sides(way)
        one_off = edit.undone(*self._meant) if widened else edit.made(*self._meant)
        at = (edit.new_at if widened else edit.old_at, edit.keywords)
        differs = _differs(loose, [strict, strict.weakened(one_off)])
        for payload in self._candidates(loose, one_off, *at):
            if differs(payload):
                smallest: dict[str, Any] = shrunk(payload, differs)
                return smallest
        return None

    def _candidates(self, loose: Contract, one_off: Node, at: Steps, words: Steps) -> Iterator[Any]:
        """Yield what nearly keeps the rules at the place of the edit, then whatever the loose contract allows."""
        allowed, rng = self._allowed[loose], random.Random(0)
        sampler = Sampler(one_off, rng)
        for rule in rules(one_off):
            if _concerns(rule, at, words):
                for base in islice(filter(counting(one_off, rule), allowed), _BASES):
                    for path in (path for where in rule.at for path in places(base, where)):
                        for option in near_misses(rule, at_path(base, path), sampler, rng):
                            yield replaced(base, path, option)
        yield from allowed


def _concerns(rule: Rule, at: Steps, words: Steps) -> bool:
    """Say whether a rule stands where the edit is: in its keywords, or below them."""
    return rule.path == at and rule.keyword in words or any(rule.path[: len(at) + 1] == (*at, word) for word in words)


def _differs(loose: Contract, strict: list[Contract]) -> Differs:
    """Return a test: does the loose contract allow a payload that each of the strict ones refuses?"""

    def differs(payload: Any) -> bool:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        return bool(loose.judge(text)) and not any(one.judge(text) for one in strict)

    return differs


def _drawn(contract: Contract) -> list[Any]:
    """Return payloads that a contract allows, most of them at a border, the short ones first."""
    sampler = Sampler(contract.schema, random.Random(0))
    values = {json.dumps(value): value for value in (sampler.draw() for _ in range(_DRAWN))}
    fine = [values[text] for text in sorted(values, key=len) if contract.judge(text)]
    return fine + reaching(contract.schema, fine, sampler, lambda value: contract.judge(json.dumps(value)))
