"""`gate check`: judge one payload, from a file or from standard input."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gate.commands import show
from gate.contract import Contract, Side
from gate.decision import Decision
from gate.errors import ConfigError, quote
from gate.files import read_json
from gate.payload import MAX_BYTES
from gate.registry import Contracts, load_contracts
from gate.results import judge_side

HELP = "judge one payload: the arguments of a call, or a tool's result"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--tool", required=True, help="the tool that is called, or that answered")
    parser.add_argument("--side", choices=("input", "output"), help="arguments or result (default: the one it has)")
    parser.add_argument("--schema", help="judge by this schema file instead of a frozen contract")
    parser.add_argument("--stages", default="schema", help="schema,store,semantic (default: schema); input side only")
    parser.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the payload (default: -, standard input)")


def run(args: argparse.Namespace) -> int:
    """Exit 0 when the payload is allowed, 1 when it is refused."""
    raw = read_payload(args.file)
    decision = _judge(args, raw)
    if args.json:
        show.as_json({"tool": args.tool, **decision.as_dict()})
    else:
        tell(args.tool, decision)
    return 0 if decision else 1


def tell(tool: str, decision: Decision) -> None:
    """Print a decision: one line for an allow, a table of what is wrong for a block."""
    if decision:
        show.line(f"allow: {tool} accepts it{_left_out(decision)}.")
    else:
        rows = ((found.path or "(whole)", found.code, found.message, found.hint) for found in decision.findings)
        title = f"block at {decision.stage}: {quote(tool)} refuses it{_left_out(decision)}"
        show.table(title, ("field", "code", "what is wrong", "what to do next"), rows)


def _judge(args: argparse.Namespace, raw: bytes) -> Decision:
    if args.schema:
        schema = read_json(args.schema)
        return Contract.from_schema(schema, tool=args.tool, side=args.side or "input").judge(raw)
    contracts = load_contracts(args.contracts)
    side = args.side or only_side(contracts, args.tool)
    stages = tuple(args.stages.split(","))
    if side == "output" or stages == ("schema",):
        if stages != ("schema",):
            raise ConfigError("a result is judged by its schema alone. Next: leave --stages out.")
        return judge_side(contracts, args.tool, side, raw)
    from gate.pipeline import Pipeline

    return Pipeline(contracts, stages).judge(args.tool, raw)


def only_side(contracts: Contracts, tool: str) -> Side:
    """Return the side that a tool has a contract for. An unknown tool is judged as a call, which is refused."""
    if contracts.input(tool) and contracts.output(tool):
        raise ConfigError(f"{quote(tool)} has a contract for each side. Next: say --side input or --side output.")
    return "output" if contracts.output(tool) else "input"


def read_payload(name: str) -> bytes:
    """Return the payload, no more of it than is needed to see that it is too large."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"{quote(name, 200)} cannot be read ({reason}). Next: name a file, or -.") from error


def _left_out(decision: Decision) -> str:
    return f" (not asked: {', '.join(decision.skipped)})" if decision.skipped else ""
