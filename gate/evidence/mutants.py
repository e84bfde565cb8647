"""Mutants: which planted faults would your fixtures not notice, and what is the smallest payload that would show each?

Three kinds are planted: the contract with one constraint altered (`altered`), front doors that forgive one thing
(`opendoor`), and gates that are wrong altogether (`faulty`). A fault is killed by a fixture that comes out differently
under it than its label says. One that survives is told with a killing payload; where none is found the fault is
equivalent, as far as payloads near the border tell, and is not counted.

Not here: whether a label itself is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.errors import ConfigError, Finding, clip
from gate.evidence.aim import engine_for
from gate.evidence.altered import Altered, altered
from gate.evidence.faulty import FAULTY, Faulty
from gate.evidence.fixtures import Fixture
from gate.evidence.killing import killer_for
from gate.evidence.opendoor import AJAR
from gate.payload import read

_UNKNOWN = "call.unknown_tool"


class Mutant(NamedTuple):
    """One planted fault: its `kind` ("contract", "front door" or "gate"), `name`, the fault in `words`, the ids of the
    fixtures that notice it (none means that it would go live unseen), and for a survivor the fixture that kills it.

    `equivalent`: no payload was found that tells the fault from the contract.
    """

    kind: str
    name: str
    words: str
    noticed_by: tuple[str, ...]
    kill: Fixture | None = None
    equivalent: bool = False

    @property
    def state(self) -> str:
        """`killed`, `survived` or `equivalent`."""
        return "killed" if self.noticed_by else "equivalent" if self.equivalent else "survived"


class Score(NamedTuple):
    """How many planted faults a pack kills, how many survive it, and how many are alike and do not count."""

    killed: int
    survived: int
    equivalent: int


class _Judged(NamedTuple):
    """A fixture, and the object that the front door makes of its payload; None where it is refused there."""

    fixture: Fixture
    value: dict[str, Any] | None

    @property
    def allow(self) -> bool:
        return self.fixture.label == "allow"


class _Fault(NamedTuple):
    """A fault that can be asked: does it let a fixture through, and which payload would show it?"""

    kind: str
    name: str
    words: str
    lets: Callable[[_Judged], bool]
    find: Callable[[], Fixture | None]

    def noticed(self, pack: Iterable[_Judged]) -> tuple[str, ...]:
        return tuple(one.fixture.id for one in pack if self.lets(one) != one.allow)

    def seen_by(self, pack: Iterable[_Judged]) -> Mutant:
        return Mutant(self.kind, self.name, self.words, self.noticed(pack))


def planted(contract: Contract, fixtures: Iterable[Fixture], name: str) -> Mutant | None:
    """Return the planted fault of this name and who notices it; None if no fault has the name.

    There is no search: what nobody notices may be equivalent. Of other tools only fixtures of an unknown one count, for
    the gates that mix tools up. Raises `ConfigError` for a pack that is empty or that fails on the contract as it
    stands: such a pack notices nothing.
    """
    pack = _pack(contract, fixtures)
    return next((fault.seen_by(pack) for fault in _faults(contract) if fault.name == name), None)


def mutants(contract: Contract, fixtures: Iterable[Fixture]) -> list[Mutant]:
    """Return every planted fault: survivors first, each with its killing payload, what is equivalent last.

    Which fixtures count, and what is raised: as in `planted`.

    >>> from gate.registry import load_contracts
    >>> pack = [Fixture("good", "inventory.lookup", "output", "allow", (), {
    ...     "sku": "SKU-19", "quantity": 0, "warehouse": "sfo"})]
    >>> found = mutants(load_contracts().output("inventory.lookup"), pack)
    >>> [mutant.name for mutant in found if mutant.state == "killed"]
    ['/properties/quantity/minimum refuses 0 itself', '/properties/warehouse/enum without "sfo"', 'block-all']
    >>> score(found)
    Score(killed=3, survived=45, equivalent=2)
    """
    pack, found = _pack(contract, fixtures), []
    for fault in _faults(contract):
        mutant = fault.seen_by(pack)
        kill = None if mutant.noticed_by else fault.find()
        found.append(mutant._replace(kill=kill, equivalent=not mutant.noticed_by and kill is None))
    order = ("survived", "killed", "equivalent")
    return sorted(found, key=lambda mutant: (order.index(mutant.state), mutant.kind, mutant.name))


def score(found: Iterable[Mutant]) -> Score:
    """Return how many of some mutants are killed, survive, and are equivalent."""
    states = [mutant.state for mutant in found]
    return Score(states.count("killed"), states.count("survived"), states.count("equivalent"))


def killers(contract: Contract, fixtures: Iterable[Fixture]) -> list[Fixture]:
    """Return fixtures that kill, together with those that are there, every fault for which a payload is found.

    None of them could be left out. Raises as `mutants` does.
    """
    pack = _pack(contract, fixtures)
    found = [(fault, fault.find()) for fault in _faults(contract) if not fault.noticed(pack)]
    faults = [fault for fault, kill in found if kill is not None]
    new = [_judged(contract, kill) for _, kill in found if kill is not None]
    for one in list(new):
        others = [other for other in new if other is not one]
        if all(fault.noticed(others) for fault in faults if fault.noticed([one])):
            new = others
    return [one.fixture for one in new]


def _pack(contract: Contract, fixtures: Iterable[Fixture]) -> list[_Judged]:
    """Return the fixtures that count for a contract. Raises `ConfigError` where they cannot notice anything."""
    beside = [fixture for fixture in fixtures if fixture.side == contract.side]
    own = [fixture for fixture in beside if fixture.tool == contract.tool]
    if not own:
        raise ConfigError(f"no fixture is about {contract.id}. Next: save one with gate fixtures add.")
    wrong = [fixture.id for fixture in own if bool(contract.judge(fixture.payload)) != (fixture.label == "allow")]
    if wrong:
        names = clip(", ".join(wrong), 200)
        raise ConfigError(f"the labels of {names} are wrong for {contract.id} as it stands. Next: run gate replay.")
    others = [fixture for fixture in beside if fixture.tool != contract.tool and _UNKNOWN in fixture.codes]
    return [_judged(contract, fixture) for fixture in own + others]


def _judged(contract: Contract, fixture: Fixture) -> _Judged:
    value = read(fixture.payload, max_bytes=contract.max_bytes) if fixture.tool == contract.tool else None
    return _Judged(fixture, None if isinstance(value, Finding) else value)


def _faults(contract: Contract) -> Iterator[_Fault]:
    killer = killer_for(contract)
    for one in altered(contract.schema):
        yield _Fault("contract", one.name, one.words, _by_schema(one), partial(killer.of_altered, one))
    for kind, gates in (("front door", AJAR), ("gate", FAULTY)):
        for gate in gates:
            yield _Fault(kind, gate.name, gate.words, _by_gate(contract, gate), partial(killer.of_gate, gate))


def _by_schema(one: Altered) -> Callable[[_Judged], bool]:
    engine = cache(lambda: engine_for(one.schema))  # when it is asked: one fault may be all that is wanted
    return lambda judged: judged.value is not None and engine().accepts(judged.value)


def _by_gate(contract: Contract, gate: Faulty) -> Callable[[_Judged], bool]:
    return lambda judged: gate.lets(contract, judged.fixture.tool, judged.fixture.payload)
