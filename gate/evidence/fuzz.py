"""Fuzzing: payloads near the border of a contract, each with exactly one fault, every rule of the contract exercised.

What should pass is drawn too, and the second engine has the last word on what is legal. A contract that the fence can
guard is fuzzed through the fence, and its tool keeps a list of effects. Seeded: the same seed gives the same report,
byte for byte.

Not here: payloads that are well-formed lies. Not caught: a fault that no near miss reaches; its rule is then listed as
unexercised.
"""

from __future__ import annotations

import difflib
import json
import random
from itertools import islice
from typing import Any

from gate.contract import Contract
from gate.errors import CODES, ConfigError, clip
from gate.evidence.aim import Aim, RuleAim, TextAim, Value
from gate.evidence.reach import reaching
from gate.evidence.rules import rules
from gate.evidence.samples import Sampler
from gate.evidence.shrink import shrunk
from gate.evidence.soak import Soak, can_guard
from gate.payload import Raw

_BASES = 48  # payloads that are fine, from which the faulty ones are made
_RENEW = 8000  # after so many payloads, others
_VALID_SHARE = 5  # one valid call for so many faulty ones
_SHOWN = 4096


def fuzz(contract: Contract, n: int = 200, seed: int = 0) -> dict[str, Any]:
    """Send `n` payloads at a contract and return the report, plain JSON types without any time in it.

    `rules`: for each, how many payloads were `sent`, whether one broke it `alone`, the `codes` of their refusals and a
    minimised `example` with its `fault`. `clean` is true when `unexercised`, `illegal` (let through), `wrongly_refused`
    and `surprises` (of the fence) are empty. `fence` is None when the fence cannot guard the contract. Raises
    `ConfigError` when no payload at all is found that the contract allows.

    >>> from gate.registry import load_contracts
    >>> report = fuzz(load_contracts().input("refund_order"), 300, 7)
    >>> report["clean"], report["sent"]
    (True, 300)
    """
    fuzzer = _Fuzzer(contract, seed)
    fuzzer.run(n)
    return {"seed": seed, "n": n} | fuzzer.report()


class _Judge:
    """Where there is no fence: the contract alone."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.max_bytes = contract.max_bytes
        self.sent = self.allowed = 0
        self.surprises: list[str] = []

    def refused(self, payload: Raw) -> list[str]:
        self.sent += 1
        codes = list(self._contract.judge(payload).codes)
        self.allowed += not codes
        return codes

    def play(self, value: Value) -> list[str]:
        return self.refused(json.dumps(value))


class _Fuzzer:
    def __init__(self, contract: Contract, seed: int) -> None:
        self.contract, self.strict = contract, contract.with_second_engine()
        self.rng = random.Random(seed)
        self.soak = Soak(contract, self.rng) if can_guard(contract) else None
        self.gate = self.soak or _Judge(contract)
        self.sampler = Sampler(contract.schema, self.rng)
        self.aims: list[Aim] = [TextAim(reason, self.gate.max_bytes) for reason in CODES["parse"]]
        self.aims += [RuleAim(rule, contract, self.sampler) for rule in rules(contract.schema)]
        self.illegal: list[Value] = []
        self.wrongly_refused: list[Value] = []
        self.choices = _choices(contract.schema)
        self.bases: list[Value] = []
        self.closest = (0.0, "", "", "")
        self.compared: set[tuple[str, str]] = set()

    def run(self, n: int) -> None:
        """Shoot at every rule in turn, with valid calls between, until `n` payloads were sent."""
        order: list[Aim | None] = [*self.aims, *[None] * (1 + len(self.aims) // _VALID_SHARE)]
        renewed = 0
        while self.gate.sent < n:
            if self.gate.sent >= renewed:
                self._renew()
                renewed += _RENEW
            self.rng.shuffle(order)
            for aim in order:
                left = n - self.gate.sent
                if aim is not None and left:
                    self._shoot(aim)
                elif aim is None and left >= 3:  # a valid call may bring two more with it
                    self._play()

    def _renew(self) -> None:
        """Draw fresh payloads that are right, as the second engine says."""
        drawn = (self.sampler.draw() for _ in range(20 * _BASES))
        self.bases = list(islice((value for value in drawn if self.strict.judge(value)), _BASES))
        if not self.bases:
            raise ConfigError(f"no payload was found that {self.contract.id} allows. Next: see if its rules clash.")
        self.bases += reaching(self.contract.schema, self.bases, self.sampler, self.strict.judge)
        for aim in self.aims:
            aim.renew(self.bases)

    def _play(self) -> None:
        value = self.rng.choice(self.bases)
        if self.gate.play(value):
            self.wrongly_refused.append(value)

    def _shoot(self, aim: Aim) -> None:
        payload = aim.shoot(self.rng)
        if payload is None:
            return
        codes = self.gate.refused(payload)
        if codes:
            aim.note(payload, codes)
            self._compare(payload, codes)
        elif self.strict.judge(payload):
            aim.missed()
        else:
            self.illegal.append(self._smallest(payload))

    def _smallest(self, payload: str | bytes) -> Any:
        if self.strict.judge(payload).stage != "schema":
            return _shown(payload)
        return shrunk(json.loads(payload), lambda less: bool(self.contract.judge(less)) and not self.strict.judge(less))

    def _compare(self, payload: str | bytes, codes: list[str]) -> None:
        """Keep the refused choice that is most like an allowed one."""
        if codes != ["schema.enum"]:
            return
        value = json.loads(payload)
        for name, words in self.choices.items():
            sent = value.get(name)
            if isinstance(sent, str) and sent not in words and (name, sent) not in self.compared:
                self.compared.add((name, sent))
                likeness = ((difflib.SequenceMatcher(None, sent, word).ratio(), name, sent, word) for word in words)
                self.closest = max(self.closest, *likeness)

    def report(self) -> dict[str, Any]:
        """Return everything but the seed."""
        parts = {
            "unexercised": [aim.name for aim in self.aims if not aim.sent],
            "illegal": self.illegal,
            "wrongly_refused": self.wrongly_refused,
            "surprises": [*self._odd_texts(), *self.gate.surprises],
        }
        return {
            "contract": {"id": self.contract.id, "version": self.contract.version, "sha256": self.contract.sha256},
            "sent": self.gate.sent,
            "refused": sum(aim.sent for aim in self.aims),
            "rules": [_row(aim) for aim in self.aims],
            **parts,
            "fence": self.soak and self.soak.report(),
            "questions": self._questions(),
            "clean": not any(parts.values()),
        }  # fmt: skip

    def _odd_texts(self) -> list[str]:
        odd = [aim for aim in self.aims if isinstance(aim, TextAim) and aim.codes and set(aim.codes) != {aim.name}]
        return [f"{aim.name} was refused as {', '.join(aim.codes)}" for aim in odd]

    def _questions(self) -> dict[str, Any]:
        likeness, name, sent, allowed = self.closest
        near = {"field": name, "sent": _shown(sent), "allowed": allowed, "likeness": round(likeness, 3)}
        soak = self.soak
        duplicates = soak and {"duplicates": soak.counts["duplicate"], "spent": soak.duplicate_spent}
        noops = soak and {"noops": soak.counts["noop"], "wall_ms": soak.noop_ms}
        return {
            "which illegal action almost passed": near if name else None,
            "did a duplicate consume budget": duplicates,
            "did wall time grow on noop": noops,
        }


def _choices(schema: dict[str, Any]) -> dict[str, list[str]]:
    """Return the top-level fields that hold one of some words, and the words."""
    fields = schema.get("properties", {}).items()
    words = {name: [word for word in part.get("enum", ()) if isinstance(word, str)] for name, part in fields}
    return {name: found for name, found in words.items() if found}


def _row(aim: Aim) -> dict[str, Any]:
    row = {"rule": aim.name, "sent": aim.sent, "alone": aim.alone, "codes": dict(sorted(aim.codes.items()))}
    if not aim.sent:
        return row | {"fault": "", "example": ""}
    example = aim.minimised()
    return row | {"fault": aim.fault(example), "example": _shown(example)}


def _shown(payload: str | bytes) -> str:
    text = payload if isinstance(payload, str) else payload.decode("utf-8", "backslashreplace")
    return clip(text, _SHOWN)
