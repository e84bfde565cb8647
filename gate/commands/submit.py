"""`gate submit`: pack what a student wrote into one file, and say what is missing."""

from __future__ import annotations

import argparse

from gate.commands import show

HELP = "pack your answers into one file, and say what is missing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="such as memory, or memory/03 (default: all)")
    parser.add_argument("--pair", default="", help="who hands this in")
    parser.add_argument("--out", metavar="FILE", help="where to write it (default: in the work folder)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Write the file; exit 1 when something is missing from it."""
    from gate.lab.submit import pack

    packed = pack(args.notebooks, args.pair, args.out)
    if args.json:
        show.as_json({"path": str(packed.path), "files": packed.files, "missing": packed.missing})
        return 1 if packed.missing else 0
    for line in packed.missing:
        show.line(f"missing  {line}")
    show.line(packed.verdict())
    return 1 if packed.missing else 0
