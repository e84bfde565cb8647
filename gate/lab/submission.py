"""A submission: what a student wrote, as data in one zip. Answer cells by their ids, and the JSON in `work/`.

    manifest.json                         format, kit version, contract lock, pair, labs, notebooks, sha256 of each file
    notebooks/memory/03_fail_closed.json  {answer cell id: source}
    work/table-memory.json                as it was saved

The same work gives the same bytes: there is no time in it. How long anyone took is left out: speed is not graded.

Not here: judging it. Whoever does must not trust it; a hash says what was handed in, not who wrote it.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gate.errors import ConfigError, clip, counted
from gate.files import HOME, read_json
from gate.lab.answers import work_folder
from gate.lab.ballot import complete, open_rows
from gate.lab.ballot import read as ballot
from gate.lab.derive import Notebook, exercise_cells, learner_path, read_notebook
from gate.lab.exercise import stub
from gate.lab.names import borrowed
from gate.lab.sheet import load_sheet
from gate.lab.status import board_status

FORMAT = 1
KIT_NAME = "gate-lab"  # of the distribution, whose version a manifest names
AS_HANDED_OUT = "is as it was handed out"
MAX_CELL = 20_000  # characters
MAX_FILE = 262_144  # bytes
MAX_FILES = 200
_LEFT_OUT = ("clock-", "submission", ".")  # times, earlier submissions, hidden files
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say


class Submission(NamedTuple):
    """What is handed in: the text of each file by its name, and what is `missing`, in words."""

    files: dict[str, str]
    missing: tuple[str, ...]

    def packed(self) -> bytes:
        """Return the zip, not compressed, so that the same files give the same bytes on every machine."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as bundle:
            for name in sorted(self.files):
                entry = zipfile.ZipInfo(name, _DATE)
                entry.create_system, entry.external_attr = 3, 0o600 << 16  # the same on every system
                bundle.writestr(entry, self.files[name])
        return data.getvalue()


def collect(solutions: Iterable[Path], pair: str = "", work: Path | None = None, home: Path = HOME) -> Submission:
    """Return the submission for the notebooks whose solutions are given: answer cells, answers, fixtures.

    Missing is: a notebook or cell that is not there, a stub that was not replaced, a name that only a cell of the
    student's own makes, a board that is not green, a file that is too large or no JSON. It is handed in all the same,
    without that part.
    """
    missing: list[str] = []
    files: dict[str, str] = {}
    names = []
    for solution in solutions:
        name = f"{solution.parent.name}/{solution.stem}"
        names.append(name)
        files[f"notebooks/{name}.json"] = _text(_cells(name, solution, work or work_folder(), missing))
    files.update(_work_files(work or work_folder(), missing))
    missing += _unfinished_boards(names, home)
    manifest = {
        "format": FORMAT,
        "kit": _kit_version(),
        "contracts": hashlib.sha256((home / "schemas" / "contracts.lock.json").read_bytes()).hexdigest(),
        "pair": clip(pair, 200),
        "labs": sorted({name.split("/")[0] for name in names}),
        "notebooks": names,
        "files": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
    }
    return Submission({**files, "manifest.json": _text(manifest)}, tuple(missing))


def _cells(name: str, solution: Path, work: Path, missing: list[str]) -> dict[str, str]:
    """Return the answer cells of the learner's copy, by id."""
    path = learner_path(solution)
    if not path.exists():
        missing.append(f"{name}: the notebook is not there (gate lab reset {name} brings it back)")
        return {}
    try:
        cells = read_notebook(path)["cells"]
    except ConfigError as error:
        missing.append(f"{name}: {error}")
        return {}
    written = {cell.get("id"): cell["source"] for cell in cells if cell["cell_type"] == "code"}
    found: dict[str, str] = {}
    for cell in exercise_cells(read_notebook(solution)):
        source, answer = written.get(cell["id"]), f"{name}: the answer cell {cell['id']}"
        if source is None or len(source) > MAX_CELL:
            missing.append(f"{answer} is {'not there' if source is None else 'too long'}")
            continue
        if source == stub(cell["source"]) and not _filled_in(cell["source"], solution.parent.name, work):
            missing.append(f"{answer} {AS_HANDED_OUT}")
        found[cell["id"]] = source
    missing += (f"{name}: {told}" for told in left_behind(found, read_notebook(solution), written.values()))
    return found


def _filled_in(answer: str, lab: str, work: Path) -> bool:
    """Say whether a cell that chooses rows of the lab's table is not needed: the table was filled in by hand."""
    if ".choose(" not in answer:
        return False
    try:
        sheet = load_sheet(lab)
        return not open_rows(complete(ballot(work / f"table-{lab}.json"), sheet), sheet)
    except ConfigError:
        return False


def left_behind(answers: Mapping[str, str], solution: Notebook, written: Iterable[str]) -> Iterator[str]:
    """Yield in words what answers need of cells that a student added or changed: those are not handed in.

    `answers` are by cell id, `written` the text of all code cells of the student's notebook.
    """
    exercises = {cell["id"] for cell in exercise_cells(solution)}
    code = [cell for cell in solution["cells"] if cell["cell_type"] == "code"]
    ours = [cell["source"] for cell in code if cell["id"] not in exercises]
    for id, names in borrowed(answers, ours, written).items():
        yield f"what {id} needs of a cell of your own, {', '.join(names)}: move it into that answer cell"


def _work_files(work: Path, missing: list[str]) -> dict[str, str]:
    """Return the JSON in the answers folder, by its name in the submission."""
    found: dict[str, str] = {}
    for path in _json_files(work):
        name = path.relative_to(work).as_posix()
        if len(found) >= MAX_FILES:
            missing.append(f"{name} and what follows: more than {MAX_FILES} files")
            break
        try:
            found[f"work/{name}"] = _text(read_json(path, max_bytes=MAX_FILE))
        except ConfigError as error:
            missing.append(f"{name}: {error.findings[0].message if error.findings else error}")
    return found


def _json_files(work: Path) -> Iterator[Path]:
    for path in sorted(work.rglob("*.json")):
        parts = path.relative_to(work).parts
        if path.is_file() and not path.is_symlink() and not any(part.startswith(_LEFT_OUT) for part in parts):
            yield path


def _unfinished_boards(notebooks: list[str], home: Path) -> Iterator[str]:
    for one in board_status(home):
        if one.notebook in notebooks and one.state != "green":
            said = "was not run" if one.green is None else f"has {counted(len(one.red), 'red row')}"
            yield f"{one.notebook}: the board {one.board} {said}"


def _kit_version() -> str:
    try:
        return importlib.metadata.version(KIT_NAME)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"
