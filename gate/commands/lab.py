"""`gate lab`: derive the learner's notebooks, check them, and for a student: status, hint, reset."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from gate.commands import show
from gate.errors import counted
from gate.files import HOME

HELP = "the classroom: derive and check notebooks; status, hint and reset for a student"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    derive = _action(actions, "derive", "write the learner's notebooks from the solutions", _derive)
    derive.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="such as memory/03 or memory (default: all)")
    derive.add_argument("--execute", action="store_true", help="run the solutions first and store their outputs")
    check = _action(actions, "check", "say what is wrong with notebooks and boards, and how to mend it", _check)
    check.add_argument("--quick", action="store_true", help="read only, do not run the notebooks")
    _action(actions, "status", "show which boards are green", _status)
    _action(actions, "load", "count what each notebook asks for, beside the minutes it has", _load)
    hint = _action(actions, "hint", "show a hint for a board", _hint)
    hint.add_argument("board", help="such as memory.validate")
    hint.add_argument("level", nargs="?", type=int, default=1, help="1, 2 or 3")
    reset = _action(actions, "reset", "restore notebooks; your old ones are kept beside", _reset)
    reset.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="such as memory/03 or memory (default: all)")


def run(args: argparse.Namespace) -> int:
    """Run the action that was asked for."""
    act: Callable[[argparse.Namespace], int] = args.act
    return act(args)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    words: str,
    act: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=words, description=words)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(act=act)
    return parser


def _derive(args: argparse.Namespace) -> int:
    from gate.lab.derive import chosen, derive, solution_paths

    solutions = chosen(solution_paths(), args.notebooks)
    executed = _execute(solutions, quiet=args.json) if args.execute else []
    written = derive(solutions)
    if args.json:
        rows = [{"path": _named(one.path), "kept": one.kept and _named(one.kept)} for one in written]
        show.as_json({"executed": [_named(path) for path in executed], "written": rows})
        return 0
    for one in written:
        kept = f"; somebody had worked in the one before, which is kept as {one.kept.name}" if one.kept else ""
        show.line(f"{_named(one.path)}: written{kept}")
    read = counted(len(solutions), "solution")
    show.line(f"{read}; learner's copies written: {len(written)}, the others were up to date.")
    return 0


def _execute(solutions: list[Path], *, quiet: bool) -> list[Path]:
    """Run solutions one after the other and return those whose stored outputs changed."""
    from gate.lab.execute import execute

    changed = []
    for path in solutions:
        if execute(path):
            changed.append(path)
        if not quiet:
            show.line(f"{_named(path)}: run, outputs {'stored' if path in changed else 'as before'}")
    return changed


def _check(args: argparse.Namespace) -> int:
    from gate.lab.check import check, not_checked

    problems = check(run=not args.quick)
    if args.json:
        show.as_json([problem._asdict() for problem in problems])
    else:
        for problem in problems:
            show.line(str(problem))
        worked = not_checked()
        if worked:
            advice = "not checked; gate lab reset gives a fresh copy"
            show.line(f"somebody worked in {', '.join(worked)}: {advice}, and keeps yours beside.")
        show.line(f"{len(problems)} to mend." if problems else "All notebooks and boards are fit to teach.")
    return 1 if problems else 0


def _load(args: argparse.Namespace) -> int:
    from gate.lab.load import SHARE, loads

    found = loads()
    heavy = [one.notebook for one in found if one.share > SHARE]
    if args.json:
        show.as_json(
            [{**one._asdict(), "minutes": round(one.minutes, 1), "share": round(one.share, 2)} for one in found]
        )
        return 1 if heavy else 0
    rows = [(*one[:5], f"{one.minutes:.1f} of {one.slot}", f"{one.share:.0%}") for one in found]
    columns = ("notebook", "words", "lines read", "lines written", "rows decided", "minutes", "of its slot")
    advice = f"Too much for its slot: {', '.join(heavy)}. Next: cut, or give it more minutes in data/labs.json."
    show.table("Load", columns, rows, advice if heavy else f"Every notebook needs at most {SHARE:.0%} of its slot.")
    return 1 if heavy else 0


def _status(args: argparse.Namespace) -> int:
    from gate.lab.answers import work_folder
    from gate.lab.status import board_status

    found = board_status()
    if args.json:
        show.as_json([{**one._asdict(), "state": one.state} for one in found])
        return 0
    rows = [(one.notebook, one.board, one.state, f"{one.green or 0} of {one.rows}", *one.red[:1]) for one in found]
    green = sum(one.state == "green" for one in found)
    note = f"{green} of {len(found)} boards green, by {work_folder()}. A hint: gate lab hint BOARD 1"
    show.table("Boards", ("notebook", "board", "state", "rows green", "first red row"), rows, note)
    return 0


def _hint(args: argparse.Namespace) -> int:
    from gate.lab.board_file import load_board, one_hint

    text = one_hint(load_board(args.board), args.level)
    if args.json:
        show.as_json({"board": args.board, "level": args.level, "hint": text})
    else:
        show.line(text)
    return 0


def _reset(args: argparse.Namespace) -> int:
    from gate.lab.derive import chosen, restore, solution_paths

    written = restore(chosen(solution_paths(), args.notebooks))
    if args.json:
        show.as_json([{"path": _named(one.path), "kept": one.kept and _named(one.kept)} for one in written])
        return 0
    for one in written:
        kept = f"; yours is kept as {one.kept.name}" if one.kept else ""
        show.line(f"{_named(one.path)}: restored{kept}")
    if not written:
        show.line("Nothing to restore: the notebooks are as they were handed out.")
    return 0


def _named(path: Path) -> str:
    return path.relative_to(HOME).as_posix()
