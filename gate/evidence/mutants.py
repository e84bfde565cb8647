"""Mutants: which planted faults would your fixtures not notice?

Two kinds are planted: the contract with one constraint dropped, and the faulty gates of `faulty`. A fault is noticed
by a fixture whose outcome under it is not its label.

Not here: whether the label itself is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gate.contract import Contract
from gate.errors import ConfigError, clip
from gate.evidence.faulty import FAULTY, Faulty
from gate.evidence.fixtures import Fixture
from gate.evidence.rules import rules

_UNKNOWN = "call.unknown_tool"


class Mutant(NamedTuple):
    """One planted fault: its `kind` ("contract" or "gate"), `name`, the fault in `words`, and the ids of the fixtures
    that notice it; none means that the fault would go live unseen."""

    kind: str
    name: str
    words: str
    noticed_by: tuple[str, ...]


def mutants(contract: Contract, fixtures: Iterable[Fixture]) -> list[Mutant]:
    """Return every planted fault and the fixtures that notice it, those that nobody notices first.

    Of other tools only fixtures of an unknown one count, for the gates that mix tools up. Raises `ConfigError` for a
    pack that is empty or that fails on the contract as it stands: such a pack notices nothing.

    >>> from gate.registry import load_contracts
    >>> pack = [Fixture("good", "inventory.lookup", "output", "allow", (), {
    ...     "sku": "SKU-19", "quantity": 4, "warehouse": "sfo"})]
    >>> [mutant.name for mutant in mutants(load_contracts().output("inventory.lookup"), pack) if mutant.noticed_by]
    ['block-all']
    """
    beside = [fixture for fixture in fixtures if fixture.side == contract.side]
    own = [fixture for fixture in beside if fixture.tool == contract.tool]
    pack = own + [fixture for fixture in beside if fixture.tool != contract.tool and _UNKNOWN in fixture.codes]
    _check(contract, own)
    weak = [Mutant("contract", name, words, _noticed(own, other)) for name, words, other in _weakened(contract)]
    gates = [Mutant("gate", item.name, item.words, _noticed_gate(pack, contract, item)) for item in FAULTY]
    return sorted(weak + gates, key=lambda mutant: (bool(mutant.noticed_by), mutant.kind, mutant.name))


def _noticed_gate(pack: list[Fixture], contract: Contract, faulty: Faulty) -> tuple[str, ...]:
    return tuple(
        fixture.id
        for fixture in pack
        if faulty.lets(contract, fixture.tool, fixture.payload) != (fixture.label == "allow")
    )


def _check(contract: Contract, own: list[Fixture]) -> None:
    if not own:
        raise ConfigError(f"no fixture is about {contract.id}. Next: save one with save_fixture.")
    wrong = [fixture.id for fixture in own if bool(contract.judge(fixture.payload)) != (fixture.label == "allow")]
    if wrong:
        names = clip(", ".join(wrong), 200)
        raise ConfigError(f"the labels of {names} are wrong for {contract.id} as it stands. Next: run gate replay.")


def _noticed(own: list[Fixture], weak: Contract) -> tuple[str, ...]:
    return tuple(fixture.id for fixture in own if bool(weak.judge(fixture.payload)) != (fixture.label == "allow"))


def _weakened(contract: Contract) -> Iterator[tuple[str, str, Contract]]:
    """Yield the contract with one rule dropped at a time: its name, the fault in words, and the weaker one."""
    for rule in rules(contract.schema):
        at_root = not rule.path and rule.keyword == "type"  # without it nothing is a contract
        implied = rule.keyword == "type" and rule.node.keys() & {"enum", "const"}  # its values say their type
        if not at_root and not implied:
            limit = clip(repr(rule.node[rule.keyword]), 60)
            words = f"{rule.item} no longer required" if rule.item else f"{rule.keyword} {limit} dropped"
            yield rule.name, words, contract.weakened(rule.dropped_from(contract.schema))
