"""The classroom: what a notebook's first cell imports.

    from gate.lab import board, clock, hint, reference, refused, table

`clock` shows the time of a section, `table` a decision table, `board` runs rules against the student's code, `hint`
and `reset` belong to it, `refused` and `allowed` show one call and fail if it went the other way, `reference` helps who
fell behind, `submit` packs the answers. Nothing here is needed by the gate itself; widgets are loaded only when
something is shown.
"""

from __future__ import annotations

# These names are functions. Some stand for the modules of the same name too, so they are bound here, at once: bound
# later, an import of `gate.lab.clock` elsewhere would put the module in the function's place.
from gate.lab.board import board, hint, reset
from gate.lab.clock import clock
from gate.lab.reference import reference
from gate.lab.show import allowed, refused
from gate.lab.submit import submit
from gate.lab.table import compare, table

__all__ = ["allowed", "board", "clock", "compare", "hint", "reference", "refused", "reset", "submit", "table"]
