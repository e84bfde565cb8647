"""What of the grader's tests is for this machine."""

from __future__ import annotations

from gate.grading import protect
from gate.grading.box import works

collect_ignore = [] if works(protect.working()[0]) else ["test_quick.py"]  # no box, no quick look
