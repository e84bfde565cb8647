"""`gate fixture`: make a fixture out of a payload that quarantine holds."""

from __future__ import annotations

import argparse
from pathlib import Path

from gate.commands import show
from gate.errors import ConfigError, Finding
from gate.evidence.fixtures import Fixture, save_fixture
from gate.payload import MAX_BYTES, read
from gate.registry import load_contracts
from gate.results import judge_result

HELP = "make a fixture out of a refused payload in quarantine"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--from", dest="quarantine", required=True, metavar="FILE", help="a quarantine file of AgentMemory"
    )
    parser.add_argument("--row", type=int, default=-1, help="which line, counted from 1 (default: the last)")
    parser.add_argument("--id", required=True, help="the fixture's name: a-z, 0-9, dash, underscore")
    parser.add_argument("--out", default="fixtures", help="the folder of fixtures (default: fixtures)")
    parser.add_argument("--note", default="", help="why this payload is worth keeping")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Write the fixture, labelled with what today's contracts say of it."""
    row = _row(args.quarantine, args.row)
    decision = judge_result(load_contracts(), row["tool"], row["raw"])
    label = "allow" if decision else "block"
    fixture = Fixture(args.id, row["tool"], "output", label, decision.codes, row["raw"], args.note)
    path = save_fixture(fixture, args.out)
    if args.json:
        show.as_json({"path": str(path), **fixture.as_dict()})
    else:
        show.line(f"{path}: {label} {', '.join(decision.codes)}")
    return 0


def _row(name: str, number: int) -> dict[str, str]:
    try:
        lines = Path(name).read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{name}: cannot be read. Next: name the quarantine file of a memory.") from error
    if not lines or number == 0 or abs(number) > len(lines):
        raise ConfigError(f"{name} has {len(lines)} lines. Next: choose --row from 1 to {len(lines)}.")
    row = read(lines[number - 1 if number > 0 else number], max_bytes=4 * MAX_BYTES)
    if isinstance(row, Finding) or type(row.get("tool")) is not str or type(row.get("raw")) is not str:
        raise ConfigError(f"{name}: that line is no refused payload. Next: choose another --row.")
    if row.get("whole") is not True:
        raise ConfigError(f"{name}: that line does not hold the whole payload. Next: choose another --row.")
    return row
