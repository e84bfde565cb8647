"""What `gate doctor` says about grading on this machine.

Not here: what a protection is (`protect`).
"""

from __future__ import annotations

from gate.grading.protect import words, working
from gate.lab.doctor import Look


def grading() -> Look:
    """What would keep students' code apart here? Nothing is no fault of a machine that does not grade."""
    return Look("grading", True, words(working()[0])[0])
