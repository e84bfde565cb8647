"""`gate progress`: how far this folder is, as a short code to paste into the class's chat."""

from __future__ import annotations

import argparse

from gate.commands import show

HELP = "print a short code that says how far you are, to paste into the class's chat"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("lab", nargs="?", default="memory", help="such as arguments (default: memory)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the code, and how the class's table names this pair."""
    from gate.errors import ConfigError, quote
    from gate.lab.answers import work_folder
    from gate.lab.plan import load_plan
    from gate.room.code import encode
    from gate.room.pair import own_tag
    from gate.room.standing import standing

    labs = load_plan()
    if args.lab not in labs:
        raise ConfigError(f"There is no lab {quote(args.lab)}. Next: use one of {', '.join(labs)}.")
    found = standing(own_tag(), work_folder(), labs[args.lab])
    code = encode(found, labs)
    if args.json:
        show.as_json({**found._asdict(), "code": code})
        return 0
    show.line(code)
    show.line(f"Next: paste it into the chat. You are {found.pair} in the class's table.")
    for note in found.notes:
        show.line(note)
    return 0
