"""`gate judge`: the stand-in judge of this machine, its faults, and a drill through all of them."""

from __future__ import annotations

import argparse
import os
import threading

from gate.commands import show
from gate.errors import ConfigError
from gate.evidence.calls import MIN_ROWS, load_calls
from gate.evidence.drill import Drilled, drill
from gate.evidence.judge_faults import FAULTS
from gate.evidence.judge_server import STAND_IN, running_judge
from gate.registry import load_contracts
from gate.semantic import VARIABLES, load_policy

HELP = "A judge on this machine for the semantic gate: serve it, list its faults, or drill a pack through all of them."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    serve = actions.add_parser("serve", help="run the judge until Ctrl-C, and print how to point the gate at it")
    serve.add_argument("--port", type=int, default=8765, help="0 for a free one (default: %(default)s)")
    serve.add_argument("--policy", default="data/policy.txt", metavar="FILE", help="the rules it answers by")
    serve.add_argument("--fault", default="", metavar="NAME", help="print the settings for this fault")
    faults = actions.add_parser("faults", help="list every fault, by the first part of the path")
    drilled = actions.add_parser("drill", help="judge a pack behind every fault: nothing that must stop may pass")
    drilled.add_argument("--fixtures", default="fixtures/tool_calls.jsonl", metavar="FILE", help="the pack, JSON lines")
    drilled.add_argument("--timeout", type=float, default=0.5, metavar="S", help="the wall clock behind slow faults")
    for action in (serve, faults, drilled):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run one action; `drill` exits 1 on a false allow or on a fault that was not named rightly."""
    return {"serve": _serve, "faults": _faults, "drill": _drill}[str(args.action)](args)


def _serve(args: argparse.Namespace) -> int:
    try:
        with running_judge(load_policy(args.policy), port=args.port, tell=None if args.json else show.line) as judge:
            _announce(args, judge.environ(args.fault))
            threading.Event().wait()
    except KeyboardInterrupt:
        if not args.json:
            show.line("The judge stopped.")
    return 0


def _announce(args: argparse.Namespace, settings: dict[str, str]) -> None:
    if args.json:
        show.as_json({"stand_in": STAND_IN, "environ": settings})
        return
    show.line(f"This is {STAND_IN}. Policy: {args.policy}. In another window:")
    for name in VARIABLES:
        show.line(f"  {'set' if os.name == 'nt' else 'export'} {name}={settings[name]}")
    show.line("A fault: put its name before /v1 (see `gate judge faults`). A real endpoint: set the same three")
    show.line("variables to its address, key and model. Stop with Ctrl-C.")


def _faults(args: argparse.Namespace) -> int:
    rows = [(name, fault.says, fault.code) for name, fault in FAULTS.items()]
    if args.json:
        show.as_json([dict(zip(("fault", "says", "code"), row, strict=True)) for row in rows])
    else:
        show.table("http://127.0.0.1:PORT/FAULT/v1", ("fault", "what the judge does", "what the gate must find"), rows)
    return 0


def _drill(args: argparse.Namespace) -> int:
    calls = load_calls(args.fixtures, min_rows=MIN_ROWS)
    if not any(call.stage == "semantic" for call in calls):
        raise ConfigError(f"{args.fixtures}: no call of it must stop at semantic, so no fault can show. Next: add one.")
    rows = list(drill(calls, load_contracts(), seconds=args.timeout))
    bad = [row for row in rows if not row.as_expected]
    if args.json:
        show.as_json([_as_dict(row) for row in rows])
        return 1 if bad else 0
    show.line(f"{args.fixtures} behind every fault of the judge; {args.timeout:g} s for a slow one")
    columns = ("fault", "found", "true_allow", "true_block", "false_allow", "false_block", "seconds")
    show.table("", columns, [[_as_dict(row)[column] for column in columns] for row in rows])
    show.line(f"False allows in all: {sum(row.card.false_allow for row in rows)}.")
    for row in bad:
        show.line(f"NOT AS EXPECTED behind {row.fault or 'no fault'}: found {row.found}, expected {row.expected}.")
    return 1 if bad else 0


def _as_dict(row: Drilled) -> dict[str, object]:
    counts = {name: getattr(row.card, name) for name in ("true_allow", "true_block", "false_allow", "false_block")}
    found = ", ".join(row.found)
    return {"fault": row.fault or "(none)", "found": found, **counts, "seconds": f"{row.seconds:.2f}"}
