"""`gate contract diff OLD NEW`: what widened and what narrowed, each with a payload that proves it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from gate.commands import show
from gate.contract import Contract
from gate.contracts.sources import Source, read_schemas
from gate.errors import ConfigError, clip
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.witness import Difference, alone, differences

HELP = "say what widened and what narrowed, with a payload that proves it, and which fixtures change their decision"
_SHOWN = 200
_PROOFS = {"widened": "newly allowed: ", "narrowed": "newly refused: ", "changed": ""}
_Pairs = dict[str, tuple[Contract | None, Contract | None]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    words = "a schema file, a file of definitions, a folder, or a git revision: HEAD~1 (its schemas), main:FOLDER"
    parser.add_argument("old", metavar="OLD", help=words)
    parser.add_argument("new", metavar="NEW", help="the same, for what is to come")
    words = "files or folders of fixtures (default: those here, else the kit's own)"
    parser.add_argument("--fixtures", nargs="*", default=[], metavar="PATH", help=words)


def run(args: argparse.Namespace) -> int:
    """Exit 1 when anything widened, or changed without a proof of which way."""
    pairs = _paired(args.old, args.new)
    fixtures = [one for one in load_fixtures(*args.fixtures) if f"{one.tool}.{one.side}" in pairs]
    found = [(name, one) for name, pair in sorted(pairs.items()) for one in _differences(pair, name, fixtures)]
    moved = [row for one in fixtures for row in _moved(one, pairs[f"{one.tool}.{one.side}"])]
    if args.json:
        told = [{"contract": name, "proven": one.payload is not None, **one._asdict()} for name, one in found]
        show.as_json({"changes": told, "fixtures": moved})
    else:
        _tell(found, moved)
    looser = any(one.direction != "narrowed" for _, one in found) or any(row["after"] == "allow" for row in moved)
    return 1 if looser else 0


def _tell(found: list[tuple[str, Difference]], moved: list[dict[str, str]]) -> None:
    if not found:
        show.line("Nothing that decides has changed.")
        return
    for name, one in found:
        show.line(f"{one.direction:9} {name}: {one.words}")
        show.line(f"{'':9} {_proof(one)}")
    if moved:
        columns = ("fixture", "tool", "before", "after")
        show.table("Fixtures that change their decision", columns, ([row[name] for name in columns] for row in moved))


def _proof(one: Difference) -> str:
    if one.payload is None:
        return "not proven: no payload was found that shows it"
    return _PROOFS[one.direction] + clip(json.dumps(one.payload, ensure_ascii=False), _SHOWN)


def _differences(pair: tuple[Contract | None, Contract | None], name: str, fixtures: list[Fixture]) -> list[Difference]:
    old, new = pair
    if old is None or new is None:
        return [alone(old, new)]
    payloads = [one.payload for one in fixtures if f"{one.tool}.{one.side}" == name]
    return differences(old, new, payloads)


def _moved(fixture: Fixture, pair: tuple[Contract | None, Contract | None]) -> Iterator[dict[str, str]]:
    before, after = ("allow" if one is not None and one.judge(fixture.payload) else "block" for one in pair)
    if before != after:
        yield {"fixture": fixture.id, "tool": fixture.tool, "before": before, "after": after}


def _paired(old: str, new: str) -> _Pairs:
    """Return the contracts of both places by id. Two files of one schema each are compared whatever their names."""
    before, after = read_schemas(old), read_schemas(new)
    if len(before) == len(after) == 1 and not (before[0].named and after[0].named):
        name = before[0] if before[0].named else after[0]
        before, after = ([name._replace(schema=one.schema) for one in side] for side in (before, after))
    olds, news = ({one.id: _contract(place, one) for one in side} for place, side in ((old, before), (new, after)))
    return {name: (olds.get(name), news.get(name)) for name in olds.keys() | news.keys()}


def _contract(place: str, source: Source) -> Contract:
    try:
        return Contract.from_schema(source.schema, tool=source.tool, side=source.side)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}", error.findings) from error
