"""`gate mutants`: which planted faults your fixtures would not notice."""

from __future__ import annotations

import argparse

from gate.commands import show
from gate.errors import ConfigError, quote
from gate.evidence.fixtures import load_fixtures
from gate.evidence.mutants import Mutant, mutants
from gate.registry import Contracts, load_contracts

HELP = "plant faults, and say which of them your fixtures would not notice"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fixtures", nargs="*", metavar="FIXTURES", help="files or folders (default: the kit's own)")
    parser.add_argument("--tool", help="one tool only (default: every tool that has fixtures)")
    parser.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when a fault goes unnoticed."""
    fixtures = load_fixtures(*args.fixtures)
    contracts = load_contracts(args.contracts)
    found: list[tuple[str, Mutant]] = []
    for contract in contracts:
        wanted = args.tool in (None, contract.tool)
        if wanted and any((item.tool, item.side) == (contract.tool, contract.side) for item in fixtures):
            found += [(contract.id, mutant) for mutant in mutants(contract, fixtures)]
    if not found:
        raise ConfigError(f"no fixture is about {_asked(args.tool, contracts)}. Next: name the tool of your fixtures.")
    unseen = sum(1 for _, mutant in found if not mutant.noticed_by)
    if args.json:
        told = [{"contract": name, **mutant._asdict()} for name, mutant in found]
        show.as_json({"planted": len(found), "unnoticed": unseen, "rows": told})
    else:
        rows = [(name, m.kind, m.name, m.words, ", ".join(m.noticed_by[:3]) or "NOBODY") for name, m in found]
        note = f"{len(found)} faults planted, {unseen} of them noticed by nobody."
        note += " Next: add a fixture that tells each of these from the contract." if unseen else ""
        show.table("Planted faults", ("contract", "kind", "fault", "in words", "noticed by"), rows, note)
    return 1 if unseen else 0


def _asked(tool: str | None, contracts: Contracts) -> str:
    return quote(tool) if tool else f"any of {', '.join(contracts.tools())}"
