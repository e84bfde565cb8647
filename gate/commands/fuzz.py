"""`gate fuzz`: near-border payloads at every rule of a contract, and the fence's answers to three questions."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from gate.commands import show
from gate.contract import Contract
from gate.errors import ConfigError, clip, quote
from gate.evidence.fuzz import fuzz
from gate.files import read_json, write_whole
from gate.registry import load_contracts

HELP = "send near-border payloads at every rule of a contract, through the fence where it has one"
_FAULT_WIDTH = 44


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--tool", required=True, help="the tool whose contract is fuzzed")
    parser.add_argument("--side", choices=("input", "output"), help="arguments or result (default: the one it has)")
    parser.add_argument("--schema", metavar="FILE", help="fuzz this schema instead of a frozen contract")
    parser.add_argument("--contracts", help="the folder of contracts (default: schemas, else the kit's own)")
    parser.add_argument("--n", type=int, default=200, help="how many payloads (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same report (default: 0)")
    parser.add_argument("--out", default="artifacts/fuzz.json", metavar="FILE", help="where the report is written")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Write and print the report; exit 1 when a rule went unexercised or anything came out that should not."""
    if args.n < 1:
        raise ConfigError("--n must be at least 1. Next: give each rule of the contract some, 200 or more in all.")
    contract = _contract(args)
    started, used = time.perf_counter(), time.process_time()
    report = fuzz(contract, args.n, args.seed)
    seconds, used = time.perf_counter() - started, time.process_time() - used
    write_whole(args.out, json.dumps(report, indent=2, sort_keys=True) + "\n")
    if args.json:
        show.as_json(report)
    else:
        _print(report)
        rate = f"{report['sent'] / used:,.0f} a second on one core"
        show.line(f"{report['sent']} payloads in {seconds:.2f} s, of them {used:.2f} s of work: {rate}.")
        show.line(f"Written to {args.out}.")
    return 0 if report["clean"] else 1


def _contract(args: argparse.Namespace) -> Contract:
    if args.schema:
        return Contract.from_schema(read_json(args.schema), tool=args.tool, side=args.side or "input")
    contracts = load_contracts(args.contracts)
    found = {"input": contracts.input(args.tool), "output": contracts.output(args.tool)}
    contract = found[args.side] if args.side else found["input"] or found["output"]
    if contract is None:
        side = f" on its {args.side} side" if args.side else ""
        raise ConfigError(f"{quote(args.tool)} has no contract{side}. Next: use one of {', '.join(contracts.tools())}.")
    return contract


def _print(report: dict[str, Any]) -> None:
    rows = [
        (rule["rule"], _broken(rule), ", ".join(f"{code} {times}" for code, times in rule["codes"].items()),
         clip(rule["fault"], _FAULT_WIDTH))
        for rule in report["rules"]
    ]  # fmt: skip
    contract = report["contract"]
    show.table(
        f"{contract['id']} version {contract['version']}, seed {report['seed']}",
        ("rule", "broken", "refused with", "smallest fault"),
        rows,
    )
    show.line("")
    for line in _words(report):
        show.line(line)


def _broken(rule: dict[str, Any]) -> str:
    return "alone" if rule["alone"] and rule["sent"] else "beside others" if rule["sent"] else "NEVER"


def _words(report: dict[str, Any]) -> list[str]:
    fence, asked = report["fence"], report["questions"]
    lines = []
    if fence:
        words = ("applied", "blocked", "duplicate", "noop", "failed")
        lines.append("Through the fence: " + ", ".join(f"{word} {fence[word]}" for word in words) + ".")
    near = asked["which illegal action almost passed"]
    if near:
        sent = json.dumps(near["sent"])
        lines.append(f"Which illegal action almost passed? {near['field']} {sent}, beside {near['allowed']!r}.")
    if fence:
        copies, noops = asked["did a duplicate consume budget"], asked["did wall time grow on noop"]
        lines.append(f"Did a duplicate consume budget? {copies['duplicates']} duplicates spent {copies['spent']}.")
        lines.append(f"Did wall time grow on noop? {noops['noops']} noops took {noops['wall_ms']} ms of tool time.")
    for name in ("unexercised", "illegal", "wrongly_refused", "surprises"):
        found = report[name]
        if found:
            shown = ", ".join(json.dumps(item) for item in found[:5])
            lines.append(f"{name.upper().replace('_', ' ')}, {len(found)}: {clip(shown, 1000)}")
    if report["clean"]:
        return [*lines, "Clean."]
    wrong = any(report[name] for name in ("illegal", "wrongly_refused", "surprises"))
    advice = "look at what got through." if wrong else "send more payloads, with a larger --n."
    return [*lines, f"NOT CLEAN. Next: {advice}"]
