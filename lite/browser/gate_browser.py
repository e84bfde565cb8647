"""Makes the browser's Python a place where the kit works, before the kernel itself is loaded.

The kit lies in `site-packages`, made anew for each kernel; notebooks and answers lie on `/drive`, which the browser
keeps. The stand-in for `piplite` calls this: it is the first thing that a kernel imports.

Not here: the drive itself. JupyterLite mounts it where a page may have a service worker: over https, or on the same
machine.
"""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path

DRIVE = Path("/drive")
UNKEPT = Path("/nothing is kept without https")


def prepare() -> None:
    """Do all of it, and import what the first cells import: a person reads meanwhile."""
    search_the_drive_last(sys.path)
    sys.modules["fcntl"] = no_locks()
    if DRIVE.is_dir():
        os.environ["GATE_WORK"] = str(DRIVE / "work")
        join_notebooks(Path(__file__).parent, DRIVE)
    else:
        refuse_to_forget(UNKEPT)
    import anywidget  # noqa: F401
    import filelock  # noqa: F401 - it keeps our `fcntl`; the kernel puts an empty one in its place later
    import jsonschema  # noqa: F401

    import gate.lab  # noqa: F401


def search_the_drive_last(places: list[str]) -> None:
    """Look for modules in the notebook's folder last: each look there is a request to the page.

    >>> places = ["", "/lib/python314.zip"]
    >>> search_the_drive_last(places)
    >>> places
    ['/lib/python314.zip', '']
    """
    places[:] = [*(place for place in places if place), ""]


def no_locks() -> types.ModuleType:
    """Return a stand-in for `fcntl` that lets a lock on a file always be had.

    Without it there would be lock files, and one would stay for ever when a tab is closed. Does not catch: two tabs
    that save the same answer at the same moment; the later one counts.
    """
    fcntl = types.ModuleType("fcntl")
    names = {"LOCK_SH": 1, "LOCK_EX": 2, "LOCK_NB": 4, "LOCK_UN": 8, "flock": lambda file, how: None}
    fcntl.__dict__.update(names)
    return fcntl


def join_notebooks(kit: Path, drive: Path) -> None:
    """Let the kit find the notebooks that a person works in: `gate submit` collects their cells."""
    for solutions in (kit / "notebooks" / "solutions").iterdir():
        mine = kit / "notebooks" / solutions.name
        mine.symlink_to(drive / "notebooks" / solutions.name, target_is_directory=True)


def refuse_to_forget(unkept: Path) -> None:
    """Put the answers where nothing can be written: every table, clock and board then says that it was not saved."""
    unkept.touch()
    os.environ["GATE_WORK"] = str(unkept / "work")
