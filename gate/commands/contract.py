"""`gate contract lint|freeze|diff|import|page`: vet, freeze, compare, import and print contracts."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from gate.commands import show
from gate.contract import Contract
from gate.contracts.diff import diff
from gate.contracts.importing import Imported, import_tools
from gate.contracts.lock import freeze
from gate.errors import ConfigError, ContractError, Finding
from gate.evidence.contract_page import kit_page
from gate.evidence.fixtures import load_fixtures, save_fixture
from gate.evidence.pack import first_pack
from gate.files import HOME, locate, read_json, write_whole
from gate.registry import Contracts, contract_files
from gate.strictjson import decode, loads

HELP = "vet, freeze, compare, import and print contracts"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    words = "say what keeps a schema from being a contract, and which bounds it lacks"
    lint = actions.add_parser("lint", help=words, description=words)
    words = "write the lock: version and hash of each contract"
    frozen = actions.add_parser("freeze", help=words, description=words)
    for command, action in ((lint, _lint), (frozen, _freeze)):
        command.add_argument("folder", nargs="?", help="the folder of schemas (default: schemas, else the kit's own)")
        command.set_defaults(act=action)
    words = "say in words what widened and what narrowed, and which fixtures change their decision"
    compare = actions.add_parser("diff", help=words, description=words)
    compare.add_argument("old", help="the old schema file")
    compare.add_argument("new", help="the new schema file, named <tool>.<input|output>.schema.json")
    compare.add_argument("--fixtures", nargs="*", default=[], help="files or folders (default: the kit's own)")
    compare.set_defaults(act=_diff)
    words = "write closed contracts from MCP tools/list, OpenAI or Anthropic tool definitions, then freeze them"
    imports = actions.add_parser("import", help=words, description=words)
    imports.add_argument("file", help="a JSON file of tool definitions")
    imports.add_argument("--out", default="schemas", help="the folder to write to (default: schemas)")
    imports.add_argument("--fixtures", default="fixtures", help="where the first fixture pack goes (default: fixtures)")
    imports.set_defaults(act=_import)
    words = "write CONTRACT.md: the schema and the store's rules in words, made from what is enforced"
    page = actions.add_parser("page", help=words, description=words)
    page.add_argument("--out", help="the file to write (default: the kit's CONTRACT.md)")
    page.set_defaults(act=_page)
    for command in (lint, frozen, compare, imports, page):
        command.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    return int(args.act(args))


def _folder(args: argparse.Namespace) -> Path:
    return locate("schemas") if args.folder is None else Path(args.folder)


def _lint(args: argparse.Namespace) -> int:
    rows = []
    for path, tool, side in contract_files(_folder(args)):
        try:
            found = Contract.from_schema(read_json(path), tool=tool, side=side).warnings
            level = "warning"
        except ContractError as error:
            found, level = error.findings, "error"
        rows += [{"contract": f"{tool}.{side}", "level": level, **item._asdict()} for item in found]
    if args.json:
        show.as_json({"findings": rows})
    elif rows:
        columns = ("contract", "level", "path", "message", "hint")
        show.table("What is still open", columns, ([row[name] for name in columns] for row in rows))
    else:
        show.line("Every contract is closed, bounded and means the same to both engines.")
    return 1 if rows else 0


def _freeze(args: argparse.Namespace) -> int:
    done = freeze(_folder(args))
    if args.json:
        show.as_json({"contracts": [item._asdict() for item in done]})
    else:
        show.table("Frozen", ("contract", "version", "state"), done)
    return 0


def _diff(args: argparse.Namespace) -> int:
    (_, tool, side), *_ = contract_files(Path(args.new).parent, Path(args.new).name)
    old, new = read_json(args.old), read_json(args.new)
    changes = diff(old, new)
    before, after = (Contract.from_schema(schema, tool=tool, side=side) for schema in (old, new))
    moved = _moved(before, after, args.fixtures)
    if args.json:
        show.as_json({"changes": [change._asdict() for change in changes], "fixtures": moved})
    elif not changes:
        show.line("Nothing that decides has changed.")
    else:
        show.table(f"{tool}.{side}", ("direction", "where", "what"), changes)
        columns = ("fixture", "before", "after")
        show.table("Fixtures that change their decision", columns, ([row[name] for name in columns] for row in moved))
    return 1 if changes else 0


def _moved(old: Contract, new: Contract, places: list[str]) -> list[dict[str, str]]:
    rows = []
    for fixture in load_fixtures(*places):
        if (fixture.tool, fixture.side) == (new.tool, new.side):
            before, after = old.judge(fixture.payload), new.judge(fixture.payload)
            if before.outcome != after.outcome:
                rows.append({"fixture": fixture.id, "before": before.outcome, "after": after.outcome})
    return rows


def _import(args: argparse.Namespace) -> int:
    found = import_tools(_document(args.file))
    refused = [item for item in found if item.findings]
    written = [] if refused else _write(found, Path(args.out))
    if written:
        freeze(Path(args.out))
        written += _first_packs(found, Path(args.fixtures))
    if args.json:
        show.as_json({"written": written, "tools": [_as_dict(item) for item in found]})
    else:
        changes = [(f"{item.tool}.{item.side}", change) for item in found for change in item.changes]
        show.table("Changed so that they are closed", ("contract", "change"), changes)
        if refused:
            rows = [(f"{i.tool}.{i.side}", f.path, f.message, f.hint) for i in refused for f in i.findings]
            note = "Nothing was written. Mend these in the definitions, then import again."
            show.table("Not fit to be a contract", ("contract", "path", "what is wrong", "next"), rows, note)
        schemas = [path for path in written if path.endswith(".schema.json")]
        for path in schemas:
            show.line(f"wrote {path}")
        if written:
            count = len(written) - len(schemas)
            show.line(f"wrote {count} fixtures to {args.fixtures}: read their labels, then keep them")
            _say_what_is_missing(found)
    return 1 if refused else 0


def _page(args: argparse.Namespace) -> int:
    path = HOME / "CONTRACT.md" if args.out is None else Path(args.out)
    write_whole(path, kit_page())
    if args.json:
        show.as_json({"written": str(path)})
    else:
        show.line(f"wrote {path}")
    return 0


def _say_what_is_missing(found: list[Imported]) -> None:
    mute = sorted({item.tool for item in found} - {item.tool for item in found if item.side == "output"})
    if mute:
        show.line(f"no result contract for {', '.join(mute)}: their results cannot enter memory. Next: write")
        show.line("<tool>.output.schema.json beside the others, then run gate contract freeze")


def _document(name: str) -> Any:
    try:
        text = decode(Path(name).read_bytes())
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read ({error.strerror}). Next: name a file of definitions.") from error
    value = text if isinstance(text, Finding) else loads(text)
    if isinstance(value, Finding):
        raise ConfigError(f"{name}: {value.message} Next: {value.hint}")
    return value


def _write(found: list[Imported], folder: Path) -> list[str]:
    """Write every schema, or none when one of the files is there already."""
    Contracts(Contract.from_schema(item.schema, tool=item.tool, side=item.side) for item in found)  # names alike
    paths = [folder / f"{item.tool}.{item.side}.schema.json" for item in found]
    for path in paths:
        if path.exists():
            raise ConfigError(f"{path} is there already. Next: move it away, or compare with `gate contract diff`.")
    for path, item in zip(paths, found, strict=True):
        write_whole(path, json.dumps(item.schema, indent=2, ensure_ascii=False) + "\n")
    return [str(path) for path in paths]


def _first_packs(found: list[Imported], folder: Path) -> list[str]:
    """Write a first fixture pack for each contract; a fixture that is there already is left as it is."""
    written = []
    for item in found:
        pack = first_pack(Contract.from_schema(item.schema, tool=item.tool, side=item.side))
        fresh = [fixture for fixture in pack if not (folder / fixture.tool / f"{item.side}-{fixture.id}.json").exists()]
        written += [str(save_fixture(replace(fixture, id=f"{item.side}-{fixture.id}"), folder)) for fixture in fresh]
    return written


def _as_dict(item: Imported) -> dict[str, Any]:
    return {**item._asdict(), "findings": [found._asdict() for found in item.findings]}
