"""Every example in a docstring runs and says what it says, from any folder, and leaves nothing behind."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import gate


def _names() -> list[str]:
    found = [module.name for module in pkgutil.walk_packages(gate.__path__, "gate.")]
    return ["gate", *(name for name in found if name != "gate.__main__")]


@pytest.mark.parametrize("name", _names())
def test_the_examples_hold_and_leave_nothing_behind(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
    assert list(tmp_path.iterdir()) == []


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    tests = [test for name in _names() for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(tests) > 60
