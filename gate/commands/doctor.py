"""`gate doctor`: is this machine ready for the lab?"""

from __future__ import annotations

import argparse

from gate.commands import show

HELP = "look at everything the lab needs on this machine, and say what to do"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when something needs mending."""
    from gate.bundle import offline
    from gate.grading.look import grading
    from gate.lab.doctor import examine
    from gate.room.look import hub, page

    looks = []
    for look in examine(grading, offline, page, hub):
        looks.append(look)
        if not args.json:
            state = "well" if look.well else "MEND"
            advice = f". Next: {look.next}." if look.next else ""
            show.line(f"{state}  {look.what:9} {look.words.removesuffix('.')}{advice}")
    wrong = sum(not look.well for look in looks)
    if args.json:
        show.as_json([look._asdict() for look in looks])
    else:
        show.line(f"{wrong} to mend." if wrong else "This machine is ready.")
    return 1 if wrong else 0
