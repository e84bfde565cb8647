"""The seed is drawn once for a folder of grades, or given, and nobody can guess a drawn one."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.grading.seed import kept_seed


def test_a_folder_keeps_its_seed_and_another_has_another(tmp_path: Path) -> None:
    seeds = [kept_seed(tmp_path / str(number)) for number in range(4)]
    assert len(set(seeds)) > 1
    assert [kept_seed(tmp_path / str(number)) for number in range(4)] == seeds


def test_a_seed_that_was_given_is_that_of_the_grades_from_then_on(tmp_path: Path) -> None:
    kept_seed(tmp_path)
    assert [kept_seed(tmp_path, 7), kept_seed(tmp_path), kept_seed(tmp_path, 0), kept_seed(tmp_path)] == [7, 7, 0, 0]


@pytest.mark.parametrize("text", ["{}", '{"seed": "7"}', '{"seed": -1}', '{"seed": true}', "7"])
def test_what_is_no_seed_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "seed.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"Next: |seed\.json"):
        kept_seed(tmp_path)
