"""The benchmarks page has a row for everything it says it measures, and says what it left out. Sizes are tiny here."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import ledger, page, replay, topic
from benchmarks.picture import svg
from benchmarks.rivals import TRAPS, contracts
from benchmarks.startup import _COMMANDS, _IMPORTS
from benchmarks.topic import TINY, Curve, Effort, Part, Table
from gate.files import HOME

LIGHT = ["decision", "replay", "mutants", "fuzz", "ledger", "startup"]
CURVE = Curve("growth", "What grows", "items", "ms", {"gate": {1: 0.5, 100: 7}, "by hand": {1: 1.5, 100: 90}})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A page of small sizes, without what starts kernels."""
    folder = tmp_path_factory.mktemp("page")
    assert page.make(folder, TINY, LIGHT) == []
    return folder, (folder / "README.md").read_text(encoding="utf-8")


def tables(text: str) -> dict[str, dict[str, list[str]]]:
    """Return the cells of each table by its title and the first cell of the row."""
    found: dict[str, dict[str, list[str]]] = {}
    for title, body in re.findall(r"^\*\*(.+)\*\*\n\n((?:\|.*\n)+)", text, re.MULTILINE):
        rows = [line.strip("| ").split(" | ") for line in body.splitlines()]
        assert {len(row) for row in rows} == {len(rows[0])}, title
        found[title] = {row[0]: row[1:] for row in rows[2:]}
    return found


def test_every_judge_stands_in_every_table_of_decisions(made: tuple[Path, str]) -> None:
    found = tables(made[1])
    for title, (judges, _, _) in contracts().items():
        assert list(found[title]) == list(judges)
        assert all(float(cell.replace(",", "")) > 0 for row in found[title].values() for cell in row)
    assert list(found["A valid payload that grows (µs)"]) == list(judges)
    assert found["What each lets through (inventory)"]["gate"] == ["-"] * len(TRAPS)
    assert found["What each lets through (inventory)"]["plain hand-written"].count("passes") > 3


def test_every_way_of_the_other_topics_has_its_row(made: tuple[Path, str]) -> None:
    found = tables(made[1])
    assert list(found["More and more fixtures (ms)"]) == list(replay._WAYS)
    assert len(found["A planted fault asked about a fixture"]) == 4
    assert [row for row in found["Fuzzing"] if "ticket" in row] == ["gate fuzz, ticket", "plain generator, ticket"]
    assert list(found["Importing"]) == list(_IMPORTS)
    assert list(found["One result from the command line"]) == list(_COMMANDS)
    assert list(found["One mutation"])[0] == "fence, SqliteLedger" and len(found["One mutation"]) == 6


def test_the_first_way_is_what_the_others_are_compared_with(made: tuple[Path, str]) -> None:
    for title in ("One mutation", "Importing", "One result from the command line"):
        assert next(iter(tables(made[1])[title].values()))[1] == "1.0"


def test_a_topic_that_was_left_out_says_so_and_how_to_run_it(made: tuple[Path, str]) -> None:
    for name, command in (("notebooks", "make bench"), ("grading", "make bench ARGS=--all")):
        how = f"`{command}`; alone: `.venv/bin/python -m benchmarks.{name}`."
        assert f"Left out of this run. To have it here: {how}" in made[1]


def test_the_page_says_that_its_sizes_were_cut_and_on_what_machine(made: tuple[Path, str]) -> None:
    assert "A tiny run: sizes and rounds were cut" in made[1]
    assert "tiny" not in page.machine(page.FULL)
    assert re.search(r"Machine: \d+ cores, \w+", made[1])
    assert made[1].count("Load before: ") == len(LIGHT)


def test_every_picture_is_there_and_is_svg(made: tuple[Path, str]) -> None:
    folder, text = made
    names = re.findall(r"^!\[[^\]]+\]\((.+)\)$", text, re.MULTILINE)
    assert names == [f"pictures/{name}.svg" for name in ("payload-size", "fixtures", "writers")]
    for name in names:
        assert ElementTree.fromstring((folder / name).read_text(encoding="utf-8")).tag.endswith("svg")


def test_a_picture_names_each_way_and_is_the_same_for_the_same_numbers() -> None:
    words = "".join(ElementTree.fromstring(svg(CURVE)).itertext())
    assert all(word in words for word in ("gate", "by hand", "items", "ms", "What grows"))
    assert svg(CURVE) == svg(CURVE)


def test_a_ledger_that_cannot_be_measured_here_keeps_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "missing_redis", lambda: "left out: no redis-server here")
    table = next(ledger.measure(TINY))
    assert isinstance(table, Table)
    assert table.rows[-2:] == [
        ("fence, RedisLedger", "left out: no redis-server here", "-"),
        ("Redis by hand, SET NX", "left out: no redis-server here", "-"),
    ]


def test_a_topic_that_fails_is_named_and_the_others_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Effort) -> Iterator[Part]:
        yield CURVE
        raise RuntimeError("no more disk")

    monkeypatch.setattr(replay, "measure", broken)
    assert page.make(tmp_path, TINY, ["replay", "mutants"]) == ["replay"]
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "This run failed: RuntimeError." in text and "What grows" not in text
    assert len(tables(text)["A planted fault asked about a fixture"]) == 4


def test_grading_is_measured_only_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(page, "make", lambda _, effort, names: asked.append((effort.name, list(names))) or [])
    assert page.main(["--quick", "--out", str(tmp_path)]) == page.main(["--all", "--out", str(tmp_path)]) == 0
    assert asked == [("quick", list(page.TOPICS[:-1])), ("full", list(page.TOPICS))]
    monkeypatch.setattr(page, "make", lambda *_: ["replay"])
    assert page.main(["--out", str(tmp_path)]) == 1


def test_a_page_that_could_not_be_written_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert page.main(["--out", str(tmp_path / "file")]) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_the_examples_of_the_words_hold() -> None:
    assert doctest.testmod(topic) == (0, 5)


def test_every_claim_of_speed_in_the_readme_points_to_the_page() -> None:
    text = (HOME / "README.md").read_text(encoding="utf-8")
    claims = [
        part
        for part in text.split("\n\n")
        if re.search(r"\btimes (?:faster|slower)\b|\b(?:faster|slower) than\b|µs", part)
    ]
    assert claims and [part for part in claims if "(benchmarks/README.md)" not in part] == []
