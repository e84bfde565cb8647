"""The commands of `gate`, one module each. `gate.cli` finds them by name.

A command module has `HELP` (one line), `arguments(parser)` and `run(args) -> int`, the exit status: 0 allowed or clean,
1 refused or a finding, 2 the kit is misconfigured. It prints through `show`, so that `--json` works everywhere.
"""
