"""Mutants: which planted faults would your fixtures not notice?

Two kinds are planted: the contract with one constraint dropped, and the faulty gates of `faulty`. A fault is noticed
by a fixture whose outcome under it is not its label.

Not here: whether the label itself is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.errors import ConfigError, clip
from gate.evidence.faulty import FAULTY, Faulty
from gate.evidence.fixtures import Fixture

_CONSTRAINTS = {
    "enum", "const", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    "additionalProperties", "dependentRequired", "propertyNames", "allOf", "if",
}  # fmt: skip


class Mutant(NamedTuple):
    """One planted fault: its `kind` ("contract" or "gate"), `name`, the fault in `words`, and the ids of the fixtures
    that notice it; none means that the fault would go live unseen."""

    kind: str
    name: str
    words: str
    noticed_by: tuple[str, ...]


def mutants(contract: Contract, fixtures: Iterable[Fixture]) -> list[Mutant]:
    """Return every planted fault and the fixtures that notice it, those that nobody notices first.

    `fixtures` of other tools are used for the gates that mix tools up. Raises `ConfigError` for a pack that is empty
    or that fails on the contract as it stands: such a pack notices nothing.

    >>> from gate.registry import load_contracts
    >>> pack = [Fixture("good", "inventory.lookup", "output", "allow", (), {
    ...     "sku": "SKU-19", "quantity": 4, "warehouse": "sfo"})]
    >>> [mutant.name for mutant in mutants(load_contracts().output("inventory.lookup"), pack) if mutant.noticed_by]
    ['block-all']
    """
    pack = [fixture for fixture in fixtures if fixture.side == contract.side]
    own = [fixture for fixture in pack if fixture.tool == contract.tool]
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
    """Yield the contract with one constraint dropped at a time: its name, the fault in words, and the weaker one."""
    for path, word, item in _constraints(contract.schema, ()):
        schema = contract.schema
        node = schema
        for part in path:
            node = node[part]
        where = "".join(f"/{part}" for part in path)
        if item is None:
            dropped = node.pop(word)
            name = f"{where}/{word}"
            words = f"{word} {clip(repr(dropped), 60)} dropped"
        else:
            node[word].remove(item)
            name, words = f"{where}/{word}/{item}", f"{item} no longer required"
        yield name, words, contract.weakened(schema)


def _constraints(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str, str | None]]:
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _constraints(item, (*path, index))
    if not isinstance(node, dict):
        return
    for word, value in node.items():
        if word == "required":
            yield from ((path, word, item) for item in value)
        elif word in ("properties", "$defs"):
            for name, part in value.items():
                yield from _constraints(part, (*path, word, name))
        else:
            if word in _CONSTRAINTS or (word == "type" and path):
                yield path, word, None
            if word not in ("enum", "const"):
                yield from _constraints(value, (*path, word))
