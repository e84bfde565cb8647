"""How a board looks: what there is to do stands in sight, the rest is folded where the board is long."""

from __future__ import annotations

import json
from html import escape

import pytest

from gate.files import HOME
from gate.lab.attacks import Got
from gate.lab.board_file import load_board
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
    html = as_html("a board", "validate", rows(*[GREEN] * 9, RED), ())
    assert "rule-9<" in in_sight(html) and "rule-0<" not in in_sight(html)
    assert "<summary>9 green</summary>" in html and "rule-0<" in html


def test_shows_one_row_of_a_long_board_for_an_exercise_that_is_not_written_yet() -> None:
    html = as_html("a board", "validate", rows(*[STUB] * 10), ())
    assert "rule-0<" in in_sight(html) and "rule-1<" not in in_sight(html)
    assert "<summary>9 more rules, waiting for the same</summary>" in html


def test_folds_all_rows_of_a_long_board_that_is_green() -> None:
    html = as_html("a board", "validate", rows(*[GREEN] * 10), ())
    assert "10 of 10 green" in in_sight(html) and "rule-0<" not in in_sight(html)


def test_shows_every_row_of_a_short_board() -> None:
    html = as_html("a board", "validate", rows(GREEN, RED), ("a note",))
    assert "<details>" not in html and html.index("rule-1<") < html.index("rule-0<") < html.index("a note")


def test_names_the_tool_of_a_rule_where_it_is_another_than_the_boards() -> None:
    known, other = rows(GREEN, GREEN)
    pair = [known, other._replace(rule=other.rule._replace(tool="guess"))]
    for page in (
        as_text("a board", "validate", [row._replace(green=False) for row in pair], ()),
        as_html("a board", "validate", pair, ()),
    ):
        assert page.count("from ") == 1
        assert "guess" in page


def held(case: str, *got: Got) -> list[Row]:
    """Rows of rules that name a case and expect that it holds."""
    return [
        Row(Rule(f"rule-{n}", f"Rule {n}.", "hold", case=case), one, one.outcome == "hold") for n, one in enumerate(got)
    ]


def test_says_what_was_tried_and_what_is_waited_for_in_the_words_of_its_kind() -> None:
    made = held("errors", Got("open", "something"))
    text, html = as_text("a board", "schema", made, ()), as_html("a board", "schema", made, ())
    assert "given     vetting\n       expected  nothing is open\n" in text
    assert ">vetting</td>" in html and ">nothing is open</td>" in html
    assert "RED    rule-0: Rule 0.\n       expected  noticed\n" in as_text("a board", "pack", made, ())
    assert ">noticed</td>" in as_html("a board", "pack", made, ())


def test_leaves_out_a_column_in_which_no_row_says_anything() -> None:
    [row] = held("restart", Got("open", "paid again"))
    text, html = as_text("a board", "fence", [row], ()), as_html("a board", "fence", [row], ())
    assert text == "a board: 0 of 1 green, 1 red\nRED    rule-0: Rule 0.\n       got       paid again"
    assert [name in html for name in (">rule<", ">given<", ">expected<", ">got<")] == [True, False, False, True]
    assert ">expected<" in as_html("a board", "fence", [row, *rows(RED)], ())


NO_PACK = Got("no pack", "the labels of lon are wrong.")


def test_says_once_what_stops_every_row() -> None:
    made = held("coerce", NO_PACK, NO_PACK, NO_PACK)
    text, html = as_text("a board", "pack", made, ()), as_html("a board", "pack", made, ())
    assert text.count("the labels of lon are wrong.") == html.count("the labels of lon are wrong.") == 1
    assert text.count("got       the same as above") == html.count(">the same as above</td>") == 2


def test_gives_one_advice_that_of_what_was_found_where_it_has_any() -> None:
    stopped = Got("no pack", "the labels of lon are wrong. Next: run gate replay.")
    [first, *_] = made = held("coerce", stopped, NO_PACK)
    made[0] = first._replace(rule=first.rule._replace(next="save a valid result."))
    text, html = as_text("a board", "pack", made, ()), as_html("a board", "pack", made, ())
    assert "save a valid result." not in text + html and text.count("Next: ") == html.count("Next: ") == 1


def test_says_each_time_what_a_rule_that_was_tried_came_to() -> None:
    text = as_text("a board", "validate", rows(RED, RED), ())
    assert text.count("got       allowed") == 2


def test_folds_what_waits_for_a_red_row_of_a_long_board_but_not_that_row() -> None:
    waiting = Got("no contract", "errors come first")
    html = as_html("a board", "schema", [*rows(RED), *held("warnings", *[waiting] * 9)], ())
    assert "rule-0<" in in_sight(html) and in_sight(html).count("errors come first") == 1
    assert "<summary>8 more rules, waiting for the same</summary>" in html


def test_says_once_what_two_rows_are_given_but_not_of_two_that_only_look_alike() -> None:
    long = [json.dumps({"n": [0] * 90 + [last]}) for last in (1, 1, 2)]
    made = [
        row._replace(rule=row.rule._replace(given=text)) for row, text in zip(rows(RED, RED, RED), long, strict=True)
    ]
    text, html = as_text("a board", "validate", made, ()), as_html("a board", "validate", made, ())
    assert text.count("given     the same as above") == html.count(">the same as above</td>") == 1


def test_says_what_the_tool_does_where_calls_are_alike() -> None:
    [row] = rows(RED)
    made = [row._replace(rule=row.rule._replace(case="returns_a_set"))]
    assert ">the tool returns a set: {&quot;n&quot;: 1}</code>" in as_html("a board", "wrap", made, ())


def test_breaks_a_word_that_would_push_what_came_of_it_out_of_sight() -> None:
    html = as_html("a board", "near", rows(Got("hold", "x" * 40), RED), ())
    assert html.count('<span style="overflow-wrap: anywhere">') == 1


CRASH = Got("crash", "raised KeyError: 'warehouse'")


def test_advises_to_write_what_is_not_written_and_nothing_else() -> None:
    [first] = rows(Got("unwritten", "not written yet: this exercise"))
    made = [first._replace(rule=first.rule._replace(next="read what vetting found."))]
    for shown in (as_text("a board", "schema", made, ()), as_html("a board", "schema", made, ())):
        assert "read what vetting found." not in shown and "write it in the cell that says" in shown


def test_a_crash_that_says_itself_what_to_do_gets_no_other_advice() -> None:
    text = as_text("a board", "validate", rows(Got("crash", "raised TypeError: no. Next: write a text.")), ())
    assert text.count("Next: ") == 1 and "To refuse" not in text


def test_says_of_a_crash_once_how_one_refuses_where_only_an_exception_refuses() -> None:
    text = as_text("a board", "validate", rows(GREEN, CRASH, CRASH, RED), ())
    assert text.count('which is a crash. To refuse: raise ResultGateError("why")') == 1
    assert "To refuse" not in as_text("a board", "gate", rows(GREEN, CRASH), ())


@pytest.mark.parametrize("got", [CRASH, Got("unclear", "raised KeyError: 'warehouse'")])
def test_folds_rows_that_all_fail_in_the_same_way(got: Got) -> None:
    html = as_html("a board", "gate", rows(*[got] * 10), ())
    assert in_sight(html).count("KeyError") == 1 and "rule-1<" not in in_sight(html)
    assert "rule-1<" in in_sight(as_html("a board", "gate", rows(RED, *[CRASH] * 9), ()))


E_ACUTE = "\\u00e9"  # as a board writes it


def called(kind: str, given: str) -> list[Row]:
    return [Row(Rule("one", "In words.", "[]", given), Got("other", "returned []"), False)]


@pytest.mark.parametrize(
    ("given", "call"),
    [
        ("[[]]", "tally([])"),
        ('[[{"human": "allow", "machine": null}], 2]', 'tally([{"human": "allow", "machine": None}], 2)'),
        ('[{"ok": true, "n": 1.50}]', 'tally({"ok": True, "n": 1.5})'),
        ('["\\u200b\u200b", NaN]', 'tally("\\u200b\\u200b", nan)'),
        (f'["{"x" * 500}", 120]', f'tally("{"x" * 50}...", 120)'),
        (f'["{"é" * 500}", 120]', f'tally("{E_ACUTE * 8}...", 120)'),
    ],
)
def test_shows_a_call_as_one_writes_it(given: str, call: str) -> None:
    for kind in ("call", "text", "cap"):
        text = as_text("a board", kind, called(kind, given), (), "tally")
        assert f"given     {call}\n" in text and call.isascii()
        assert f">{escape(call)}</code>" in as_html("a board", kind, called(kind, given), (), "tally")


def test_shows_a_payload_as_it_was_sent() -> None:
    assert 'given     {"n": 1}\n' in as_text("a board", "validate", rows(RED), (), "tally")


@pytest.mark.parametrize("name", [path.stem for path in sorted((HOME / "data/boards").glob("arguments.*.json"))])
def test_shows_a_labs_call_to_its_last_field_unless_its_length_is_what_is_asked(name: str) -> None:
    chosen = load_board(name)
    shown = as_text("t", chosen.kind, [Row(rule, Got("x", "x"), False) for rule in chosen.rules], [])
    cut = {line.strip() for line in shown.splitlines() if line.strip().startswith("given") and line.endswith("…")}
    assert len(cut) == ("long-reason" in {rule.id for rule in chosen.rules})
