"""The probes of every exercise: hidden inputs, made from a seed, and what is right, found outside the student's kernel.

Not here: what runs in the student's kernel (`observe`).
"""

from gate.grading.probes.all import KNOWN, cases
from gate.grading.probes.words import Case, Judge, Probe

__all__ = ["KNOWN", "Case", "Judge", "Probe", "cases"]
