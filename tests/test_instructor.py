"""The tables in INSTRUCTOR.md are the plan of data/labs.json, and its run sheets fit into the windows."""

from __future__ import annotations

import json
import re

import pytest

from gate.files import HOME

TEXT = (HOME / "INSTRUCTOR.md").read_text(encoding="utf-8")
LABS = {lab["id"]: lab for lab in json.loads((HOME / "data" / "labs.json").read_text(encoding="utf-8"))["labs"]}
WRITTEN = [lab for number, lab in enumerate(LABS, start=1) if f"### Lab {number}, minutes" in TEXT]


def part(number: int, title: str) -> str:
    """Return what stands between a lab's heading and the next one of its level."""
    _, found, rest = TEXT.partition(f"## Lab {number}: {title}\n")
    assert found, f"there is no heading ## Lab {number}: {title}"
    return rest.partition("\n## ")[0]


def rows(text: str, head: str) -> list[list[str]]:
    """Return the rows of the first table whose first column is `head`."""
    table = re.search(rf"^\| {head} \|.*\n\| ---.*\n((?:\|.*\n)+)", text + "\n", re.MULTILINE)
    assert table, f"there is no table that begins with {head}"
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[1].splitlines()]


def lab_parts() -> list[tuple[str, str]]:
    return [(lab["id"], part(number, lab["title"])) for number, lab in enumerate(LABS.values(), start=1)]


@pytest.mark.parametrize("lab", LABS)
def test_the_table_of_a_lab_is_the_plan(lab: str) -> None:
    planned = [
        [f"{section['start']}-{section['end']}", section["title"], f"`{section['notebook']}`", section["cut_first"]]
        for section in LABS[lab]["sections"]
    ]
    assert rows(dict(lab_parts())[lab], "minutes") == planned


def test_the_memory_lab_has_its_run_sheet() -> None:
    assert "memory" in WRITTEN


@pytest.mark.parametrize("lab", WRITTEN)
def test_every_section_has_a_run_sheet_within_its_window(lab: str) -> None:
    number = list(LABS).index(lab) + 1
    text = dict(lab_parts())[lab]
    for section in LABS[lab]["sections"]:
        heading = f"### Lab {number}, minutes {section['start']}-{section['end']}: {section['title']}\n"
        _, found, rest = text.partition(heading)
        assert found, f"there is no heading {heading}"
        sheet = rest.partition("\n### ")[0]
        minutes = [int(row[0]) for row in rows(sheet, "minute")]
        assert minutes[0] == section["start"]
        assert minutes == sorted(set(minutes)), "two rows for one minute, or minutes out of order"
        assert minutes[-1] < section["end"]
        for word in ("**Objective.**", "**Catch-up.**", "**Cut first:**", "**Ask:**"):
            assert word in sheet, f"{section['title']} has no {word}"
