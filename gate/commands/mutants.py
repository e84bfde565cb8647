"""`gate mutants`: which planted faults your fixtures would not notice, and the payload that would show each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from gate.commands import show
from gate.contract import Contract
from gate.errors import ConfigError, clip, counted, escape, quote
from gate.evidence.adding import add_fixture
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.mutants import Mutant, killers, mutants, score
from gate.registry import Contracts, load_contracts

HELP = "plant faults, and say which of them your fixtures would not notice"

_PAYLOAD = 300  # characters of a killing payload that are shown


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fixtures", nargs="*", metavar="FIXTURES", help="files or folders (default: the kit's own)")
    parser.add_argument("--tool", help="one tool only (default: every tool that has fixtures)")
    parser.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    parser.add_argument("--all", action="store_true", help="show also what was killed, and what is equivalent")
    words = "save a fixture for what survived, in DIR (default: the first folder of FIXTURES)"
    parser.add_argument("--write", nargs="?", const="", metavar="DIR", help=words)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when a fault survives that no fixture was written for."""
    fixtures = load_fixtures(*args.fixtures)
    contracts = load_contracts(args.contracts)
    chosen = list(_chosen(args.tool, contracts, fixtures))
    if not chosen:
        raise ConfigError(f"no fixture is about {_asked(args.tool, contracts)}. Next: name the tool of your fixtures.")
    found = [(contract.id, mutant) for contract in chosen for mutant in mutants(contract, fixtures)]
    written: list[Path] = []
    if args.write is not None:
        new = [fixture for contract in chosen for fixture in killers(contract, fixtures)]
        folder = args.write or next((name for name in args.fixtures if Path(name).is_dir()), "fixtures")
        written = [add_fixture(fixture, folder) for fixture in new]
    if args.json:
        _as_json(found, written)
    else:
        _show(found, written, args.all)
    survived = any(mutant.state == "survived" for _, mutant in found)
    return 1 if survived and not written else 0


def _chosen(tool: str | None, contracts: Contracts, fixtures: list[Fixture]) -> Iterator[Contract]:
    about = {(fixture.tool, fixture.side) for fixture in fixtures}
    return (one for one in contracts if (one.tool, one.side) in about and tool in (None, one.tool))


def _asked(tool: str | None, contracts: Contracts) -> str:
    return quote(tool) if tool else f"any of {', '.join(contracts.tools())}"


def _as_json(found: list[tuple[str, Mutant]], written: list[Path]) -> None:
    counts = score(mutant for _, mutant in found)
    rows = [
        {
            **mutant._asdict(),
            "contract": name,
            "state": mutant.state,
            "kill": mutant.kill and mutant.kill.as_dict(),
        }
        for name, mutant in found
    ]
    show.as_json({"planted": len(found), **counts._asdict(), "rows": rows, "written": [str(path) for path in written]})


def _show(found: list[tuple[str, Mutant]], written: list[Path], everything: bool) -> None:
    counts = score(mutant for _, mutant in found)
    rows = [(name, mutant.state, mutant.kind, mutant.name, _told(mutant)) for name, mutant in found
            if everything or mutant.state == "survived"]  # fmt: skip
    note = f"{len(found)} faults planted: {counts.killed} killed, {counts.survived} survived"
    note += f", {counts.equivalent} equivalent (no payload was found that tells them from the contract)."
    if rows:
        columns = ("contract", "", "kind", "fault", "noticed by, or the smallest payload that would show it")
        show.table("Planted faults", columns, rows)
    show.line(note)
    if not everything and counts.equivalent:
        named = dict.fromkeys(mutant.name for _, mutant in found if mutant.state == "equivalent")
        show.line(f"Equivalent: {', '.join(named)}.")
    for path in written:
        show.line(str(path))
    if written:
        done = counted(len(written), "fixture")
        show.line(f"{done} written; each label is what the contract says. Next: read them, then keep.")
    elif counts.survived:
        show.line("Next: save such a payload with gate fixtures add, or all that is needed with --write.")


def _told(mutant: Mutant) -> str:
    if mutant.kill is None:
        return ", ".join(mutant.noticed_by[:3]) or mutant.words
    payload = mutant.kill.payload
    if isinstance(payload, str):
        return f"{mutant.kill.label}: {escape(payload, _PAYLOAD)}".replace('\\"', '"')
    return f"{mutant.kill.label}: {clip(json.dumps(payload), _PAYLOAD)}"
