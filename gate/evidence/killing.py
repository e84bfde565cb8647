"""Killing payloads: for a planted fault, the smallest payload found that the right gate and the faulty one treat
differently, ready to be a fixture.

Whether a payload tells the two apart is measured, never claimed: both are asked. The label is what the contract says.
Seeded: the same contract gives the same payloads.

Not here: which faults there are (`altered`, `faulty`, `opendoor`). Not caught: a difference that no near miss shows;
such a fault is named as equivalent, not counted as noticed.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from gate.contract import Contract
from gate.errors import CODES
from gate.evidence.aim import engine_for
from gate.evidence.altered import Altered
from gate.evidence.faulty import Faulty, Payload
from gate.evidence.fixtures import Fixture, strangers
from gate.evidence.nearmiss import KEYWORDS, near_misses
from gate.evidence.reach import reaching
from gate.evidence.rules import Rule, Step, at_path, places, replaced, rules
from gate.evidence.samples import Sampler
from gate.evidence.shrink import shrunk
from gate.evidence.textfaults import faulty_texts

Value = dict[str, Any]
Shot = tuple[str, Payload]  # the tool that it is for, and the payload

_DRAWN = 150  # payloads that are fine, out of which one of each shape is kept
_SHAPES = 24
_ENOUGH = 8  # of so many that tell two gates apart, the smallest is made smaller
_WHOLE = 40  # payloads drawn from the altered contract itself
_FROM = 3  # payloads that are spoilt for the faulty gates
_UNKNOWN = ("call.unknown_tool",)


class Killer:
    """Finds the killing payloads for one contract.

    >>> from gate.evidence.altered import altered
    >>> from gate.registry import load_contracts
    >>> contract = load_contracts().output("inventory.lookup")
    >>> fault = next(one for one in altered(contract.schema) if one.name == "/properties/quantity/maximum")
    >>> killer = Killer(contract).of_altered(fault)
    >>> killer.label, killer.payload
    ('block', {'sku': '3', 'quantity': 1000001, 'warehouse': 'sfo'})
    """

    def __init__(self, contract: Contract) -> None:
        self._contract, self._schema = contract, contract.schema
        self._rng = random.Random(0)
        self._sampler = Sampler(self._schema, self._rng)
        self._engine = engine_for(self._schema)
        self._found: dict[str, Fixture | None] = {}

    def of_altered(self, one: Altered) -> Fixture | None:
        """Return the smallest payload found that tells an altered contract from the contract, or None."""
        if one.name not in self._found:
            self._found[one.name] = self._of_altered(one)
        return self._found[one.name]

    def of_gate(self, faulty: Faulty) -> Fixture | None:
        """Return the smallest payload found that a faulty gate treats as the contract does not, or None."""
        if faulty.name not in self._found:
            self._found[faulty.name] = self._of_gate(faulty)
        return self._found[faulty.name]

    def _of_altered(self, one: Altered) -> Fixture | None:
        weak = engine_for(one.schema)

        def tells(value: Any) -> bool:
            return isinstance(value, dict) and weak.accepts(value) != self._engine.accepts(value)

        found = list(islice(filter(tells, self._near(one)), _ENOUGH))
        if not found:
            return None
        return self._fixture(one.name, one.name, (self._contract.tool, self._smallest(found, tells)))

    def _of_gate(self, faulty: Faulty) -> Fixture | None:
        def tells(shot: Shot) -> bool:
            return faulty.lets(self._contract, *shot) != self._allows(shot)

        tool, payload = next(filter(tells, self._shots), (self._contract.tool, None))
        if payload is None:
            return None
        if isinstance(payload, dict):
            payload = self._smallest([payload], lambda value: tells((tool, value)))
        return self._fixture(faulty.name, f"{faulty.name}, which {faulty.words}", (tool, payload))

    @cached_property
    def _bases(self) -> list[Value]:
        """Return payloads that the contract allows, one of each shape, the smallest first, and those that it takes to
        meet every rule; where none is found, the least refused."""
        shapes: dict[str, Value] = {}
        drawn = [self._sampler.draw() for _ in range(_DRAWN)]
        fine = [value for value in drawn if self._engine.accepts(value)]
        if not fine:
            return sorted(drawn, key=lambda value: len(self._engine.faults(value)))[:_FROM]
        for value in sorted(fine, key=_size):
            shapes.setdefault(_shape(value), value)
        few = list(islice(shapes.values(), _SHAPES))
        few += reaching(self._schema, few, Sampler(self._schema, random.Random(0)), self._engine.accepts)
        return [shrunk(value, self._keeps_shape(_shape(value))) for value in few]

    def _fits(self, value: Any) -> bool:
        return self._engine.accepts(value)

    def _keeps_shape(self, shape: str) -> Callable[[Any], bool]:
        return lambda value: self._engine.accepts(value) and _shape(value) == shape

    def _near(self, one: Altered) -> Iterator[Any]:
        """Yield payloads near the border that was moved: on both sides of where it was, and of where it is."""
        changed = [word for word in one.node if word in KEYWORDS and one.node[word] != one.rule.node.get(word)]
        moved = [one.rule, *(one.rule._replace(keyword=word, item=None, node=one.node) for word in changed)]
        weak = Sampler(one.schema, self._rng)
        for base, path in self._spots(one.rule):
            there = at_path(base, path)
            options = [new for rule in moved for new in near_misses(rule, there, self._sampler, self._rng)]
            options += [*weak.ends(one.node), *self._sampler.ends(one.rule.node)]
            yield from (replaced(base, path, new) for new in options)
        yield from (weak.draw() for _ in range(_WHOLE))
        yield from self._bases

    def _spots(self, rule: Rule) -> Iterator[tuple[Value, tuple[Step, ...]]]:
        return ((base, path) for base in self._bases for at in rule.at for path in places(base, at))

    def _smallest(self, found: Iterable[Value], tells: Callable[[Any], bool]) -> Value:
        smallest = min(found, key=_size)
        allowed = self._engine.accepts(smallest)
        return dict(shrunk(smallest, lambda less: self._engine.accepts(less) == allowed and tells(less)))

    @cached_property
    def _shots(self) -> list[Shot]:
        """Return payloads of every kind, the smallest first: fine ones, near misses, spoilt texts, unknown tools."""
        tool = self._contract.tool
        few = self._bases[:_FROM] + [shrunk(base, self._fits) for base in self._bases[:1]]
        payloads: list[Any] = [*self._bases, *(text for base in few for text in self._texts(base))]
        for rule in rules(self._schema):
            for base, path in islice(self._spots(rule), _FROM):
                near = near_misses(rule, at_path(base, path), self._sampler, self._rng)
                payloads += [value for new in near if isinstance(value := replaced(base, path, new), dict)]
        unknown = [(other, base) for other in strangers(tool) for base in few[:1]]
        return sorted([*((tool, payload) for payload in payloads), *unknown], key=lambda shot: _size(shot[1]))

    def _texts(self, base: Value) -> Iterator[str]:
        for reason in (reason for reason in CODES["parse"] if reason not in ("size", "non_finite")):
            for text in faulty_texts(reason, base, 0, self._rng):
                if isinstance(text, str):
                    yield text
        for rule in rules(self._schema):
            for path in (path for at in rule.at for path in places(base, at) if path):
                yield from (json.dumps(replaced(base, path, number)) for number in (float("nan"), float("inf")))

    def _allows(self, shot: Shot) -> bool:
        return shot[0] == self._contract.tool and bool(self._contract.judge(shot[1]))

    def _fixture(self, name: str, kills: str, shot: Shot) -> Fixture:
        tool, payload = shot
        decision, contract = self._contract.judge(payload), self._contract
        codes = decision.codes if tool == contract.tool else _UNKNOWN
        note = f"Kills {kills}. The label is what the contract says."
        return Fixture(_slug(name), tool, contract.side, "block" if codes else "allow", codes, payload, note)


_KILLERS: dict[tuple[str, str, int], Killer] = {}  # a class asks for the same few contracts again and again
_KEPT = 16


def killer_for(contract: Contract) -> Killer:
    """Return the killer of a contract, the same one as the last time: what it found then is found at once."""
    key = (contract.id, contract.sha256, contract.max_bytes)
    if key not in _KILLERS:
        if len(_KILLERS) >= _KEPT:
            _KILLERS.clear()
        _KILLERS[key] = Killer(contract)
    return _KILLERS[key]


def _size(payload: Any) -> int:
    return len(payload if isinstance(payload, str) else json.dumps(payload))


def _shape(value: Any) -> str:
    """Return the names and kinds of a payload, its values left out."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{name!r}:{_shape(item)}" for name, item in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted({_shape(item) for item in value})) + "]"
    return type(value).__name__


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.replace("/properties", "").lower()).strip("-")[:60]
