"""Planted inputs: payloads near the border that the student has not seen, made from a seed and valid examples.

What must become of each is asked of the kit's own contract, never written down, so that it cannot be wrong.

Not here: every rule of a contract, each proved (`gate fuzz`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from gate.contract import Side
from gate.errors import ConfigError
from gate.lab.rules import Rule
from gate.registry import kit_contracts
from gate.results import judge_side

Payload = dict[str, Any]
_NAMES = ("discount_code", "note", "priority", "source", "is_final", "lot", "supplier", "next_step", "confidence")
_ROUNDS = 200


def _extra(payload: Payload, pick: random.Random) -> str:
    payload[pick.choice(_NAMES)] = pick.choice(["STAFF", 1, True, None])
    return "a key more"


def _missing(payload: Payload, pick: random.Random) -> str:
    del payload[pick.choice(sorted(payload))]
    return "a key less"


def _as_text(payload: Payload, pick: random.Random) -> str:
    key = _key(payload, pick, int, float)
    payload[key] = str(payload[key])
    return "a number as text"


def _as_fraction(payload: Payload, pick: random.Random) -> str:
    key = _key(payload, pick, int)
    payload[key] = float(payload[key])
    return "a whole number with a fraction"


def _as_truth(payload: Payload, pick: random.Random) -> str:
    payload[_key(payload, pick, int, float)] = True
    return "true for a number"


def _nan(payload: Payload, pick: random.Random) -> str:
    payload[_key(payload, pick, int, float)] = float(pick.choice(["nan", "inf"]))
    return "no number at all"


def _out_of_range(payload: Payload, pick: random.Random) -> str:
    payload[_key(payload, pick, int, float)] = pick.choice([-1, 10**9 + pick.randrange(99)])
    return "a number out of range"


def _blank(payload: Payload, pick: random.Random) -> str:
    key = _key(payload, pick, str)
    payload[key] += pick.choice(["\n", " ", "\u200b"])
    return "an invisible character more"


def _case(payload: Payload, pick: random.Random) -> str:
    key = _key(payload, pick, str)
    payload[key] = payload[key].swapcase()
    return "the other case"


def _wrapped(payload: Payload, pick: random.Random) -> str:
    key = pick.choice(sorted(payload))
    payload[key] = [payload[key]]
    return "a value in a list"


def _null(payload: Payload, pick: random.Random) -> str:
    payload[pick.choice(sorted(payload))] = None
    return "a null"


def _other_digits(payload: Payload, pick: random.Random) -> str:
    for key in sorted(payload):
        if type(payload[key]) is int:
            payload[key] = pick.randrange(10_000)
        elif type(payload[key]) is str:
            payload[key] = "".join(pick.choice("0123456789") if letter.isdigit() else letter for letter in payload[key])
    return "other digits"


_CHANGES: tuple[Callable[[Payload, random.Random], str] | None, ...] = (
    _extra, _missing, _as_text, _as_fraction, _as_truth, _nan, _out_of_range, _blank, _case, _wrapped, _null,
)  # fmt: skip


def plant(seed: int, given: list[str], tool: str, allow: int, block: int) -> list[Rule]:
    """Return `allow + block` rules for a tool's results, or for its arguments if only these have a contract.

    The same for the same seed, in mixed order.

    Raises `ConfigError` when the examples cannot be changed into so many different payloads.

    >>> given = ['{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}']
    >>> [rule.expect for rule in plant(7, given, "inventory.lookup", 1, 1)]
    ['block', 'allow']
    """
    wanted = {"allow": allow, "block": block}
    contracts, seen = kit_contracts(), set(given)
    side: Side = "output" if contracts.output(tool) else "input"
    rules: list[Rule] = []
    for words, text in _candidates(random.Random(seed), given):
        if not any(wanted.values()):
            return rules
        outcome = judge_side(contracts, tool, side, json.loads(text)).outcome
        if wanted.get(outcome) and text not in seen:
            seen.add(text)
            wanted[outcome] -= 1
            rules.append(Rule(f"planted-{len(rules) + 1}", f"Planted: {words}.", outcome, text, tool=tool))
    raise ConfigError(f"the planted inputs of {tool} run out. Next: give more examples, or ask for fewer.")


def _candidates(pick: random.Random, given: list[str]) -> Iterator[tuple[str, str]]:
    """Yield payloads with one change each, every kind of change in turn, and one without a fault after every third."""
    for _ in range(_ROUNDS):
        changes = pick.sample(_CHANGES, len(_CHANGES))
        for position in range(3, len(changes) + 3, 4):
            changes.insert(position, None)
        for change in changes:
            payload = json.loads(pick.choice(given))
            words = _other_digits(payload, pick)
            try:
                words = change(payload, pick) if change else words
            except IndexError:  # the example has no value of the type that this change needs
                continue
            yield words, json.dumps(payload)


def _key(payload: Payload, pick: random.Random, *types: type) -> str:
    return pick.choice([key for key in sorted(payload) if type(payload[key]) in types])
