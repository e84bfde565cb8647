"""The files that somebody handed in, as names and bytes: a zip or a folder, read within limits and nowhere else.

Whatever is in the way (a bomb, a name that leads out, a link, a file too large) is one `Unreadable` with a reason.

Not here: what the files mean (`collect`).
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from gate.errors import clip, escape

MAX_ENTRIES = 2_000
MAX_BYTES = 4_000_000  # of one file that is read
MAX_TOTAL = 32_000_000  # of all that is read
_ODD_NAME = re.compile(r"[\x00-\x1f\x7f\\:]")
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


class Unreadable(Exception):
    """Why a submission cannot be read; the text is for people, and ends with what to do."""


Files = dict[str, bytes]
Wanted = Callable[[str], bool]


def in_zip(path: Path, wanted: Wanted) -> Files:
    """Return the wanted files of a zip. Raises `Unreadable`."""
    try:
        if path.stat().st_size > MAX_TOTAL:
            raise Unreadable("the zip is too large. Next: clear the outputs, and hand in again.")
        with zipfile.ZipFile(path) as bundle:
            return _within(_zipped(bundle, wanted))
    except _BROKEN as error:
        raise Unreadable(f"the zip cannot be read ({type(error).__name__}). Next: pack it again.") from error


def in_folder(folder: Path, wanted: Wanted) -> Files:
    """Return the wanted files of a folder. Raises `Unreadable`."""
    try:
        return _within(_found(folder, wanted))
    except OSError as error:
        raise Unreadable(f"the folder cannot be read ({error.strerror}). Next: copy it again.") from error


def one_file(path: Path, name: str) -> Files:
    """Return one file under a name. Raises `Unreadable`."""
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"{_shown(path.name)} is no plain file. Next: hand in the file itself.")
    try:
        with path.open("rb") as file:
            return _within(iter([(name, file.read(MAX_BYTES + 1))]))
    except OSError as error:
        raise Unreadable(f"{_shown(path.name)} cannot be read ({error.strerror}). Next: copy it again.") from error


def _within(files: Iterator[tuple[str, bytes]]) -> Files:
    """Return files, as long as they are not too large, each alone and all together."""
    found, total = Files(), 0
    for name, data in files:
        total += len(data)
        if len(data) > MAX_BYTES or total > MAX_TOTAL:
            raise Unreadable(f"{_shown(name)} is too large. Next: clear the outputs, and hand in again.")
        if name in found:
            raise Unreadable(f"{_shown(name)} is there twice. Next: pack it again.")
        found[name] = data
    return found


def _zipped(bundle: zipfile.ZipFile, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    entries = bundle.infolist()
    if len(entries) > MAX_ENTRIES:
        raise Unreadable(f"there are more than {MAX_ENTRIES} files. Next: hand in the lab's files alone.")
    for entry in entries:
        _check_name(entry.filename)
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise Unreadable(f"{_shown(entry.filename)} is a link. Next: hand in the file itself.")
        if not entry.is_dir() and wanted(entry.filename):
            with bundle.open(entry) as file:
                yield entry.filename, file.read(MAX_BYTES + 1)


def _found(folder: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    count = 0
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted([*names, *folders]):
            path, count = Path(where, name), count + 1
            if count > MAX_ENTRIES:
                raise Unreadable(f"there are more than {MAX_ENTRIES} files. Next: hand in the lab's files alone.")
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink():
                raise Unreadable(f"{_shown(relative)} is a link. Next: hand in the file itself.")
            if path.is_file() and wanted(relative):
                with path.open("rb") as file:
                    yield relative, file.read(MAX_BYTES + 1)


def _check_name(name: str) -> None:
    """Refuse a name that leads out of the zip, on any system."""
    if name.startswith("/") or ".." in name.split("/") or _ODD_NAME.search(name):
        raise Unreadable(f"{_shown(name)} is a name that leads elsewhere. Next: pack it with gate submit.")


def _shown(name: str) -> str:
    return clip(escape(name), 80)
