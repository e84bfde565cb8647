"""The first code cell of every notebook: it finds the kit, or says in three red lines what to do.

A package named `gate` on the package index is something else; it has no `gate.lab`, so this cell notices it too.

Not here: what is wrong with the machine (`gate doctor`).
"""

from __future__ import annotations

import re

TEXT = """\
try:
    from gate.lab import {names}
except ImportError as error:  # this kernel does not see the kit: three lines instead of a traceback
    error._render_traceback_ = lambda: [
        "\\x1b[31mThis kernel does not see the kit (package gate-lab, import name gate).",
        "In a terminal in the kit's folder run: make lab",
        "Then choose Kernel > Restart Kernel, and run this cell again.\\x1b[0m",
    ]
    raise
clock("{lab}", "{section}")"""


def first_cell(lab: str, section: str, *names: str) -> str:
    """Return the first cell of a notebook that uses these names of `gate.lab`, `clock` always among them.

    >>> first_cell("memory", "03_fail_closed", "board").splitlines()[1]
    '    from gate.lab import board, clock'
    """
    return TEXT.format(names=", ".join(sorted({*names, "clock"})), lab=lab, section=section)


def names_in(source: str) -> list[str]:
    """Return the names that a first cell imports, [] if it imports none."""
    found = re.search(r"^    from gate\.lab import (.+)$", source, re.MULTILINE)
    return found[1].split(", ") if found else []
