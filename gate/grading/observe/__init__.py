"""What runs beside a student's code, in its kernel: it tries the code and prints one observation as JSON.

Nothing here knows what is right. Whatever it prints may be forged: it is compared and judged elsewhere.

Not here: the inputs (`probes`), the comparison (nbval), the verdict (`grade`).
"""

from gate.grading.observe.canonical import MAX_CHARS
from gate.grading.observe.observers import observe, show

#: The first cell of every sealed notebook. Later cells import anew: by then the name may be somebody else's.
SETUP = "from gate.grading.observe import show"

__all__ = ["MAX_CHARS", "SETUP", "observe", "show"]
