"""A folder of submissions as data: zips made by `gate submit`, folders in our layout or in nbgrader's, bare notebooks.

    submissions/ann.zip                                       made by gate submit
    submissions/bob/notebooks/memory/03_fail_closed.ipynb     a copy of the kit's folder, with work/ beside notebooks/
    submissions/eve/memory/03_fail_closed.ipynb               nbgrader: submitted/<student>/<assignment>/
    submissions/joe-03_fail_closed.ipynb                      a notebook alone, of whom the name says

Of a notebook only our answer cells are taken, by their ids. A submission that cannot be read is one all the same, with
the reason as its `problem`; the others go on.

Not here: limits and names of files (`files`), what an answer cell may hold (`inspect`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from gate.errors import ConfigError, quote
from gate.grading.exercises import notebooks
from gate.grading.files import Files, Unreadable, in_folder, in_zip, one_file
from gate.grading.handed import submission, wanted
from gate.grading.words import Submitted

_PACKED = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tbz", ".tgz", ".txz", ".xz", ".zst"}  # by whoever did not read on
_OF_ONE = {"notebooks", "work", "manifest.json"}  # a folder with one of these is a student's, not a class's


def collect(folder: Path) -> list[Submitted]:
    """Return the submissions in a folder, sorted by student. A single zip, notebook or student's folder will do too.

    Raises `ConfigError` when there is no such place, or nothing in it is a submission.
    """
    if not folder.exists():
        raise ConfigError(f"{folder} is not there. Next: name the folder of submissions.")
    found = [_submitted(_text(student), _text(source), read) for student, source, read in _places(folder)]
    if not found:
        raise ConfigError(f"{folder} holds no zip, notebook or folder of a student. Next: put the submissions there.")
    return _named_apart(sorted(found, key=lambda one: (one.student, one.source)))


Read = Callable[[], Files]
Place = tuple[str, str, Read]


def _places(folder: Path) -> Iterator[Place]:
    """Yield (student, source, how to read it) for every submission."""
    if folder.is_file():
        yield from _entry(folder)
    elif (folder / "submitted").is_dir():
        yield from _places(folder / "submitted")
    elif any((folder / name).exists() for name in _OF_ONE):
        yield _whole(folder)
    else:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
        own = [path for path in entries if path.suffix == ".ipynb" and path.stem in _sections()]
        if own:
            yield folder.resolve().name, str(folder), lambda: _together(own)
        for paths in _by_student([path for path in entries if path not in own]):
            if len(paths) > 1:
                yield _student(paths[0].stem), paths[0].name, functools.partial(_together, paths)
            else:
                yield from _entry(paths[0])


def _by_student(entries: list[Path]) -> list[list[Path]]:
    """Return entries with the notebooks of one student together, if each of them is another section."""
    groups: dict[str, list[Path]] = {}
    for path in entries:
        of = _student(path.stem) if path.suffix == ".ipynb" and _section(path.stem) else None
        groups.setdefault(of or f"/{path.name}", []).append(path)
    found = list[list[Path]]()
    for paths in groups.values():
        different = len({_section(path.stem) for path in paths}) == len(paths)
        found += [paths] if different else [[path] for path in paths]
    return found


def _entry(path: Path) -> Iterator[Place]:
    """Yield the submission that one entry of a class's folder is, if it is one."""
    if path.is_symlink():
        yield path.stem, path.name, lambda: one_file(path, path.name)  # which refuses it
    elif path.suffix.lower() == ".zip":
        yield path.stem, path.name, lambda: in_zip(path, wanted)
    elif path.suffix.lower() in _PACKED or (".ipynb" in path.name.lower() and path.suffix != ".ipynb"):
        yield path.name, path.name, _unpackable
    elif path.suffix == ".ipynb":
        yield _student(path.stem), path.name, lambda: one_file(path, path.name)
    elif path.is_dir():
        yield _whole(path)


def _unpackable() -> Files:
    raise Unreadable("it is no zip, notebook or folder. Next: unpack or rename it, and grade again.")


def _whole(folder: Path) -> Place:
    return folder.resolve().name, folder.name, lambda: in_folder(folder, wanted)


def _together(paths: list[Path]) -> Files:
    return {name: data for path in paths for name, data in one_file(path, path.name).items()}


def _sections() -> set[str]:
    return {name.partition("/")[2] for name in notebooks()}


def _student(stem: str) -> str:
    """Return whose a notebook is by its name: what is left of it without the section.

    >>> _student("ann-03_fail_closed"), _student("ann")
    ('ann', 'ann')
    """
    section = _section(stem)
    return stem.replace(section, "").strip(" ._-") or stem if section else stem


def _section(stem: str) -> str:
    """Return the section that the name of a notebook has in it, or an empty text."""
    return next((one for one in sorted(_sections(), key=len, reverse=True) if one in stem), "")


def _text(name: str) -> str:
    """Return a file's name as text that can be written and shown: some are no UTF-8, some would move a cursor.

    >>> _text("ann\\x1b[2J")
    'ann\\\\x1b[2J'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)


def _submitted(student: str, source: str, read: Read) -> Submitted:
    try:
        return submission(student, source, read())
    except Unreadable as error:
        return Submitted(student, source, problem=str(error))


def _named_apart(found: list[Submitted]) -> list[Submitted]:
    """Return submissions with names of their own: of two with one name the second is told by its source."""
    taken, apart = {one.student for one in found}, list[Submitted]()
    first = set[str]()
    for one in found:
        if one.student in first:
            note = f"another submission is named {quote(one.student)} too"
            free = next(name for n in count(2) if (name := f"{one.student}-{n}") not in taken)
            one = replace(one, student=free, notes=(*one.notes, note))
        taken.add(one.student)
        first.add(one.student)
        apart.append(one)
    return apart
