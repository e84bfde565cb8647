"""`gate fixtures add`: make a fixture out of a payload, with a person's label and reason."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gate.commands import show
from gate.commands.check import only_side, read_payload, tell
from gate.contract import Side
from gate.decision import Decision
from gate.errors import ConfigError
from gate.evidence.adding import add_fixture, kept_in, names_in, twin
from gate.evidence.fixtures import Fixture
from gate.evidence.labelling import disagreement, without_secrets
from gate.evidence.pickup import Picked, from_bytes, from_run
from gate.registry import Contracts, load_contracts
from gate.results import judge_side
from gate.wrapping.redact import redact

HELP = "add a payload to a pack of fixtures"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    words = "show what the contract decides, take your label and reason, and write the fixture"
    add = actions.add_parser("add", help=words, description=words)
    add.add_argument("file", nargs="?", metavar="FILE", help="the payload; - for standard input")
    add.add_argument("--from", dest="run_file", metavar="FILE", help="a quarantine, a memory, a tape, recorded output")
    add.add_argument("--row", type=int, default=-1, help="with --from: which line, counted from 1 (default: the last)")
    add.add_argument("--call", metavar="ID", help="with --from a tape: which call")
    add.add_argument("--tool", help="whose payload it is (default: what --from says)")
    add.add_argument("--side", choices=("input", "output"), help="arguments or result (default: what is known)")
    add.add_argument("--label", choices=("allow", "block"), help="what must become of it (default: you are asked)")
    add.add_argument("--why", metavar="TEXT", help="the reason, kept as the note (default: you are asked)")
    add.add_argument("--id", help="the fixture's name: a-z, 0-9, dash, underscore (default: after what was decided)")
    add.add_argument("--out", default="fixtures", metavar="DIR", help="the folder of packs (default: fixtures)")
    add.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    add.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 0 when the fixture is written, 1 when it is refused: a label that contradicts, a payload that is there."""
    contracts = load_contracts(args.contracts)
    picked = _picked(args)
    tool = args.tool or picked.tool
    if not tool:
        raise ConfigError("nothing says whose payload this is. Next: name it with --tool.")
    side: Side = args.side or picked.side or only_side(contracts, tool)
    payload = without_secrets(picked.payload)
    hidden = payload != picked.payload
    decision = judge_side(contracts, tool, side, payload)
    if not args.json:
        if picked.row:
            show.line(_which(picked, chosen=args.row > 0))
        tell(tool, decision)
    _warn("payload", hidden)
    label, said = _asked(args)
    why = redact(said)
    _warn("reason", why != said)
    name = args.id or (decision.codes[0].partition(".")[2].replace("_", "-") if decision.codes else "valid")
    fixture = Fixture(name, tool, side, label, decision.codes if label == "block" else (), payload, why)
    refusal = _refusal(args, fixture, decision, contracts, picked)
    path = None if refusal else add_fixture(fixture, args.out)
    if args.json:
        told: dict[str, Any] = {"path": path and str(path), "refused": refusal, "redacted": hidden or why != said}
        told |= {"row": picked.row, "rows": picked.rows} if picked.row else {}
        show.as_json(told | {"decision": decision.as_dict(), "label": label})
    else:
        show.line(f"{path}: {label} {', '.join(fixture.codes)}".rstrip() if path else f"Not added: {refusal}")
    return 1 if refusal else 0


def _warn(where: str, hidden: bool) -> None:
    if hidden:
        print(f"gate: what looks like a secret was replaced by [redacted] in the {where}.", file=sys.stderr)


def _which(picked: Picked, *, chosen: bool) -> str:
    """Return which row was taken, of how many, and how to take another one where nobody chose it."""
    others = " (--row N takes another)" if not chosen and picked.rows != 1 else ""
    return f"row {picked.row} of {picked.rows}{others}"


def _refusal(
    args: argparse.Namespace, fixture: Fixture, decision: Decision, contracts: Contracts, picked: Picked
) -> str:
    """Return why the fixture is not added, or nothing."""
    before = judge_side(contracts, fixture.tool, fixture.side, picked.payload)
    if before.codes != decision.codes:
        return (
            "without the secret the contract decides otherwise. Next: put something harmless of the same shape in its "
            "place by hand."
        )
    differs = disagreement(fixture, decision)
    if differs:
        return differs
    same = twin(fixture, kept_in(args.out))
    if same is not None:
        return f"{same.id} has the same payload. Next: keep that one."
    if args.id in names_in(args.out, fixture.tool):
        return f"there is a fixture named {args.id}. Next: choose another --id."
    return ""


def _picked(args: argparse.Namespace) -> Picked:
    if bool(args.file) == bool(args.run_file):
        raise ConfigError(
            "one payload is wanted. Next: name a FILE, or - for standard input, or --from a file of a run."
        )
    if args.run_file:
        return from_run(args.run_file, row=args.row, call=args.call, side=args.side)
    return from_bytes(read_payload(args.file))


def _asked(args: argparse.Namespace) -> tuple[str, str]:
    """Return a person's label and reason, asked for where they were not given and somebody can answer."""
    can_ask = sys.stdin.isatty() and not args.json
    label, why = args.label, args.why
    while label not in ("allow", "block") and can_ask:
        label = input("Your label, allow or block? ").strip()
    while not why and can_ask:
        why = input("Why? ").strip()
    if not label or not why:
        raise ConfigError("a fixture needs a person's label and reason. Next: add --label allow|block and --why TEXT.")
    return label, why
