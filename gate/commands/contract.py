"""`gate contract lint|freeze`: vet the contracts of a folder, and freeze them."""

from __future__ import annotations

import argparse

from gate.commands import show
from gate.contract import Contract
from gate.errors import ContractError
from gate.files import locate, read_json
from gate.lock import freeze
from gate.registry import contract_files

HELP = "vet, freeze, compare and import contracts"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, action, words in (
        ("lint", _lint, "say what keeps a schema from being a contract, and which bounds it lacks"),
        ("freeze", _freeze, "write the lock: version and hash of each contract"),
    ):
        command = actions.add_parser(name, help=words, description=words)
        command.add_argument("folder", nargs="?", default="schemas", help="the folder of schemas (default: schemas)")
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(act=action)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    return int(args.act(args))


def _lint(args: argparse.Namespace) -> int:
    rows = []
    for path, tool, side in contract_files(locate(args.folder)):
        try:
            found = Contract.from_schema(read_json(path), tool=tool, side=side).warnings
            level = "warning"
        except ContractError as error:
            found, level = error.findings, "error"
        rows += [{"contract": f"{tool}.{side}", "level": level, **item._asdict()} for item in found]
    if args.json:
        show.as_json({"findings": rows})
    elif rows:
        columns = ("contract", "level", "path", "message", "hint")
        show.table("What is still open", columns, ([row[name] for name in columns] for row in rows))
    else:
        show.line("Every contract is closed, bounded and means the same to both engines.")
    return 1 if rows else 0


def _freeze(args: argparse.Namespace) -> int:
    done = freeze(locate(args.folder))
    if args.json:
        show.as_json({"contracts": [item._asdict() for item in done]})
    else:
        show.table("Frozen", ("contract", "version", "state"), done)
    return 0
