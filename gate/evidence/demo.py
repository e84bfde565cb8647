"""The whole path on recorded, real model output: what a naive memory lets in, and what the gate lets in.

Not here: how it is printed (`gate demo`).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gate.errors import ResultGateError
from gate.evidence.naive import NaiveMemory
from gate.evidence.recorded import Recorded
from gate.memory import AgentMemory
from gate.registry import Contracts

TOOL = "inventory.lookup"
ASKED = "SKU-19"  # every recorded lookup asked for this item


class Side(NamedTuple):
    """What one prompt's outputs did: how many there were, and how many got into each memory."""

    kind: str
    outputs: int
    naive: int
    gate: int


class Demo(NamedTuple):
    """`prompts` one row a prompt, `reasons` how often the gate gave each code, `leaks` what the naive memory holds that
    breaks the contract, by code, and `elsewhere` how many accepted results are about another item than was asked."""

    prompts: list[Side]
    reasons: dict[str, int]
    leaks: dict[str, int]
    elsewhere: int


def demo(recorded: list[Recorded], contracts: Contracts) -> Demo:
    """Run every recorded result of `inventory.lookup` through both memories and count."""
    rows: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    leaks: Counter[str] = Counter()
    memory, naive = AgentMemory(contracts), NaiveMemory()
    for output in recorded:
        if output.tool != TOOL:
            continue
        row = rows.setdefault(output.kind, Counter())
        row["outputs"] += 1
        leaked = naive.append(output.raw)
        row["naive"] += leaked
        try:
            memory.append_tool_result(output.tool, output.raw, output.id)
            row["gate"] += 1
        except ResultGateError as error:
            codes = {found.code for found in error.findings}
            reasons.update(codes)
            leaks.update(codes if leaked else ())
    elsewhere = sum(1 for event in memory.events if event["content"]["sku"] != ASKED)
    prompts = [Side(kind, row["outputs"], row["naive"], row["gate"]) for kind, row in rows.items()]
    return Demo(prompts, dict(reasons.most_common()), dict(leaks.most_common()), elsewhere)
