"""`gate submit`: pack what a student wrote into one file, and say what is missing."""

from __future__ import annotations

import argparse

from gate.commands import show

HELP = "pack your answers into one file, and say what is missing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="such as memory, or memory/03 (default: all)")
    parser.add_argument("--pair", default="", help="who hands this in")
    parser.add_argument("--out", metavar="FILE", help="where to write it (default: submission.zip in the work folder)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Write the file; exit 1 when something is missing from it."""
    from gate.files import write_whole
    from gate.lab.answers import work_folder
    from gate.lab.derive import chosen, solution_paths
    from gate.lab.submission import collect

    submission = collect(chosen(solution_paths(), args.notebooks), args.pair)
    path = args.out or work_folder() / "submission.zip"
    write_whole(path, submission.packed())
    if args.json:
        show.as_json({"path": str(path), "files": sorted(submission.files), "missing": submission.missing})
        return 1 if submission.missing else 0
    for line in submission.missing:
        show.line(f"missing  {line}")
    count = len(submission.missing)
    verdict = f"{count} missing; it can be handed in all the same" if count else "complete"
    show.line(f"{path}: {len(submission.files)} files, {verdict}.")
    return 1 if submission.missing else 0
