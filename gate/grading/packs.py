"""Grades a student's own fixture pack (`work/fixtures/<tool>/*.json`) against planted faults: which does it notice?

The pack is data of a stranger: its number, its size and its form are limited before anything is judged with it.

Not here: the planted faults (`gate.evidence.mutants`), and the packs that a cell of a notebook holds (probes).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gate.contract import TOOL_NAME, Contract
from gate.errors import ConfigError, clip, escape
from gate.evidence.fixtures import Fixture, vet_fixture
from gate.evidence.mutants import Mutant, mutants
from gate.grading.words import Check, Exercise, Value
from gate.registry import load_contracts

MAX_FIXTURES = 60
MAX_TEXT = 20_000  # characters of one fixture
MAX_ALL = 60_000  # characters of all of them: each is judged once for each planted fault
_NONE = "no fixture was handed in. Next: run the cell that saves yours, and hand in again."


def grade_pack(tool: str, notebook: str, work: Mapping[str, Any], points: float, enough: int) -> Exercise:
    """Return the grade of the fixtures for one tool: a part of the points for each planted fault that they notice.

    `enough` faults give all points; the others are named all the same, as survivors. A fixture whose label is wrong or
    that cannot be read notices nothing and counts as one thing that went wrong. The faults are planted into the
    contract for the tool's results, or for its arguments if only these have one; raises `ConfigError` if there is none.

    >>> grade_pack("inventory.lookup", "memory/05_replay_fixtures", {}, 2, 6).points
    0.0

    Does not catch: fixtures copied from another pair. They notice as much.
    """
    made, contract = f"pack.{tool}", _contract(tool)
    if not any(_files(work)):
        missing = Check(f"{made}.answer", "fail", "answer.missing", "fixtures", _NONE)
        return Exercise(made, notebook, "fail", 0.0, points, (missing,), f"{enough} planted faults are to be noticed.")
    pack, wrong = _sorted_out(made, contract, work)
    planted = [mutant for mutant in _planted(contract, pack) if not mutant.equivalent]
    faults = tuple(_fault(made, mutant) for mutant in planted)
    noticed = sum(check.value == "pass" for check in faults)
    share = min(noticed, enough) / (enough + len(wrong))
    value: Value = "pass" if noticed >= enough and not wrong else "fail"
    note = f"{len(pack)} fixtures notice {noticed} of {len(planted)} planted faults; {enough} are asked for."
    return Exercise(made, notebook, value, points * share, points, (*wrong, *faults), note)


def _contract(tool: str) -> Contract:
    contracts = load_contracts()
    contract = contracts.output(tool) or contracts.input(tool)
    if contract is None:
        raise ConfigError(f"data/labs.json: there is no contract for {tool}. Next: name a tool that has one.")
    return contract


def _sorted_out(made: str, contract: Contract, work: Mapping[str, Any]) -> tuple[list[Fixture], tuple[Check, ...]]:
    """Return the fixtures that hold on the contract as it stands, and a failed check for each that cannot be used."""
    pack: list[Fixture] = []
    wrong: list[Check] = []
    left = MAX_ALL
    for number, (name, handed) in enumerate(_files(work)):
        fixture = _fixture(name, handed)
        left -= len(json.dumps(handed)) if isinstance(fixture, Fixture) else 0
        told = fixture if isinstance(fixture, str) else _fault_of(contract, fixture)
        too_much = number >= MAX_FIXTURES or left < 0
        if too_much:
            told = f"not looked at: more than {MAX_FIXTURES} fixtures or {MAX_ALL} characters. Next: keep what notices."
        if isinstance(fixture, Fixture) and not told:
            pack.append(fixture)
        else:
            wrong.append(Check(f"{made}.{name}", "fail", "pack.fixture", name, clip(told)))
        if too_much:
            break
    return pack, tuple(wrong)


def _files(work: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what lies in the folder of fixtures, by its name there, in the order of the names."""
    for name in sorted(work):
        if name.startswith("fixtures/"):
            yield escape(name.removeprefix("fixtures/"), 100), work[name]


def _fixture(name: str, handed: Any) -> Fixture | str:
    """Return the fixture that was handed in, or in words why it is none."""
    if not isinstance(handed, dict) or len(json.dumps(handed)) > MAX_TEXT:
        return f"no JSON object of at most {MAX_TEXT} characters. Next: make the payload smaller."
    try:
        fixture = vet_fixture(Path(name), handed)
    except ConfigError as error:
        return str(error)
    known = TOOL_NAME.fullmatch(fixture.tool)
    return fixture if known else "the tool's name could be none. Next: correct it."


def _fault_of(contract: Contract, fixture: Fixture) -> str:
    """Return what is wrong with a fixture's label, "" when nothing is, or when it is about another tool."""
    if (fixture.tool, fixture.side) != (contract.tool, contract.side):
        return ""
    decision = contract.judge(fixture.payload)
    outcome = "allow" if decision else "block"
    if outcome != fixture.label:
        return f"labelled {fixture.label}, but the contract says {outcome}. Next: run gate replay on it."
    if decision.codes != fixture.codes:
        return f"the contract refuses it with {', '.join(decision.codes)}. Next: name these codes, in this order."
    return ""


def _planted(contract: Contract, pack: list[Fixture]) -> list[Mutant]:
    """Return the planted faults that can be noticed; where no fixture is about the contract, nobody notices any."""
    own = [fixture for fixture in pack if (fixture.tool, fixture.side) == (contract.tool, contract.side)]
    stand_in = Fixture("none", contract.tool, contract.side, "block", ("parse.empty",), "")
    found = [mutant for mutant in mutants(contract, pack if own else [stand_in]) if mutant.state != "equivalent"]
    return found if own else [mutant._replace(noticed_by=()) for mutant in found]


def _fault(made: str, mutant: Mutant) -> Check:
    name = f"{made}.{mutant.name}"
    if mutant.noticed_by:
        return Check(name, "pass", "", mutant.name)
    label = mutant.kill.label if mutant.kill else "as it should be"
    told = f"{mutant.words}: no fixture of yours notices it. Next: save one, labelled {label}, that it gets wrong."
    return Check(name, "fail", "pack.survivor", mutant.name, clip(told))
