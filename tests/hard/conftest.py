"""What the hard tests share: an answers folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The answers folder of this test, not there yet."""
    folder = tmp_path / "work"
    monkeypatch.setenv("GATE_WORK", str(folder))
    return folder
