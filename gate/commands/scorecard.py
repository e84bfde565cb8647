"""`gate scorecard`: a pack of labelled calls against the gates, as a table and four counts."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from gate.commands import show
from gate.contract import Contract
from gate.errors import ConfigError
from gate.evidence.calls import MIN_ROWS, TOOL, load_calls
from gate.evidence.fixtures import load_fixtures, strangers
from gate.evidence.mutants import Score, mutants
from gate.evidence.mutants import score as mutant_score
from gate.evidence.scorecard import ANY, Row, Scorecard, score
from gate.files import locate
from gate.pipeline import ORDER, Pipeline, Semantic
from gate.registry import load_contracts

HELP = "Judge a pack of labelled tool calls: zero false allows, every refusal at its stage, or exit 1."

_BY_POLICY = "policy"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--gates", default="schema,store", metavar="LIST", help=f"out of {','.join(ORDER)} (default: schema,store)"
    )
    parser.add_argument("--fixtures", default="fixtures/tool_calls.jsonl", metavar="FILE", help="the pack, JSON lines")
    parser.add_argument("--tool", default=TOOL, help=f"whose calls the pack holds (default: {TOOL})")
    parser.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    parser.add_argument("--min-rows", type=int, default=MIN_ROWS, metavar="N", help="refuse a shorter pack")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="S", help="seconds for one whole exchange")
    parser.add_argument(
        "--judge",
        metavar="NAME",
        help=f"with the semantic gate: use the stand-in judge, '{_BY_POLICY}' or one of its faults, not MODEL_BASE_URL",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the scorecard; 0 when every call went as labelled, 1 otherwise."""
    stages = tuple(name.strip() for name in args.gates.split(","))
    if args.judge and "semantic" not in stages:
        raise ConfigError("--judge is for the semantic gate. Next: add it: --gates schema,store,semantic.")
    calls = load_calls(args.fixtures, min_rows=args.min_rows)
    with ExitStack() as stack:
        semantic = _semantic(args, stack) if "semantic" in stages else None
        contracts = load_contracts(args.contracts)
        pipeline = Pipeline(contracts, stages, semantic=semantic)
        card = score(calls, pipeline, stages=("parse", *pipeline.stages), tool=args.tool)
    planted = _planted(contracts.input(args.tool), locate(args.fixtures).parent / args.tool)
    if args.json:
        show.as_json({**card.as_dict(), "mutants": planted and planted._asdict()})
    else:
        show_card(card, args.fixtures, pipeline.stages)
        if planted:
            _show_planted(planted, args.tool)
    return 0 if card.passed else 1


def _planted(contract: Contract | None, pack: Path) -> Score | None:
    """Return how many planted faults the fixtures beside the calls kill; None where there are none for the contract."""
    packs = [folder for name in strangers(pack.name) if any((folder := pack.with_name(name)).glob("*.json"))]
    found = load_fixtures(pack, *packs) if any(pack.glob("*.json")) else []
    own = contract and any((one.tool, one.side) == (contract.tool, contract.side) for one in found)
    return mutant_score(mutants(contract, found)) if contract and own else None


def _show_planted(planted: Score, tool: str) -> None:
    show.line(
        f"The fixtures of {tool} beside it kill {planted.killed} of {planted.killed + planted.survived} planted faults"
        f"{f'; {planted.survived} survive. Next: gate mutants --tool {tool}' if planted.survived else ''}."
    )


def _semantic(args: argparse.Namespace, stack: ExitStack) -> Semantic:
    from gate.semantic import SemanticGate  # brings httpx and its network code; without this gate nothing needs it

    if not args.judge:
        return SemanticGate(timeout=args.timeout)
    from gate.evidence.judge_server import running_judge

    judge = stack.enter_context(running_judge())
    return SemanticGate(timeout=args.timeout, environ=judge.environ("" if args.judge == _BY_POLICY else args.judge))


def show_card(card: Scorecard, pack: str, stages: tuple[str, ...]) -> None:
    """Print the rows, the counts, the confusion table, and what did not go as labelled."""
    rows = [(row.id, row.human, row.machine, row.stage_blocked or "-", row.verdict) for row in card.rows]
    show.line(f"{pack} against {', '.join(stages)}")
    show.table("", ("id", "human", "machine", "stage_blocked", "verdict"), rows)
    table = [(f"human: {human}", *columns.values()) for human, columns in card.confusion.items()]
    show.line("")
    show.table("Confusion", ("", "machine: allow", "machine: block"), table)
    show.line("")
    show.line(
        f"true allow {card.true_allow}, true block {card.true_block}, false allow {card.false_allow}, "
        f"false block {card.false_block}" + (f", beyond {card.beyond}" if card.beyond else "")
        + f": {len(card.rows)} calls. Blocking: precision {_share(card.precision)}, recall {_share(card.recall)}."
    )  # fmt: skip
    for stage in ORDER:
        beyond = [row.id for row in card.rows if row.beyond and row.stage_expected == stage]
        if beyond:
            show.line(f"Beyond these gates, for {stage} was not asked: {', '.join(beyond)}.")
    for row in card.faults:
        where = "" if row.stage_expected in (ANY, None) else f" at {row.stage_expected}"
        show.line(f"{row.verdict.upper()} {row.id}: a person says {row.human}{where}, the gates say {_machine(row)}.")
        if row.why:
            show.line(f"    {row.why}")
    reach = " that these gates can stop" if card.beyond else ""
    show.line(f"Every call{reach} went as labelled." if card.passed else f"Not as labelled: {len(card.faults)}.")


def _machine(row: Row) -> str:
    return f"{row.machine} at {row.stage_blocked}" if row.stage_blocked else row.machine


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
