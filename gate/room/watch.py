"""The watched folder: finds the work folders below it, wherever a class keeps them, and reads each pair's standing.

    shared/ana/work/…      shared/pair-3/…      /home/*/gate-lab/work/…

A pair is named after the folders above its work folder. A folder called `work` counts while it is still empty.
Links are not followed.

Not here: one work folder (`standing`), what the class makes of it (`overview`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gate.errors import ConfigError, clip, escape
from gate.lab.plan import Lab
from gate.room.standing import Standing, standing

WORK = "work"
DEPTH, MAX_PAIRS = 4, 500
_SKIPPED = {".venv", ".cache", ".git", "node_modules", "__pycache__", "site-packages"}


def work_folders(watched: Path) -> dict[str, Path]:
    """Return the work folders below a folder by the pair's name, sorted; {} when nobody has begun.

    Raises `ConfigError` when the folder itself cannot be read. One below it that cannot be read is left out, unless it
    is called `work`: that is a pair's, begun or not.
    """
    try:
        list(os.scandir(watched))
    except OSError as error:
        raise ConfigError(f"{watched}: cannot be read ({error.strerror}). Next: name the shared folder.") from error
    found: dict[str, Path] = {}
    for folder in _holding_answers(watched, DEPTH):
        parts = [part for part in folder.relative_to(watched).parts if part != WORK] or [watched.name]
        name = clip(escape("/".join(parts)), 60)
        found[name if name not in found else f"{name} ({len(found)})"] = folder
        if len(found) == MAX_PAIRS:
            break
    return dict(sorted(found.items()))


def standings(watched: Path, lab: Lab) -> list[Standing]:
    """Return where every pair below a folder stands in a lab. Raises `ConfigError` as `work_folders` does."""
    return [standing(name, folder, lab) for name, folder in work_folders(watched).items()]


def _holding_answers(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the folders that hold answers, or that wait for them, not looking below one that does."""
    waits = folder.name == WORK and depth < DEPTH
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        inside = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False) and _may_hold(entry.name)]
    except OSError as error:  # somebody's private folder, or one that was removed just now
        if waits and not isinstance(error, FileNotFoundError):
            yield folder
        return
    if any(_is_answers(entry.name) for entry in entries):
        yield folder
        return
    for one in inside if depth else ():
        for found in _holding_answers(one, depth - 1):
            waits = False
            yield found
    if waits:
        yield folder


def _may_hold(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED


def _is_answers(name: str) -> bool:
    return name == "boards.json" or (name.startswith(("clock-", "table-")) and name.endswith(".json"))
