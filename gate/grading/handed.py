"""What the files of one submission say: answer cells by notebook and id, the JSON of `work/`, and the manifest.

    manifest.json                           made by gate submit: format, kit, contracts, pair, hashes
    notebooks/memory/03_fail_closed.json    {answer cell id: source}, or
    …/03_fail_closed.ipynb                  a notebook anywhere, known by its lab and section, or by its cell ids
    notebooks/solutions/…                   ours, in a copy of the whole kit: not read
    work/table-memory.json

Not here: reading the files (`files`), finding the submissions (`collect`).
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import itertools
import json
from pathlib import PurePosixPath
from typing import Any

from gate.errors import Finding, clip, quote
from gate.grading.exercises import notebooks, solution
from gate.grading.files import MAX_BYTES, Files, Unreadable
from gate.grading.words import Submitted
from gate.lab.derive import Cell, exercise_cells
from gate.lab.names import defined
from gate.lab.submission import FORMAT, KIT_NAME, MAX_CELL, left_behind
from gate.payload import read

_NOT_READ = (".", "clock-", "submission")
_MOST_CELLS, _MOST_TEXT = 200, 300_000  # of a notebook, and characters in them, in which names are looked for
_KEPT = (".kept-", ".broken-", ".version-")


def wanted(name: str) -> bool:
    """Say whether a file of a submission is read: notebooks, answers as data, the JSON of `work/`, the manifest.

    >>> wanted("work/table-memory.json"), wanted("conftest.py")
    (True, False)
    """
    path = PurePosixPath(name)
    if any(part.startswith(_NOT_READ) for part in path.parts) or any(mark in path.name for mark in _KEPT):
        return False
    if ("notebooks", "solutions") in itertools.pairwise(path.parts):
        return False
    return path.suffix == ".ipynb" or (path.suffix == ".json" and _place(path) is not None)


def submission(student: str, source: str, files: Files) -> Submitted:
    """Return what was handed in. Raises `Unreadable` for what makes all of it doubtful."""
    cells: dict[str, dict[str, str]] = {}
    work, notes = dict[str, Any](), list[str]()
    for name, data in files.items():
        path = PurePosixPath(name)
        if path.suffix == ".ipynb" and not data.strip() and not any(_is_at(path, known) for known in notebooks()):
            notes.append(f"{quote(name)} is empty")
            continue
        document = _notebook(name, data) if path.suffix == ".ipynb" else _json(name, data)
        place = _place(path)
        if path.suffix == ".ipynb":
            notebook, found = _known(path, document)
            if notebook is None:
                notes.append(f"{quote(name)} is none of the lab's notebooks")
            else:
                texts = _texts_of(document["cells"])
                notes += (f"{notebook}: {told}" for told in left_behind(found, solution(notebook), texts))
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
    folders = [number for number, part in enumerate(parts) if part in ("work", "notebooks")]
    if folders:
        inner = parts[folders[-1] :]  # the last: a student may keep all of the kit in a folder of such a name
        known = inner[0] == "work" or "/".join(inner[1:]).removesuffix(".json") in notebooks()
        return "/".join(inner) if known else None
    return path.name if path.name == "manifest.json" and len(parts) <= 2 else None  # noqa: PLR2004 - one folder around


def _json(name: str, data: bytes) -> dict[str, Any]:
    document = read(data, max_bytes=MAX_BYTES, max_depth=100)
    if isinstance(document, Finding):
        raise Unreadable(f"{quote(name)} cannot be read: {clip(document.message, 120)} Next: save it again.")
    return document


def _notebook(name: str, data: bytes) -> dict[str, Any]:
    """Return a notebook. Of its outputs nothing is taken, so that numbers and texts in them may be what they like."""
    try:
        document = json.loads(data.decode("utf-8-sig"), parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise Unreadable(f"{quote(name)} cannot be read: it is no JSON. Next: save it again in Jupyter.")
    return document


def _known(path: PurePosixPath, document: dict[str, Any]) -> tuple[str | None, dict[str, str]]:
    """Return which of our notebooks a notebook is, by its place or by most of its cell ids, and its answer cells."""
    cells = document.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise Unreadable(f"{quote(path.name)} is no notebook. Next: save it in Jupyter, and hand in again.")
    ids = {id for cell in cells if (id := _id(cell))}
    shared = {name: len(known & ids) for name, known in notebooks().items()}
    placed = next((name for name in shared if _is_at(path, name)), None)
    likeliest = max(shared, key=lambda one: shared[one])
    name = placed if placed and (shared[placed] or not shared[likeliest]) else likeliest
    ours = exercise_cells(solution(name))
    if shared[name]:
        return name, _answers(path.name, cells, {cell["id"] for cell in ours})
    return (name, _by_names(cells, ours)) if placed else (None, {})


def _is_at(path: PurePosixPath, name: str) -> bool:
    """Say whether a path is a notebook's: `memory/03_fail_closed.ipynb`, or `ann-03_fail_closed.ipynb`."""
    lab, _, section = name.partition("/")
    return path.parts[-2:] == (lab, f"{section}.ipynb") or section in path.stem


def _id(cell: Cell) -> str | None:
    """Return the id of a cell; Colab keeps it in the metadata."""
    about = cell.get("metadata")
    id = cell.get("id") or (about.get("id") if isinstance(about, dict) else None)
    return id if isinstance(id, str) else None


def _by_names(cells: list[Cell], ours: list[Cell]) -> dict[str, str]:
    """Return the answers of a notebook that has lost our ids, as older programs save it: by the name they define.

    A name that several cells define answers nothing: nobody could say which of them counts.
    """
    made = [(text, defined(text)) for text in _texts_of(cells)]
    found: dict[str, str] = {}
    for cell in ours:
        name = (defined(cell["source"]) or [""])[-1]  # the one that is asked for stands last
        mine = [text for text, names in made if name in names]
        if len(mine) == 1:
            found[cell["id"]] = mine[0]
    return found


def _answers(name: str, cells: list[Cell], ours: set[str]) -> dict[str, str]:
    """Return the code cells that are answer cells of ours. Raises `Unreadable` for an id that is there twice."""
    found: dict[str, str] = {}
    for cell in cells:
        id = _id(cell)
        if id is None or id not in ours:
            continue
        if id in found:
            raise Unreadable(f"{quote(name)} has the cell {id} twice. Next: delete the one that does not count.")
        found[id] = _text(cell)
    return {id: text for id, text in found.items() if text}


def _texts_of(cells: list[Cell]) -> list[str]:
    """Return the code of a notebook, no more of it than is looked through in a moment."""
    texts = [text for cell in cells[:_MOST_CELLS] if 0 < len(text := _text(cell)) <= MAX_CELL]
    sizes = itertools.accumulate(map(len, texts))
    return [text for text, size in zip(texts, sizes, strict=True) if size <= _MOST_TEXT]


def _text(cell: Cell) -> str:
    """Return the source of a code cell, "" for any other."""
    source = cell.get("source")
    text = "".join(source) if isinstance(source, list) and all(isinstance(line, str) for line in source) else source
    return text if isinstance(text, str) and cell.get("cell_type") == "code" else ""


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
