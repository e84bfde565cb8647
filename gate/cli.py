"""`gate …` and `python -m gate …`: finds the command, runs it, and turns a misconfigured kit into one clear line.

Not here: what a command does (`gate.commands`, one module each).
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence

import gate.commands
from gate.errors import GateError, clip, quote

_HELPERS = {"show"}


def command_names() -> list[str]:
    """Return the names of all commands, as typed after `gate`."""
    return sorted(_modules())


def _modules() -> dict[str, str]:
    """Return the module of each command (named with a last `_` if Python keeps the name); a folder holds actions."""
    found = {module.name for module in pkgutil.iter_modules(gate.commands.__path__) if not module.ispkg} - _HELPERS
    return {name.rstrip("_"): f"gate.commands.{name}" for name in found}


def build_parser(names: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser with the given commands; only their modules are imported."""
    parser = argparse.ArgumentParser(
        prog="gate",
        description="No tool call runs, and no tool result enters memory, until a frozen contract accepts it.",
    )
    modules = _modules()
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in names:
        module = importlib.import_module(modules[name])
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _reopen_closed() -> None:
    """Open what a caller has closed (`>&-`) as nothing: the next file would take its number, and get what is told."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - to the end


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 clean, 1 refused, 2 misconfigured or wrongly called."""
    words = list(sys.argv[1:] if argv is None else argv)
    names = command_names()
    wanted = [name for name in names if name in words[:1]] or names
    try:
        _reopen_closed()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        args = build_parser(wanted).parse_args(words)
        status = int(args.run(args))
        sys.stdout.flush()  # here, where a reader that has gone is no fault
        return status
    except GateError as error:
        print(f"gate: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader closed the pipe (`gate … | head`): say nothing, and nothing at shutdown either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        use = "make lab once, then .venv/bin/gate (Windows: .venv\\Scripts\\gate)"
        print(f"gate: {error.name} is not installed for {sys.executable}. Next: {use}.", file=sys.stderr)
        return 2
    except Exception as error:
        if os.environ.get("GATE_TRACEBACK"):
            raise
        if isinstance(error, OSError) and error.strerror:
            about = f"{quote(str(error.filename), 200)}: " if error.filename else ""
            print(f"gate: {about}{error.strerror}. Next: mend that, and run the same command again.", file=sys.stderr)
            return 2
        shown = clip(f"{type(error).__name__}: {error}", 200)
        print(f"gate: a fault of the kit itself ({shown}). Next: set GATE_TRACEBACK=1 to see where.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gate: stopped.", file=sys.stderr)
        return 130
