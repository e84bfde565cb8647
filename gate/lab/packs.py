"""Tries a student's fixture pack: does it notice a planted fault?

Not here: the planted faults (`evidence.mutants`), a pack that is handed in to be graded (`grading.packs`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gate.contract import Contract
from gate.errors import GateError
from gate.evidence.fixtures import Fixture, fixture_file, load_fixtures
from gate.evidence.mutants import planted
from gate.lab.attacks import Got, wrote


def notices(student: Any, contract: Contract | None, name: str) -> Got:
    """Say whether a list or a folder of fixtures notices the fault of this name, planted into a contract."""
    if not isinstance(student, list | tuple | str | Path):
        return Got("no pack", f"the pack is {wrote(student, 40)}, no list. Next: write [fixture(…), …].")
    try:
        fixtures = load_fixtures(student) if isinstance(student, str | Path) else list(student)
        fault_of_pack = _mislabelled(fixtures, contract)
        if fault_of_pack:
            return Got("no pack", fault_of_pack)
        fault = planted(contract, fixtures, name) if contract else None
    except GateError as error:
        return Got("no pack", str(error))
    if fault is None:
        return Got("no such fault", f"no fault is named {name}")
    if not fault.noticed_by:
        return Got("unseen", f"no fixture notices it: {fault.words}")
    return Got("hold", f"noticed by {', '.join(fault.noticed_by)}")


def _mislabelled(fixtures: list[Any], contract: Contract | None) -> str:
    """Return what keeps a pack from proving anything, or nothing: what is no fixture or no file, a wrong label."""
    paths: set[Path] = set()
    for number, one in enumerate(fixtures, 1):
        if not isinstance(one, Fixture):
            return f"entry {number} of the pack is {wrote(one, 40)}, no fixture. Next: make it with fixture(…)."
        path, _ = fixture_file(one)
        if path in paths:
            return f"two fixtures are called {one.id}, and would be one file. Next: give each a name of its own."
        paths.add(path)
        if contract is None or (one.tool, one.side) != (contract.tool, contract.side):
            continue
        codes = contract.judge(one.payload).codes
        if codes != tuple(one.codes):
            says, is_so = (f"blocked for {', '.join(some)}" if some else "allowed" for some in (one.codes, codes))
            return f"{one.id} is labelled {says}, and is {is_so}. Next: correct its codes, or its payload."
    return ""
