"""Makes `benchmarks/README.md` and its pictures on this machine: `make bench`.

    python -m benchmarks.page [--quick] [--all] [--out FOLDER]

Every number is from this run. A topic that is left out says so, and how to run it; one that fails says that, too, and
the exit code is then 1.

Not here: what is measured (one module a topic), how a picture looks (`picture`).
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.topic import FULL, QUICK, Effort, Part, Table
from gate.commands import show
from gate.errors import ConfigError, escape
from gate.files import HOME, write_whole

#: The topics in the page's order; each is a module here. What takes many minutes is asked for with --all.
TOPICS = ("decision", "replay", "mutants", "fuzz", "ledger", "startup", "notebooks", "grading")
LONG = ("grading",)

_HEAD = """\
# How fast, beside what you would use instead

Made by `make bench` on the machine named below; nothing here is written by hand. All lines of a table are from one run,
so read the ratios: another machine has other times. More than 1.0 times the first line is slower. What each way is, and
what it does less than the kit, stands at the top of its module.
"""
_TAIL = """\
## Measured apart

The page without an installation: `make lite`, then `.venv/bin/python benchmarks/lite.py`. What a student costs
on a hub: `benchmarks/hub.py`, with its numbers in `docs/hub.md`. Whether memory stays flat over a million
payloads: `make hard`.
"""


def main(arguments: list[str]) -> int:
    """Make the page; 1 when a topic failed, 2 when the page cannot be written."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measure on this machine, and write the page.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer rounds; the page says so")
    parser.add_argument("--all", action="store_true", help=f"also what takes many minutes: {', '.join(LONG)}")
    parser.add_argument("--out", type=Path, default=HOME / "benchmarks", metavar="FOLDER", help="where the page goes")
    args = parser.parse_args(arguments)
    names = [name for name in TOPICS if args.all or name not in LONG]
    try:
        failed = make(args.out, QUICK if args.quick else FULL, names)
    except ConfigError as error:
        show.trouble(str(error))
        return 2
    show.line(f"Written: {args.out / 'README.md'}, pictures beside it.")
    return 1 if failed else 0


def make(folder: Path, effort: Effort, names: Iterable[str]) -> list[str]:
    """Measure the named topics, write the page and its pictures, and return the topics that failed."""
    names, failed = list(names), []
    _open(folder)
    text = [_HEAD, machine(effort)]
    for name in TOPICS:
        module = importlib.import_module(f"benchmarks.{name}")
        text.append(f"## {module.TITLE}\n")
        again = f"`.venv/bin/python -m benchmarks.{name}`"
        if name not in names:
            here = "make bench ARGS=--all" if name in LONG else "make bench"
            text.append(f"Left out of this run. To have it here: `{here}`; alone: {again}.\n")
            continue
        show.line(f"{module.TITLE} ...")
        load = load_now()
        try:
            text += [written(part, folder) for part in list(module.measure(effort))]
        except Exception as error:  # minutes of other topics would be lost
            failed.append(name)
            show.trouble(f"{name}: {type(error).__name__}: {escape(str(error), 300)}")
            text.append(f"This run failed: {type(error).__name__}. Next: run it alone, and read what it says.\n")
        text.append(f"Load before: {load}. Alone: {again}.\n")
    write_whole(folder / "README.md", "\n".join([*text, _TAIL]))
    return failed


def _open(folder: Path) -> None:
    """Make the folder, so that nobody measures for minutes what then cannot be written."""
    try:
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made ({error.strerror}). Next: name another folder.") from error


def machine(effort: Effort) -> str:
    """Return what a reader must know of this run."""
    size = "" if effort is FULL else f" A {effort.name} run: sizes and rounds were cut, so take its numbers as a hint."
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"Machine: {os.cpu_count()} cores, {platform.system()} {platform.machine()}, {python}."
        f" The load stands with each topic; much above 0 means that others were at work, too.{size}\n"
    )


def load_now() -> str:
    """Return how many processes wanted to run in the last minute, where the system tells."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"


def written(part: Part, folder: Path) -> str:
    """Return a table or a curve as Markdown; a curve's picture is written beside the page."""
    if isinstance(part, Table):
        return "\n".join(_lines(part))
    from benchmarks.picture import svg  # late: the processes that grade begin with this module, and draw nothing

    name = f"pictures/{part.name}.svg"
    write_whole(folder / name, svg(part))
    return "\n".join(
        [f"![{part.title}: {part.up} by {part.across}; the numbers follow]({name})\n", *_lines(part.table())]
    )


def _lines(table: Table) -> Iterator[str]:
    yield f"**{table.title}**\n"
    yield _row(table.columns)
    yield _row(["---", *["--:"] * (len(table.columns) - 1)])
    yield from map(_row, table.rows)
    yield f"\n{table.note}\n" if table.note else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
