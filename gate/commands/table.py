"""`gate table`: what every refusal makes us do, as the page to hang beside the on-call document."""

from __future__ import annotations

import argparse

from gate.commands import show
from gate.errors import CODES
from gate.limits import load_limits
from gate.responses import ACTIONS, load_responses

HELP = "print what every refusal makes us do (data/responses.json)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--stage", choices=tuple(CODES), help="only the codes of this stage")
    parser.add_argument("--responses", default="data/responses.json", metavar="FILE", help="the rows")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the page; 2 (through ConfigError) when a row is missing or unknown."""
    rows = [row for row in load_responses(args.responses) if args.stage in (None, row.code.partition(".")[0])]
    if args.json:
        show.as_json({"responses": [row._asdict() for row in rows], "actions": ACTIONS})
        return 0
    show.table("When the gate refuses", ("code", "signal", "we do", "we do not"), rows)
    show.line("")
    repairs = load_limits().max_repairs
    for action, meaning in ACTIONS.items():
        show.line(f"{action}: {meaning.replace('max_repairs', str(repairs))}")
    return 0
