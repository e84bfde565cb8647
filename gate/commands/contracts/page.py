"""`gate contract page`: CONTRACT.md, made from what is enforced."""

from __future__ import annotations

import argparse
from pathlib import Path

from gate.commands import show
from gate.evidence.contract_page import kit_page
from gate.files import HOME, write_whole

HELP = "write CONTRACT.md: the schema and the store's rules in words, made from what is enforced"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", help="the file to write (default: the kit's CONTRACT.md)")


def run(args: argparse.Namespace) -> int:
    """Write the page."""
    path = HOME / "CONTRACT.md" if args.out is None else Path(args.out)
    write_whole(path, kit_page())
    if args.json:
        show.as_json({"written": str(path)})
    else:
        show.line(f"wrote {path}")
    return 0
