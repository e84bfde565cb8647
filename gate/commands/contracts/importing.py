"""`gate contract import`: your tool definitions in, closed contracts and a first fixture pack out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gate.commands import show
from gate.contracts.definitions import ORIGINS
from gate.contracts.importing import Imported, import_tools
from gate.contracts.sources import read_document
from gate.errors import Finding, counted
from gate.evidence.bringing import Plan, plan

HELP = "write closed contracts and a first fixture pack from MCP tools/list, OpenAI or Anthropic tool definitions"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", help="a JSON file of tool definitions, or - for standard input")
    parser.add_argument("--from", dest="origin", choices=ORIGINS, default="auto", help="the shape (default: auto)")
    words = "the folder of schemas to write to (default: schemas); --out is the same"
    parser.add_argument("--into", "--out", default="schemas", metavar="DIR", help=words)
    words = "where the first fixture pack goes (default: fixtures)"
    parser.add_argument("--fixtures", default="fixtures", metavar="DIR", help=words)
    parser.add_argument("--drop-defaults", action="store_true", help="drop every default instead of refusing it")
    parser.add_argument("--check", action="store_true", help="say what would be written, and write nothing")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when a definition is not fit to be a contract; nothing is written then."""
    found = import_tools(read_document(args.file), args.origin, drop_defaults=args.drop_defaults)
    refused = any(item.findings for item in found)
    planned = None if refused else plan(found, Path(args.into), Path(args.fixtures))
    written = planned.write() if planned and not args.check else []
    if args.json:
        tools = [_as_dict(item) for item in found]
        show.as_json({"written": written, "tools": tools, "cell": (_cell(planned) or None) if planned else None})
    else:
        _tell(args, found, planned)
    return 1 if refused else 0


def _tell(args: argparse.Namespace, found: list[Imported], planned: Plan | None) -> None:
    changes = [(item.id, change) for item in found for change in item.changes]
    if changes:
        show.table("Changed so that they are closed", ("contract", "change"), changes)
    if planned is None:
        _findings("Not fit to be a contract", [(item.id, f) for item in found for f in item.findings])
        show.line("Nothing was written. Mend these in the definitions, then import again.")
        if any(f.code == "contract.default" for item in found for f in item.findings):
            show.line("A default is never filled in: what was judged is what is used. --drop-defaults imports without.")
    else:
        verb = "would write" if args.check else "wrote"
        for path in planned.schemas:
            show.line(f"{verb} {path.as_posix()}")
        show.line(_about_fixtures(args, planned, verb))
    to_do = [(item.id, f) for item in found for f in item.to_do]
    _findings("To do: bounds that only you can know", to_do)
    if to_do:
        show.line("Next: write them into the definitions and import into empty folders: the fixtures then fit them.")
        show.line("Written into a schema later, a pattern refuses the examples of fixtures made without it.")
    if planned is not None:
        _say_what_is_missing(found)
        if cell := _cell(planned):
            show.line("To try it in a notebook:\n")
            show.line(cell)


def _about_fixtures(args: argparse.Namespace, planned: Plan, verb: str) -> str:
    there = f"; {planned.there} were there already and stay" if planned.there else ""
    made = counted(len(planned.fixtures), "fixture")
    return f"{verb} {made} to {args.fixtures}{there}: read their labels, then keep them"


def _findings(title: str, rows: Sequence[tuple[str, Finding]]) -> None:
    if rows:
        columns = ("contract", "where", "what is wrong", "what to write")
        show.table(title, columns, ((name, f.path, f.message, f.hint) for name, f in rows))


def _say_what_is_missing(found: list[Imported]) -> None:
    mute = sorted({item.tool for item in found} - {item.tool for item in found if item.side == "output"})
    if mute:
        show.line(f"no result contract for {', '.join(mute)}: no result of that can enter memory. Next: write")
        show.line("<tool>.output.schema.json beside the others, then run gate contract freeze")


def _cell(planned: Plan) -> str:
    """Return a notebook cell that judges one payload that passes and one that does not; empty without such a pair.

    They are short, for a cell is to be read, and the second one breaks the schema: a text that is no JSON shows less.
    """
    short = sorted(planned.fixtures, key=lambda one: len(repr(one.payload)))
    allowed = {(one.tool, one.side): one for one in reversed(short) if one.label == "allow"}
    broken = {(one.tool, one.side): one for one in reversed(short) if "schema.unknown_field" in one.codes}
    keys = ((one.tool, one.side) for one in planned.fixtures)
    key = next((key for key in keys if key in allowed and key in broken), None)
    if key is None:
        return ""
    good, bad = allowed[key], broken[key]
    lines = [
        "from gate import load_contracts",
        "",
        f"contract = load_contracts({planned.folder.as_posix()!r}).{good.side}({good.tool!r})",
        f"print(contract.judge({good.payload!r}).outcome)",
        f"for found in contract.judge({bad.payload!r}).findings:",
        "    print(found)",
    ]
    return "\n".join(lines)


def _as_dict(item: Imported) -> dict[str, Any]:
    told = {"findings": [f._asdict() for f in item.findings], "to_do": [f._asdict() for f in item.to_do]}
    return {**item._asdict(), **told}
