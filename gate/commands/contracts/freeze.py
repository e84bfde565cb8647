"""`gate contract freeze`: write the lock; a schema that changed needs a new version."""

from __future__ import annotations

import argparse
from pathlib import Path

from gate.commands import show
from gate.contracts.lock import ALL, freeze
from gate.files import locate

HELP = "write the lock: version and hash of each contract"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", nargs="?", help="the folder of schemas (default: schemas, else the kit's own)")
    words = f"give this contract its next version, because its schema changed; may be repeated; {ALL}: each changed one"
    parser.add_argument("--bump", action="append", default=[], metavar="TOOL.SIDE", help=words)


def run(args: argparse.Namespace) -> int:
    """Exit 2 (through ConfigError) when a schema is no contract, or changed while its version did not."""
    done = freeze(locate("schemas") if args.folder is None else Path(args.folder), args.bump)
    if args.json:
        show.as_json({"contracts": [item._asdict() for item in done]})
    else:
        show.table("Frozen", ("contract", "version", "state"), done)
    return 0
