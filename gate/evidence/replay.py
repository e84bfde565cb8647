"""Replay: every fixture judged twice, by two independent engines, and held against its label.

Not here: loading (`fixtures`, `recorded`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gate.decision import Decision
from gate.engine.faults import same
from gate.evidence.fixtures import Fixture
from gate.registry import Contracts, load_contracts
from gate.results import judge_side


class Replayed(NamedTuple):
    """One fixture, judged twice. `fault` is empty when both engines and the label agree, else says what differs."""

    id: str
    tool: str
    label: str
    first: Decision
    second: Decision
    fault: str


def replay(fixtures: Iterable[Fixture], contracts: Contracts | None = None) -> list[Replayed]:
    """Return one row a fixture: what each engine decided, and how that differs, from each other or from the label.

    The engines must give the same outcome, codes, paths and value. A fixture must be blocked for exactly its codes.

    >>> row = replay([Fixture("f", "inventory.lookup", "output", "allow", (), "{}")])[0]
    >>> row.fault
    'labelled allow, but blocked for schema.missing_field, schema.missing_field, schema.missing_field'
    """
    first = load_contracts() if contracts is None else contracts
    second = first.with_second_engine()
    return [replayed(fixture, first, second) for fixture in fixtures]


def replayed(fixture: Fixture, first: Contracts, second: Contracts) -> Replayed:
    """Return the row of one fixture, judged by the contracts and by what `with_second_engine` makes of them."""
    one, two = (judge_side(side, fixture.tool, fixture.side, fixture.payload) for side in (first, second))
    return Replayed(fixture.id, fixture.tool, fixture.label, one, two, _fault(fixture, one, two))


def _fault(fixture: Fixture, one: Decision, two: Decision) -> str:
    if one != two or not same(one.value, two.value):
        return f"the engines differ: {_said(one)} against {_said(two)}"
    if fixture.label == "allow" and one.outcome != "allow":
        return f"labelled allow, but {_said(one)}"
    if fixture.label == "block" and (one.outcome == "allow" or one.codes != fixture.codes):
        return f"labelled block for {', '.join(fixture.codes)}, but {_said(one)}"
    return ""


def _said(decision: Decision) -> str:
    return "allowed" if decision else f"blocked for {', '.join(decision.codes)}"
