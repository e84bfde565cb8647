"""Start here: `python bootstrap.py lab` opens the lab, `python bootstrap.py test` runs the tests.

Only the standard library, and only syntax that an old Python can read, so that it can say that it is too old.
What the commands do stands in `start/commands.py`; `make lab` and `make test` call this file.
"""

import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        "The lab needs Python 3.11 or newer; this is Python %d.%d (%s). "
        "Next: install a newer one and name it: make lab PYTHON=python3.12, or python3.12 bootstrap.py lab.\n"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )
    sys.exit(2)

# Only now: an old Python could not even read what follows.
from start.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
