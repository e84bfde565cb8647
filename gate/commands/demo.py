"""`gate demo`: recorded, real model output through a naive memory and through the gate, in a terminal."""

from __future__ import annotations

import argparse

from gate.commands import show
from gate.evidence.demo import ASKED, Demo, demo
from gate.evidence.recorded import load_recorded
from gate.registry import kit_contracts

HELP = "the whole path on recorded, real model output, no browser needed"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Always exit 0: a demonstration finds nothing wrong with the kit."""
    shown = demo(load_recorded(), kit_contracts())
    if args.json:
        prompts = [side._asdict() for side in shown.prompts]
        show.as_json({**shown._asdict(), "prompts": prompts})
    else:
        _print(shown)
    return 0


def _print(shown: Demo) -> None:
    outputs, naive, gated = (
        sum(getattr(side, name) for side in shown.prompts) for name in ("outputs", "naive", "gate")
    )
    show.line(f"A small model played the warehouse {outputs} times. Every time it was asked about {ASKED}.\n")
    rows = [*shown.prompts, ("all", outputs, naive, gated)]
    show.table("What got into memory", ("prompt", "outputs", "naive memory", "the gate"), rows)
    show.line("")
    reasons = [(code, count, shown.leaks.get(code, 0)) for code, count in shown.reasons.items()]
    columns = ("code", "outputs refused", "of them in the naive memory")
    show.table("Why the gate refused (an output may have several reasons)", columns, reasons)
    show.line(
        f"\nStill open: {shown.elsewhere} of the {gated} accepted results have the right shape and are about another"
        f" item than {ASKED}.\nNo schema sees that; comparing the answer with the question does (result.echo_mismatch)."
    )
