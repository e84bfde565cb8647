"""What the files of one submission say: answer cells by notebook and id, the JSON of `work/`, and the manifest.

    manifest.json                           made by gate submit: format, kit, contracts, pair, hashes
    notebooks/memory/03_fail_closed.json    {answer cell id: source}, or
    …/03_fail_closed.ipynb                  a notebook anywhere, known by its lab and section, or by its cell ids
    work/table-memory.json

Not here: reading the files (`files`), finding the submissions (`collect`).
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from pathlib import PurePosixPath
from typing import Any

from gate.errors import Finding, clip, quote
from gate.grading.exercises import notebooks, solution
from gate.grading.files import MAX_BYTES, Files, Unreadable
from gate.grading.words import Submitted
from gate.lab.derive import Cell, exercise_cells
from gate.lab.submission import FORMAT, KIT_NAME
from gate.payload import read

_NOT_READ = (".", "clock-", "submission")
_KEPT = (".kept-", ".broken-", ".version-")


def wanted(name: str) -> bool:
    """Say whether a file of a submission is read: notebooks, answers as data, the JSON of `work/`, the manifest.

    >>> wanted("work/table-memory.json"), wanted("conftest.py")
    (True, False)
    """
    path = PurePosixPath(name)
    if any(part.startswith(_NOT_READ) for part in path.parts) or any(mark in path.name for mark in _KEPT):
        return False
    return path.suffix == ".ipynb" or (path.suffix == ".json" and _place(path) is not None)


def submission(student: str, source: str, files: Files) -> Submitted:
    """Return what was handed in. Raises `Unreadable` for what makes all of it doubtful."""
    cells: dict[str, dict[str, str]] = {}
    work, notes = dict[str, Any](), list[str]()
    for name, data in files.items():
        path, document = PurePosixPath(name), _json(name, data)
        place = _place(path)
        if path.suffix == ".ipynb":
            notebook, found = _known(path, document)
            if notebook is None:
                notes.append(f"{quote(name)} is none of the lab's notebooks")
        elif place == "manifest.json":
            notes += _manifest(document, files)
            continue
        elif place and place.startswith("work/"):
            work[place.removeprefix("work/")] = document
            continue
        else:
            notebook, found = str(place).removeprefix("notebooks/").removesuffix(".json"), _texts(name, document)
        if notebook in cells:
            raise Unreadable(f"{notebook} was handed in twice. Next: hand in one of them.")
        if notebook is not None:
            cells[notebook] = found
    if not cells and not work:
        raise Unreadable("nothing of the lab is in it. Next: hand in what gate submit packs.")
    return Submitted(student, source, cells, work, tuple(notes))


def _place(path: PurePosixPath) -> str | None:
    """Return where a JSON file stands in a submission, from `work`, `notebooks` or the manifest on, or None."""
    parts = path.parts
    for folder in ("work", "notebooks"):
        if folder in parts:
            inner = parts[parts.index(folder) :]
            known = folder == "work" or "/".join(inner[1:]).removesuffix(".json") in notebooks()
            return "/".join(inner) if known else None
    return path.name if path.name == "manifest.json" and len(parts) <= 2 else None  # noqa: PLR2004 - one folder around


def _json(name: str, data: bytes) -> dict[str, Any]:
    document = read(data, max_bytes=MAX_BYTES, max_depth=100)
    if isinstance(document, Finding):
        raise Unreadable(f"{quote(name)} cannot be read: {clip(document.message, 120)} Next: save it again.")
    return document


def _known(path: PurePosixPath, document: dict[str, Any]) -> tuple[str | None, dict[str, str]]:
    """Return which of our notebooks a notebook is, by its place or by most of its cell ids, and its answer cells."""
    cells = document.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise Unreadable(f"{quote(path.name)} is no notebook. Next: save it in Jupyter, and hand in again.")
    ids = [str(cell.get("id")) for cell in cells]
    placed = "/".join(path.with_suffix("").parts[-2:])
    shared = {name: len(known.intersection(ids)) for name, known in notebooks().items()}
    name = placed if placed in shared else max(shared, key=lambda one: shared[one])
    if not shared[name]:
        return None, {}
    return name, _answers(path.name, cells, {cell["id"] for cell in exercise_cells(solution(name))})


def _answers(name: str, cells: list[Cell], ours: set[str]) -> dict[str, str]:
    """Return the code cells that are answer cells of ours. Raises `Unreadable` for an id that is there twice."""
    found: dict[str, str] = {}
    for cell in cells:
        id, source = cell.get("id"), cell.get("source")
        if not isinstance(id, str) or id not in ours:
            continue
        if id in found:
            raise Unreadable(f"{quote(name)} has the cell {id} twice. Next: delete the one that does not count.")
        text = "".join(source) if isinstance(source, list) and all(isinstance(line, str) for line in source) else source
        found[id] = text if isinstance(text, str) and cell.get("cell_type") == "code" else ""
    return {id: text for id, text in found.items() if text}


def _texts(name: str, document: dict[str, Any]) -> dict[str, str]:
    if not all(isinstance(text, str) for text in document.values()):
        raise Unreadable(f"{quote(name)} holds no cells. Next: pack it with gate submit.")
    return document


def _manifest(document: dict[str, Any], files: Files) -> list[str]:
    """Return notes on a manifest. Raises `Unreadable` for another format, or another version of the kit."""
    if document.get("format") != FORMAT:
        raise Unreadable("it was packed in another format. Next: pack it again with today's kit.")
    theirs, ours = str(document.get("kit")), importlib.metadata.version(KIT_NAME)
    if theirs.split(".")[:2] != ours.split(".")[:2]:
        raise Unreadable(f"it was made with kit {quote(theirs)}, this is {ours}. Next: hand in again with this kit.")
    listed = document.get("files")
    changed = [
        name
        for name, data in files.items()
        if isinstance(listed, dict) and name in listed and listed[name] != hashlib.sha256(data).hexdigest()
    ]
    pair = document.get("pair")
    notes = [f"handed in by {quote(pair)}"] if isinstance(pair, str) and pair else []
    return [*notes, *(f"{quote(name)} was changed after it was packed" for name in changed)]
