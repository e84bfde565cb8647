"""Aiming: for one rule of a contract, payloads that break it and nothing else.

Exactly one fault is measured, not claimed: the schema without the rule accepts the payload. Where no such payload is
found (a rule that another one implies), one is taken in which the rule is broken beside others, and `alone` says so.

Not here: whether the contract refuses it (`fuzz`).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from gate.contract import Contract
from gate.engine.explain import pointer
from gate.engine.faults import Engine
from gate.errors import clip
from gate.evidence.nearmiss import near_misses
from gate.evidence.rules import Rule, Step, at_path, places, replaced
from gate.evidence.samples import Sampler
from gate.evidence.shrink import shrunk
from gate.evidence.textfaults import faulty_texts

engine_for: Callable[[dict[str, Any]], Engine]
try:
    from gate.engine.fast import FastEngine as engine_for
except ImportError:
    from gate.engine.strict import StrictEngine as engine_for

_TRIES = 60
_SHOWN = 120
_NOTHING: dict[str, Any] = {"not": {}}  # what lets nothing pass
Value = dict[str, Any]


def counting(schema: dict[str, Any], rule: Rule) -> Callable[[Any], bool]:
    """Return a test: does the node of a rule count in a payload that fits? If nothing fitted it, neither would that."""
    accepts = engine_for(rule.put_into(schema, _NOTHING)).accepts
    return lambda value: not accepts(value)


class Aim:
    """One rule under fire: its `name`, the `codes` of its refusals, how many were `sent`, the shortest `example`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.alone = True
        self.codes: Counter[str] = Counter()
        self.sent = 0
        self.example: str | bytes = ""

    def renew(self, bases: list[Value]) -> None:
        """Take fresh payloads that are fine, to start from."""

    def shoot(self, rng: random.Random) -> str | bytes | None:
        """Return a payload with the one fault, or None when there is none to be found."""

    def missed(self) -> None:
        """Hear that the last payload was no fault after all."""

    def note(self, payload: str | bytes, codes: list[str]) -> None:
        """Keep what the refusal of a payload said, and the shortest payload as an example."""
        if not self.sent or len(payload) < len(self.example):
            self.example = payload
        self.sent += 1
        for code in codes:
            self.codes[code] += 1

    def minimised(self) -> str | bytes:
        """Return the example made as small as it can be while it still shows the same."""
        return self.example

    def fault(self, example: str | bytes) -> str:
        """Return what is wrong with a minimised example, as short as it can be said."""
        text = example if isinstance(example, str) else example.decode("utf-8", "backslashreplace")
        return clip(text.encode("unicode_escape").decode(), _SHOWN)


class TextAim(Aim):
    """Aims at one `parse.*` reason of the front door."""

    def __init__(self, reason: str, max_bytes: int) -> None:
        super().__init__(f"parse.{reason}")
        self._reason, self._max_bytes = reason, max_bytes
        self._bases: list[Value] = []

    def renew(self, bases: list[Value]) -> None:
        self._bases = bases

    def shoot(self, rng: random.Random) -> str | bytes | None:
        return rng.choice(faulty_texts(self._reason, rng.choice(self._bases), self._max_bytes, rng))


class RuleAim(Aim):
    """Aims at one rule of a contract."""

    def __init__(self, rule: Rule, contract: Contract, sampler: Sampler) -> None:
        super().__init__(rule.name)
        self.alone = False
        self._rule, self._contract, self._sampler = rule, contract, sampler
        schema = contract.schema
        self._whole, self._without = engine_for(schema), engine_for(rule.dropped_from(schema))
        self._counts = counting(schema, rule)
        self._spots: list[tuple[Value, tuple[Step, ...]]] = []
        self._spot = 0
        self._near: list[Value] = []
        self._implied = False

    def renew(self, bases: list[Value]) -> None:
        fitting = list(filter(self._counts, bases)) or bases  # in another branch nothing breaks this rule alone
        self._spots = [(base, path) for base in fitting for at in self._rule.at for path in places(base, at)]
        self._near = []

    def shoot(self, rng: random.Random) -> str | bytes | None:
        beside_others = None
        for _ in range(_TRIES if self._spots else 0):
            if not self._near:
                self._aim(rng)
                continue
            value = self._near.pop()
            others = self._without.faults(value)
            if not others:
                self.alone = True
                return json.dumps(value)
            if others != self._whole.faults(value):
                beside_others = json.dumps(value)
                if self._implied:
                    break
        self._implied = not self.alone
        return beside_others

    def _aim(self, rng: random.Random) -> None:
        """Take a spot and write down all near misses there, in a random order."""
        self._spot = rng.randrange(len(self._spots))
        base, path = self._spots[self._spot]
        options = near_misses(self._rule, at_path(base, path), self._sampler, rng)
        self._near = [replaced(base, path, option) for option in options]
        rng.shuffle(self._near)

    def missed(self) -> None:
        self._spots.pop(self._spot)
        self._near = []

    def minimised(self) -> str | bytes:
        if not (self.alone and self.sent):
            return self.example
        codes = self._contract.judge(self.example).codes

        def same(value: Value) -> bool:
            return not self._without.faults(value) and self._contract.judge(value).codes == codes

        return json.dumps(shrunk(json.loads(self.example), same))

    def fault(self, example: str | bytes) -> str:
        value, node = json.loads(example), self._rule.node
        found = next(((at, path) for at in self._rule.at for path in places(value, at)), None)
        if found is None:
            return super().fault(example)
        where, there = pointer(found[1]), at_path(value, found[1])
        if self._rule.item is not None:
            return f"{where}/{self._rule.item} is missing"
        if self._rule.keyword == "additionalProperties" and isinstance(there, dict):
            strange = [json.dumps(name) for name in there if name not in node.get("properties", {})]
            return clip(f"{where}/ has {', '.join(strange)}", _SHOWN)
        return clip(f"{where} is {json.dumps(there)}", _SHOWN)
