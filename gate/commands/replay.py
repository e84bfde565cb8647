"""`gate replay`: every fixture judged twice, by two independent engines, and held against its label."""

from __future__ import annotations

import argparse

from gate.commands import show
from gate.errors import counted
from gate.evidence.fixtures import load_fixtures
from gate.evidence.replay import Replayed, replay
from gate.registry import load_contracts

HELP = "judge every fixture twice, by two independent engines"

_NEXT = "a label that is right means another contract; a contract that is right means another fixture."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fixtures", nargs="*", metavar="FIXTURES", help="files or folders (default: the kit's own)")
    parser.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when the engines differ anywhere, or one of them differs from a label."""
    rows = replay(load_fixtures(*args.fixtures), load_contracts(args.contracts))
    differing = [f"{row.tool}/{row.id}" for row in rows if row.fault]
    faults = len(differing)
    if args.json:
        show.as_json({"fixtures": len(rows), "faults": faults, "rows": [_as_dict(row) for row in rows]})
    else:
        named = ", ".join(differing[:5]) + (" …" if faults > 5 else "")  # a long table has scrolled away
        judged = f"{counted(len(rows), 'fixture')}, each judged twice"
        differ = f"; {faults} differ: {named}. Next: {_NEXT}"
        note = judged + (differ if faults else ": both engines and every label agree.")
        columns = ("fixture", "label", "engine 1", "engine 2", "codes", "fault")
        show.table("Replay", columns, (_cells(row) for row in sorted(rows, key=lambda row: not row.fault)), note)
    return 1 if faults else 0


def _cells(row: Replayed) -> tuple[str, ...]:
    codes = ", ".join(row.first.codes)
    return (f"{row.tool}/{row.id}", row.label, row.first.outcome, row.second.outcome, codes, row.fault or "-")


def _as_dict(row: Replayed) -> dict[str, object]:
    return {**row._asdict(), "first": row.first.as_dict(), "second": row.second.as_dict()}
