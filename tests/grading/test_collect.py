"""Submissions from every kind of folder; what cannot be read is one ungradable submission, and the others go on."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.grading import files
from gate.grading.collect import collect
from gate.grading.words import Submitted
from gate.lab.derive import read_notebook, solution_paths
from gate.lab.submission import collect as pack
from tests.grading.kit import perfect

NAME = "memory/03_fail_closed"
CELLS = perfect("memory")[NAME]


def notebook(cells: dict[str, str] = CELLS, kind: str = "code", twice: bool = False) -> str:
    made = [
        {"cell_type": kind, "id": id, "metadata": {}, "source": text.splitlines(True)} for id, text in cells.items()
    ]
    made += [dict(made[0]), {"cell_type": "code", "id": "mine", "metadata": {}, "source": "print(1)"}] if twice else []
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def save(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def zipped(**entries: str | bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in entries.items():
            bundle.writestr(name, content)
    return data.getvalue()


def only(folder: Path) -> Submitted:
    [one] = collect(folder)
    return one


@pytest.mark.parametrize(
    "place",
    [
        f"ann/notebooks/{NAME}.ipynb", f"submitted/ann/memory/{NAME[7:]}.ipynb", f"ann/{NAME}.ipynb",
        f"ann/{NAME[7:]}.ipynb", f"ann-{NAME[7:]}.ipynb", "ann.ipynb", "ann/homework/my copy.ipynb",
    ],
)  # fmt: skip
def test_finds_a_notebook_in_every_layout(tmp_path: Path, place: str) -> None:
    save(tmp_path / "class" / place, notebook())
    one = only(tmp_path / "class")
    assert (one.student, one.problem) == ("ann", "")
    assert one.cells == {NAME: CELLS}


def test_reads_what_gate_submit_packs(tmp_path: Path) -> None:
    work = tmp_path / "work"
    save(work / "table-memory.json", '{"table": "memory"}')
    save(work / "clock-memory.json", "{}")
    solutions = [path for path in solution_paths() if path.parent.name == "memory"]
    save(tmp_path / "class" / "pair-7.zip", pack(solutions, "Ann and Bob", work=work).packed())
    one = only(tmp_path / "class")
    assert (one.student, one.problem, one.notes) == ("pair-7", "", ('handed in by "Ann and Bob"',))
    assert set(one.cells) == {f"memory/{path.stem}" for path in solutions}
    assert one.work == {"table-memory.json": {"table": "memory"}}


def test_takes_answer_cells_only(tmp_path: Path) -> None:
    save(tmp_path / "ann.ipynb", notebook({**CELLS, "start": "import os", "mine": "print(2)"}))
    assert only(tmp_path).cells == {NAME: CELLS}
    save(tmp_path / "ann.ipynb", notebook(kind="markdown"))
    assert only(tmp_path).cells == {NAME: {}}


def test_one_folder_of_one_student_is_one_submission(tmp_path: Path) -> None:
    save(tmp_path / "kit" / "notebooks" / f"{NAME}.ipynb", notebook())
    save(tmp_path / "kit" / "work" / "fixtures" / "inventory.lookup" / "valid.json", "{}")
    one = only(tmp_path / "kit")
    assert (one.student, set(one.work)) == ("kit", {"fixtures/inventory.lookup/valid.json"})


def test_two_submissions_of_one_name_stay_two(tmp_path: Path) -> None:
    save(tmp_path / "ann.ipynb", notebook())
    save(tmp_path / "ann" / f"{NAME}.ipynb", notebook())
    assert [one.student for one in collect(tmp_path)] == ["ann", "ann-2"]


def test_nobody_gets_the_name_of_somebody_else(tmp_path: Path) -> None:
    for name in ("ann.ipynb", "ann-2.ipynb", f"ann-{NAME[7:]}.ipynb"):
        save(tmp_path / name, notebook())
    assert {one.student: one.source for one in collect(tmp_path)} == {
        "ann": f"ann-{NAME[7:]}.ipynb", "ann-2": "ann-2.ipynb", "ann-3": "ann.ipynb",
    }  # fmt: skip


def test_the_notebooks_of_one_student_are_one_submission(tmp_path: Path) -> None:
    other = "memory/01_reproduce_the_leak"
    save(tmp_path / f"ann-{NAME[7:]}.ipynb", notebook())
    save(tmp_path / f"ann-{other[7:]}.ipynb", notebook(perfect("memory")[other]))
    save(tmp_path / f"bob-{NAME[7:]}.ipynb", notebook())
    assert {one.student: set(one.cells) for one in collect(tmp_path)} == {"ann": {NAME, other}, "bob": {NAME}}


@pytest.mark.parametrize("name", ["ann.tar.gz", "ann.7z", "ann.IPYNB", "ann.ipynb.txt"])
def test_what_somebody_handed_in_packed_otherwise_is_not_passed_over(tmp_path: Path, name: str) -> None:
    save(tmp_path / name, "x")
    save(tmp_path / "readme.txt", "x")
    one = only(tmp_path)
    assert one.student == name and "Next: " in one.problem


def test_a_name_cannot_move_the_cursor_of_whoever_reads_it(tmp_path: Path) -> None:
    try:
        save(tmp_path / "ann\x1b[2J\u202e.ipynb", notebook())
    except OSError:  # Windows takes no such name
        return
    assert only(tmp_path).student == r"ann\x1b[2J\u202e"


def test_a_name_that_is_no_text_can_be_written_all_the_same(tmp_path: Path) -> None:
    try:
        save(tmp_path / "jos\udce9.ipynb", notebook())
    except OSError:  # macOS takes no such name
        return
    one = only(tmp_path)
    assert one.student.encode("utf-8") == b"jos\\udce9" and one.cells == {NAME: CELLS}


@pytest.mark.parametrize("shown", ["NaN", "1e999", "9" * 5000, '"\\ud800"', '{"a": 1, "a": 2}', "[" * 60 + "]" * 60])
def test_what_a_notebook_showed_may_be_anything(tmp_path: Path, shown: str) -> None:
    made = notebook().replace('"metadata": {}', f'"metadata": {{}}, "outputs": {shown}', 1)
    save(tmp_path / "ann.ipynb", made)
    assert only(tmp_path).cells == {NAME: CELLS}
    save(tmp_path / "ann.ipynb", b"\xef\xbb\xbf" + made.encode())
    assert only(tmp_path).cells == {NAME: CELLS}


def test_a_notebook_without_a_byte_costs_nothing(tmp_path: Path) -> None:
    save(tmp_path / "ann" / f"{NAME}.ipynb", notebook())
    save(tmp_path / "ann" / "Untitled.ipynb", "")
    one = only(tmp_path)
    assert (one.cells, one.problem, one.notes) == ({NAME: CELLS}, "", ('"Untitled.ipynb" is empty',))


def test_the_kit_may_lie_in_a_folder_named_work(tmp_path: Path) -> None:
    save(tmp_path / "ann" / "work" / "gate-lab" / "work" / "table-memory.json", '{"table": "memory"}')
    assert only(tmp_path).work == {"table-memory.json": {"table": "memory"}}


def without_ids(made: str, in_metadata: bool = False) -> str:
    document = json.loads(made)
    for cell in document["cells"]:
        id = cell.pop("id")
        cell["metadata"] = {"id": id} if in_metadata else {}
    return json.dumps({**document, "nbformat_minor": 4})


@pytest.mark.parametrize("place", [f"ann/{NAME}.ipynb", f"ann-{NAME[7:]}.ipynb"])
def test_finds_answers_by_their_names_where_a_program_dropped_the_ids(tmp_path: Path, place: str) -> None:
    save(tmp_path / place, without_ids(notebook({**CELLS, "mine": "import json\nx = validate_by_hand"})))
    assert only(tmp_path).cells == {NAME: CELLS}


def test_a_name_that_two_cells_define_answers_nothing_where_there_are_no_ids(tmp_path: Path) -> None:
    twice = {**CELLS, "again": "def validate_by_hand(tool, payload):\n    return payload"}
    save(tmp_path / "ann" / f"{NAME}.ipynb", without_ids(notebook(twice)))
    assert "closed-by-hand" not in only(tmp_path).cells[NAME]


def test_finds_the_ids_where_colab_keeps_them(tmp_path: Path) -> None:
    save(tmp_path / "ann.ipynb", without_ids(notebook(), in_metadata=True))
    assert only(tmp_path).cells == {NAME: CELLS}


def test_does_not_take_our_solutions_for_answers_in_a_copy_of_the_kit(tmp_path: Path) -> None:
    mine = {**CELLS, "closed-by-hand": "def validate_by_hand(tool, payload):\n    return payload"}
    save(tmp_path / "ann" / "notebooks" / f"{NAME}.ipynb", notebook(mine))
    save(tmp_path / "ann" / "notebooks" / "solutions" / f"{NAME}.ipynb", notebook())
    assert only(tmp_path).cells == {NAME: mine}


def link(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(HOME / "data" / "labs.json", path)


def zipped_link() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as bundle:
        entry = zipfile.ZipInfo("notebooks/link.ipynb")
        entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        bundle.writestr(entry, "/etc/passwd")
    return data.getvalue()


def manifest(**changes: Any) -> str:
    import importlib.metadata

    return json.dumps({"format": 1, "kit": importlib.metadata.version("gate-lab"), "files": {}, **changes})


BAD: dict[str, tuple[str, Callable[[], str | bytes], str]] = {
    "bomb": ("x.zip", lambda: zipped(**{"work/a.json": b"0" * (files.MAX_BYTES + 1)}), "too large"),
    "many bombs": ("x.zip", lambda: zipped(**{f"work/{n}.json": b"0" * 3_999_999 for n in range(9)}), "too large"),
    "many files": ("x.zip", lambda: zipped(**{f"{n}.txt": b"" for n in range(files.MAX_ENTRIES + 1)}), "more than"),
    "path escape": ("x.zip", lambda: zipped(**{"../../work/table-memory.json": "{}"}), "leads elsewhere"),
    "absolute": ("x.zip", lambda: zipped(**{"/work/table-memory.json": "{}"}), "leads elsewhere"),
    "windows": ("x.zip", lambda: zipped(**{"C:/work/table-memory.json": "{}"}), "leads elsewhere"),
    "zipped link": ("x.zip", zipped_link, "is a link"),
    "no zip": ("x.zip", lambda: b"PK\x03\x04 and so on", "cannot be read"),
    "empty zip": ("x.zip", lambda: zipped(), "nothing of the lab"),
    "bad utf-8": ("x.ipynb", lambda: notebook().encode().replace(b"tool", b"\xff\xfe"), "cannot be read"),
    "broken json": ("x.ipynb", lambda: notebook()[:-9], "cannot be read"),
    "a list": ("x.ipynb", lambda: "[]", "cannot be read"),
    "no cells": ("x.ipynb", lambda: '{"cells": 3}', "no notebook"),
    "giant": ("x.ipynb", lambda: notebook() + " " * files.MAX_BYTES, "too large"),
    "double ids": ("x.ipynb", lambda: notebook(twice=True), "twice"),
    "two copies": ("x.zip", lambda: zipped(**{f"a/{NAME}.ipynb": notebook(), f"b/{NAME}.ipynb": notebook()}), "twice"),
    "broken table": ("x.zip", lambda: zipped(**{"work/table-memory.json": "{"}), "cannot be read"),
    "old kit": ("x.zip", lambda: zipped(**{"manifest.json": manifest(kit="0.0.1")}), "made with kit"),
    "old format": ("x.zip", lambda: zipped(**{"manifest.json": manifest(format=0)}), "another format"),
    "cells of numbers": ("x.zip", lambda: zipped(**{f"notebooks/{NAME}.json": '{"closed-gate": 7}'}), "no cells"),
    "nothing": ("x/readme.txt", lambda: "hello", "nothing of the lab"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_has_a_reason_and_the_others_go_on(tmp_path: Path, case: str) -> None:
    name, content, reason = BAD[case]
    save(tmp_path / name, content())
    save(tmp_path / "ann.ipynb", notebook())
    ann, bad = collect(tmp_path)
    assert (ann.student, ann.problem) == ("ann", "")
    assert bad.student == "x" and reason in bad.problem and "Next: " in bad.problem
    assert not bad.cells and not bad.work


@pytest.mark.parametrize("where", ["x", "x.ipynb", "x/work/table-memory.json", "x/notebooks"])
def test_links_are_not_followed(tmp_path: Path, where: str) -> None:
    link(tmp_path / where)
    save(tmp_path / "ann.ipynb", notebook())
    ann, bad = collect(tmp_path)
    assert not ann.problem
    assert "link" in bad.problem or "plain file" in bad.problem


def test_says_what_was_changed_after_packing(tmp_path: Path) -> None:
    text = manifest(files={"work/table-memory.json": "0" * 64})
    save(tmp_path / "x.zip", zipped(**{"manifest.json": text, "work/table-memory.json": "{}"}))
    assert only(tmp_path).notes == ('"work/table-memory.json" was changed after it was packed',)


def test_refuses_a_folder_without_submissions(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no zip"):
        collect(tmp_path)
    with pytest.raises(ConfigError, match="is not there"):
        collect(tmp_path / "nowhere")


def whole() -> dict[str, Any]:
    """Return the learner's notebook with all answers written in."""
    solved = read_notebook(HOME / "notebooks" / "solutions" / f"{NAME}.ipynb")
    return {**solved, "cells": [dict(cell) for cell in solved["cells"]]}


def edited_checks(cells: list[Any]) -> list[Any]:
    return [{**cell, "source": "print('all green')"} if "board(" in cell["source"] else cell for cell in cells]


def lying_outputs(cells: list[Any]) -> list[Any]:
    lie = [{"output_type": "stream", "name": "stdout", "text": "26 of 26 green\n"}]
    return [{**cell, "outputs": lie, "execution_count": 1} for cell in cells if cell["cell_type"] == "code"]


def marked(cells: list[Any]) -> list[Any]:
    return [{**cell, "metadata": {"tags": ["nbval-skip", "raises-exception"]}} for cell in cells]


def with_cells_of_their_own(cells: list[Any]) -> list[Any]:
    own = "import sys; sys.modules.clear()"
    mine = [{"cell_type": "code", "id": id, "metadata": {}, "source": own} for id in ("probe-001", "setup", "conftest")]
    return [*mine, *cells]


@pytest.mark.parametrize(
    "tamper", [edited_checks, lying_outputs, marked, with_cells_of_their_own, lambda cells: cells[::-1]]
)
def test_nothing_but_the_answers_of_a_notebook_counts(tmp_path: Path, tamper: Callable[[list[Any]], list[Any]]) -> None:
    notebook = whole()
    save(tmp_path / "ann.ipynb", json.dumps({**notebook, "cells": tamper(notebook["cells"])}))
    assert only(tmp_path).cells == {NAME: CELLS}


def test_an_answer_in_a_cell_of_text_is_none(tmp_path: Path) -> None:
    notebook = whole()
    for cell in notebook["cells"]:
        if cell["id"] == "closed-gate":
            cell["cell_type"] = "markdown"
    save(tmp_path / "ann.ipynb", json.dumps(notebook))
    assert set(CELLS) - set(only(tmp_path).cells[NAME]) == {"closed-gate"}


def test_other_files_are_never_read(tmp_path: Path) -> None:
    save(tmp_path / "ann" / f"{NAME}.ipynb", notebook())
    for name in ("conftest.py", "pytest.ini", "jsonschema.py", "notebooks/memory/json.py", "sitecustomize.py"):
        save(tmp_path / "ann" / name, "raise SystemExit(0)")
    assert only(tmp_path) == Submitted("ann", "ann", {NAME: CELLS})
