"""What the hard tests share: an answers folder of their own, and a look at what this machine lets them do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def _may_mount() -> bool:
    unshare = shutil.which("unshare")
    command = [unshare or "", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]
    return bool(unshare) and subprocess.run(command, capture_output=True, check=False).returncode == 0


#: Real full disks and read-only ones need a file system of their own: no test of them where none may be mounted.
collect_ignore = [] if _may_mount() else ["test_mounts.py"]


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The answers folder of this test, not there yet."""
    folder = tmp_path / "work"
    monkeypatch.setenv("GATE_WORK", str(folder))
    return folder
