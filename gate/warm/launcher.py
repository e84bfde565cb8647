"""What the fork server is started with: as a file, so that nothing beside a notebook can stand in for a module.

Not here: what the server does (`server`).
"""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # this folder
    from gate.warm.server import main

    main(int(sys.argv[1]), sys.argv[2:])
