"""Real disks of a few pages, and real read-only ones, mounted for one process that nobody else sees.

Not collected where nothing may be mounted (`tests/conftest.py`).
`test_full_disk` tries the same with a limit on each file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate.lab.answers import Answers
from gate.ledgers.sqlite import SqliteLedger
from gate.memory import AgentMemory
from tests.hard.disk import TOOL, WRITERS, good
from tests.hard.test_full_disk import check, write

_FULL = """
for place in {places}; do mkdir "{here}/$place" && mount -t tmpfs -o size={size}k none "{here}/$place" || exit 1; done
"$@" && cp -a "{here}/." "{kept}"
"""
_READ_ONLY = 'mount --bind "{here}" "{here}" && mount -o remount,bind,ro "{here}" && "$@"'


def mounted(script: str, here: Path, **names: object) -> dict[str, Any]:
    """Return what the writers said in a process that has mounted what the script says."""
    filled = script.format(here=here, places=" ".join(WRITERS), **names)
    return write(here, list(WRITERS), "unshare", "-rm", "sh", "-c", filled, "sh")


@pytest.mark.parametrize("size", [4, 16, 80])
def test_a_full_disk_is_said_and_nothing_is_half_written(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, kept = tmp_path / "disk", tmp_path / "kept"
    here.mkdir()
    kept.mkdir()
    for what, told in mounted(_FULL, here, size=size, kept=kept).items():
        monkeypatch.setenv("GATE_WORK", str(kept / what))
        check(what, kept / what, told)


@pytest.mark.parametrize("begun", [False, True], ids=["empty", "begun"])
def test_a_read_only_folder_is_said_and_what_is_in_it_stays(
    begun: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for what in WRITERS:
        folder = tmp_path / what
        folder.mkdir()
        monkeypatch.setenv("GATE_WORK", str(folder))
        if begun:
            AgentMemory(path=folder / "memory").append_tool_result(TOOL, good(1), "c1")
            Answers("progress").save({"a": 1})
            with SqliteLedger(folder / "ledger") as ledger:
                ledger.entries()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for what, told in mounted(_READ_ONLY, tmp_path).items():
        assert (told.done, told.effect, len(told.told)) == ([], [], 1), what
        assert "ead-only file system" in told.told[0] or "readonly database" in told.told[0]
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
