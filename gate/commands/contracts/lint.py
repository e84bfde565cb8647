"""`gate contract lint`: every error and warning, with the line to write instead."""

from __future__ import annotations

import argparse

from gate.commands import show
from gate.contracts.linting import lint_all
from gate.contracts.sources import read_schemas
from gate.files import locate

HELP = "say what keeps a schema from being a contract, which bounds it lacks, and what to write instead"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    words = "schema files, tool definitions (MCP, OpenAI, Anthropic), folders, or - (default: schemas, else the kit's)"
    parser.add_argument("places", nargs="*", metavar="FILE", help=words)


def run(args: argparse.Namespace) -> int:
    """Exit 1 when anything is to be mended, be it a warning."""
    places = args.places or [str(locate("schemas"))]
    found = [item for place in places for item in lint_all(read_schemas(place))]
    if args.json:
        rows = [{"contract": item.contract, "level": item.level, **item.finding._asdict()} for item in found]
        show.as_json({"findings": rows})
    elif found:
        columns = ("level", "where", "what is wrong", "what to write")
        for contract in dict.fromkeys(item.contract for item in found):
            here = [(item.level, *item.finding[1:]) for item in found if item.contract == contract]
            show.table(f"To be mended in {contract}", columns, here)
    else:
        show.line("Every contract is closed, bounded and means the same to both engines.")
    return 1 if found else 0
