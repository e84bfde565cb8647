"""`gate class`: the class as a whole, live from a shared folder, or once from pasted codes."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate.commands import show
from gate.errors import counted

if TYPE_CHECKING:
    from rich.console import Group

    from gate.lab.plan import Lab
    from gate.room.overview import Overview
    from gate.room.standing import Standing

HELP = "see where every pair is, who is stuck and where pairs disagree; a page and a debrief"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="the shared folder, with each pair's work below it")
    parser.add_argument("--codes", metavar="FILE", help="read codes of gate progress from a pasted chat (- : input)")
    parser.add_argument("--lab", default="memory", help="which lab (default: memory)")
    parser.add_argument("--every", type=int, default=5, metavar="SECONDS", help="how often to look (default: 5)")
    parser.add_argument("--once", action="store_true", help="look once and stop")
    parser.add_argument("--page", metavar="FILE", help="also write a page that refreshes itself")
    parser.add_argument("--report", metavar="DIR", help="write the debrief there: a page, and a patch of the plan")
    parser.add_argument("--json", action="store_true", help="look once and print JSON")


def run(args: argparse.Namespace) -> int:
    """Show the class until Ctrl-C, or once. Exit 1 when a code could not be read."""
    from gate.errors import ConfigError, quote
    from gate.lab.plan import load_plan

    labs = load_plan()
    if args.lab not in labs:
        raise ConfigError(f"There is no lab {quote(args.lab)}. Next: use one of {', '.join(labs)}.")
    if bool(args.folder) == bool(args.codes) or args.every < 1:
        raise ConfigError("gate class needs one source. Next: name the shared folder, or --codes FILE.")
    lab = labs[args.lab]
    if args.codes:
        return _once(args, lab, _from_codes(args.codes, labs, lab))
    from gate.room.watch import standings, work_folders

    folder = Path(args.folder)
    if args.report:
        return _report(args, lab, list(work_folders(folder).values()), standings(folder, lab))
    if args.once or args.json:
        return _once(args, lab, Pasted(standings(folder, lab), [], {}))
    return _live(args, lab, lambda: standings(folder, lab))


class Pasted(NamedTuple):
    """What a pasted chat holds: each pair's last standing, what is wrong with codes, codes about other labs by lab."""

    found: list[Standing]
    wrong: list[str]
    elsewhere: dict[str, int]


def _from_codes(name: str, labs: dict[str, Lab], lab: Lab) -> Pasted:
    """Return what the codes in a pasted chat say about a lab."""
    from gate.files import read_text
    from gate.room.code import CodeError, codes_in, decode

    text = sys.stdin.read() if name == "-" else read_text(name)
    found: dict[str, Standing] = {}
    wrong, elsewhere = list[str](), Counter[str]()
    for code in codes_in(text):
        try:
            one = decode(code, labs)
        except CodeError as error:
            wrong.append(f"{code}: {error}")
            continue
        if one.lab == lab.id:
            found[one.pair] = one
        else:
            elsewhere[one.lab] += 1
    return Pasted([*found.values()], wrong, dict(elsewhere))


def _once(args: argparse.Namespace, lab: Lab, pasted: Pasted) -> int:
    found, wrong, elsewhere = pasted
    seen = _overview(args, lab, found)
    if args.report:
        _report(args, lab, [], found)
    elif args.json:
        rows = [{**row._asdict(), "disputed": row.disputed} for row in seen.rows]
        pairs = [pair._asdict() for pair in seen.pairs]
        codes = {"unreadable": wrong, "elsewhere": elsewhere}
        show.as_json({"lab": lab.id, "boards": seen.boards, "pairs": pairs, "rows": rows, **codes})
    else:
        show.console().print(_table(seen))
    told = [f"{count} of the codes: about {other}. Next: add --lab {other}." for other, count in elsewhere.items()]
    for line in () if args.json else (*wrong, *told):
        show.line(line)
    return 1 if wrong else 0


def _live(args: argparse.Namespace, lab: Lab, look: Callable[[], list[Standing]]) -> int:
    """Show the class until Ctrl-C. A folder that is away for a while, as a share may be, is told and awaited."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from gate.errors import ConfigError

    shown = _table(_overview(args, lab, look()))
    with Live(shown, console=show.console(), auto_refresh=False) as live:
        try:
            while True:
                time.sleep(args.every)
                try:
                    shown = _table(_overview(args, lab, look()))
                    live.update(shown, refresh=True)
                except ConfigError as error:
                    live.update(Group(shown, Text(f"{error} It is tried again.")), refresh=True)
        except KeyboardInterrupt:
            return 0


def _overview(args: argparse.Namespace, lab: Lab, found: list[Standing]) -> Overview:
    from gate.files import write_whole
    from gate.room.overview import overview
    from gate.room.page import class_page

    now = int(time.time())
    seen = overview(lab, found, now)
    if args.page:
        write_whole(args.page, class_page(seen, datetime.fromtimestamp(now).strftime("%H:%M:%S"), args.every))
    return seen


def _report(args: argparse.Namespace, lab: Lab, folders: list[Path], found: list[Standing]) -> int:
    from gate.files import write_whole
    from gate.room.minutes import plan_patch, sections_took
    from gate.room.overview import overview
    from gate.room.page import debrief_page

    took = sections_took(lab, folders)
    patch = plan_patch(lab, took) if any(one.took is not None for one in took) else ""
    out = Path(args.report)
    write_whole(out / "debrief.html", debrief_page(overview(lab, found, int(time.time())), took, patch))
    if patch:
        write_whole(out / "labs.patch", patch)
    written = "debrief.html, labs.patch" if patch else "debrief.html (no clock was pressed, so no plan is proposed)"
    show.line(f"{out}: {written}; {counted(len(found), 'pair')}.")
    return 0


def _table(seen: Overview) -> Group:
    """Return the class as a table for the terminal, the pair that is stuck longest first."""
    columns = ("pair", "where", "idle", *(name.split(".")[1] for name in seen.boards), "rows")
    rows = []
    for pair in seen.pairs:
        idle = "" if pair.idle is None else f"{pair.idle} min" + (" stuck" if pair.stuck else "")
        where = f"{pair.place}/{len(seen.lab.sections)}" if pair.place else "not begun"
        rows.append((pair.pair, where, idle, *pair.boards, pair.rows))
    argued = "; ".join(
        f"{row.row} ({', '.join(f'{choice} {count}' for choice, count in row.chosen.items())})" for row in seen.disputed
    )
    broken = [f"{pair.pair}: {note}" for pair in seen.pairs for note in pair.notes]
    said = f"Pairs disagree on {argued}." if argued else "Nobody disagrees with anybody so far."
    note = "\n".join([seen.empty or said, *broken])
    return show.drawn(f"{seen.lab.id}: {counted(len(seen.pairs), 'pair')}", columns, rows, note)
