"""The doctor on places for a class: none is no fault, half of one is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gate.lab.doctor import Look
from gate.room.look import hub, page

WHOLE = {
    page: ("lab/index.html", "files/notebooks", "service-worker.js"),
    hub: ("venv/bin/jupyterhub", "node_modules/.bin/configurable-http-proxy"),
}


@pytest.mark.parametrize("look", WHOLE, ids=lambda look: look.__name__)
def test_none_is_no_fault_half_of_one_is_and_a_whole_one_is_named(look: Callable[[Path], Look], tmp_path: Path) -> None:
    place = tmp_path / "place"
    assert look(place).well
    for name in WHOLE[look]:
        place.mkdir(exist_ok=True)
        half = look(place)
        assert not half.well and "lacks" in half.words and half.next
        (place / name).mkdir(parents=True)
    assert look(place).well and str(place) in look(place).words
