"""`gate bundle`: the kit and its packages in one zip, for rooms without a network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gate.bundle import PYTHONS, SYSTEMS, bundle, here
from gate.commands import show
from gate.errors import ConfigError

HELP = "one zip for rooms without a network: the kit and all its packages, for the machines you name"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    parser.add_argument("--out", type=Path, default=Path("gate-lab-offline.zip"), metavar="ZIP", help="(%(default)s)")
    parser.add_argument(
        "--for", dest="systems", action="append", metavar="SYSTEM", help=f"{', '.join(SYSTEMS)} (default: this one)"
    )
    parser.add_argument(
        "--python", dest="pythons", action="append", metavar="3.X", help=f"{', '.join(PYTHONS)} (default: {mine})"
    )
    parser.add_argument("--model", action="store_true", help="the local model, too (127 MB more)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 0 when the bundle is whole."""
    systems = args.systems or [here()]
    pythons = args.pythons or [f"{sys.version_info[0]}.{sys.version_info[1]}"]
    for python in pythons:
        if python not in PYTHONS:
            raise ConfigError(f"the kit's pins are not for Python {python}. Next: one of {', '.join(PYTHONS)}.")
    quiet = (lambda text: None) if args.json else show.line
    wheels = bundle(args.out, systems, pythons, model=args.model, tell=quiet)
    size = args.out.stat().st_size // 10**6
    if args.json:
        show.as_json({"file": str(args.out), "wheels": wheels, "megabytes": size, "for": systems, "pythons": pythons})
    else:
        show.line(f"{args.out}: the kit and {wheels} packages, {size} MB.")
        show.line("Next: unpack it on a machine without a network, and there: make lab (Windows: py bootstrap.py lab).")
    return 0
