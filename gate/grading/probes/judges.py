"""Probes for a gate that asks a judge: sound answers to reasons nobody has seen, and faults that nobody can foresee.

Not here: the judge and its faults (`gate.evidence.judge`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from gate.evidence.judge import decide, read_rules
from gate.evidence.judge_faults import FAULTS
from gate.grading.observe.canonical import canonical
from gate.grading.probes.words import Make, Probe
from gate.lab.board_file import load_board
from gate.semantic import load_policy

_FAULTS = 14


def semantic_gate(pick: random.Random) -> Iterator[Probe]:
    """Sound verdicts both ways, then faults of the judge: one that drips, and others drawn from its list."""
    rules = read_rules(load_policy())
    for rule in rules:
        for word in pick.sample(rule.words, min(2, len(rule.words))):
            reason = f"the customer says: {word}, order {pick.randrange(1000)}"
            call = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": reason}
            verdict = decide(rules, {"tool": "refund_order", "arguments": call}).decision
            yield _judged(f"a sound judge that says {verdict}", call, "", verdict)
    good = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": "damaged shipment on delivery"}
    named = {rule.case for rule in load_board("arguments.semantic_gate").rules if rule.case} - {"drip"}
    for fault in ["drip", *pick.sample(sorted(named), _FAULTS)]:
        yield _judged(FAULTS[fault].says, good, fault, "block")


def _judged(told: str, call: dict[str, object], fault: str, verdict: str) -> Probe:
    given = {"input": json.dumps(call), "fault": fault}
    return Probe(told, "judge", given, right=canonical({"verdict": verdict}))


MAKES: dict[str, Make] = {"arguments.semantic_gate": semantic_gate}
