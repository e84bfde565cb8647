"""`python -m gate` is `gate`."""

import sys

from gate.cli import main

sys.exit(main())
