"""How a board looks: what there is to do stands in sight, the rest is folded where the board is long."""

from __future__ import annotations

from gate.lab.attacks import Got
from gate.lab.board_page import as_html, as_text
from gate.lab.rules import Row, Rule

GREEN, RED, STUB = Got("block", "refused"), Got("allow", "allowed"), Got("unwritten", "not written yet: my_gate")


def rows(*got: Got) -> list[Row]:
    made = []
    for number, one in enumerate(got):
        rule = Rule(f"rule-{number}", f"Rule {number}.", "block", '{"n": 1}', tool="counter")
        made.append(Row(rule, one, one is GREEN))
    return made


def in_sight(html: str) -> str:
    return html.partition("<details>")[0]


def test_folds_green_rows_of_a_long_board() -> None:
    html = as_html("a board", rows(*[GREEN] * 9, RED), ())
    assert "rule-9<" in in_sight(html) and "rule-0<" not in in_sight(html)
    assert "<summary>9 green</summary>" in html and "rule-0<" in html


def test_shows_one_row_of_a_long_board_for_an_exercise_that_is_not_written_yet() -> None:
    html = as_html("a board", rows(*[STUB] * 10), ())
    assert "rule-0<" in in_sight(html) and "rule-1<" not in in_sight(html)
    assert "<summary>9 more rules, waiting for the same</summary>" in html


def test_folds_all_rows_of_a_long_board_that_is_green() -> None:
    html = as_html("a board", rows(*[GREEN] * 10), ())
    assert "10 of 10 green" in in_sight(html) and "rule-0<" not in in_sight(html)


def test_shows_every_row_of_a_short_board() -> None:
    html = as_html("a board", rows(GREEN, RED), ("a note",))
    assert "<details>" not in html and html.index("rule-1<") < html.index("rule-0<") < html.index("a note")


def test_names_the_tool_of_a_rule_where_it_is_another_than_the_boards() -> None:
    known, other = rows(GREEN, GREEN)
    pair = [known, other._replace(rule=other.rule._replace(tool="guess"))]
    for page in (as_text("a board", [row._replace(green=False) for row in pair], ()), as_html("a board", pair, ())):
        assert page.count("from ") == 1
        assert "guess" in page
