"""`gate contract lint|freeze|diff|import|page`: vet, freeze, compare, import and print contracts.

Not here: what an action does (`gate.commands.contracts`, one module each).
"""

from __future__ import annotations

import argparse

from gate.commands.contracts import diff, freeze, importing, lint, page

HELP = "vet, freeze, compare, import and print contracts"
_ACTIONS = {"lint": lint, "freeze": freeze, "diff": diff, "import": importing, "page": page}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, module in _ACTIONS.items():
        action = actions.add_parser(name, help=module.HELP, description=module.HELP)
        module.arguments(action)
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    return int(_ACTIONS[str(args.action)].run(args))
