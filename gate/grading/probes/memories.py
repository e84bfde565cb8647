"""Probes for a memory: steps with hidden values, and what the memory must hold after each.

Not here: doing them (`observe.memories`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from gate.grading.probes.payloads import near, valid
from gate.grading.probes.words import Make, Probe
from gate.registry import load_contracts

_TOOL = "inventory.lookup"


def isolate(pick: random.Random) -> Iterator[Probe]:
    """Attacks on a memory, one after another and all together."""
    contract = load_contracts().output(_TOOL)
    assert contract is not None
    drawn = valid(contract, pick)
    good, bad = [json.dumps(one) for one in drawn], [text for _, text in near(contract, drawn, pick)]
    first, second, third = pick.sample(good, 3)
    changed = ["quantity", pick.randrange(10**6)]
    word = f"hint-{pick.randrange(10**9)}"
    invented = json.dumps({**json.loads(first), "reorder_hint": word})
    few, many = (json.dumps({**json.loads(first), "quantity": number}) for number in (7, pick.randrange(50, 900)))
    plans: dict[str, list[list[Any]]] = {
        "clean results": [["append", first], ["append", second], ["append", third, "c1"]],
        "refused results": [["append", text] for text in [first, *pick.sample(bad, 4), second]],
        "the payload changed afterwards": [["append", first], ["change_sent", *changed], ["append", second, "c2"]],
        "what was returned changed": [["append", first], ["change_returned", *changed], ["append", second]],
        "an event written past the gate": [["append", first], ["write_event", invented], ["append", second]],
        "an event changed": [["append", first], ["append", second], ["change_event", 0, *changed]],
        "one call answered twice": [["append", first, "c1"], ["append", second, "c1"], ["append", second, "c2"]],
        "a payload that fails while it is read": [["append", first, "c1"], ["append_failing", second, "c2"],
                                                  ["append", second, "c2"]],
        "the refused payload": [["append", invented, "c1"], ["look_in_quarantine", word, "no such word"],
                                ["append", first, "c1"], ["look_in_quarantine", word]],
    }  # fmt: skip
    for told, steps in plans.items():
        yield Probe(told, "memory", {"tool": _TOOL, "steps": steps})
    steps = [["append", few, "c1"], ["append", many, "c2"], ["reload", 9]]
    yield Probe("old state after the contract changed", "memory", {"tool": _TOOL, "steps": steps, "file": True})


MAKES: dict[str, Make] = {"memory.isolate": isolate}
