"""How hard the hard tests try: `GATE_HARD` multiplies the small budgets of `make test`; `make hard` sets 20.

Not here: what is tried (the other modules of this folder).
"""

from __future__ import annotations

import os

HARD = int(os.environ.get("GATE_HARD") or 1)
assert HARD >= 1, "GATE_HARD is a whole number from 1. Next: GATE_HARD=20 for all of it."


def times(small: int) -> int:
    """Return a small budget times `GATE_HARD`."""
    return small * HARD
