"""A code says where a pair stands, survives a chat, and is never guessed at when it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cli import main
from gate.lab.plan import load_plan
from gate.room import code
from gate.room.code import TAGS, CodeError, codes_in, decode, encode, tag
from gate.room.standing import Standing, boards_of, sheet_of

LABS = load_plan()


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    lab = draw(st.sampled_from(list(LABS.values())))
    sheet = sheet_of(lab.id)
    choice = st.sampled_from(("", *sheet.choice_ids())) if sheet else st.just("")
    green = {name: draw(st.none() | st.integers(0, rows)) for name, (_, rows) in boards_of(lab.id).items()}
    chosen = {row: draw(choice) for row in (sheet.row_ids() if sheet else ())}
    section = draw(st.sampled_from(["", *(section.id for section in lab.sections)]))
    minute = draw(st.integers(0, 2**30 - 1))
    return Standing(tag(draw(st.integers(0, TAGS - 1))), lab.id, section, minute * 60, green, chosen)


@given(standings())
def test_a_code_says_what_the_standing_says(one: Standing) -> None:
    made = encode(one, LABS)
    assert decode(made, LABS) == one
    assert len(made) <= 60


@given(standings(), st.data())
def test_a_mistyped_character_is_noticed(one: Standing, data: st.DataObject) -> None:
    made = encode(one, LABS)
    at = data.draw(st.sampled_from([place for place in range(5, len(made)) if made[place] != "-"]))
    other = data.draw(st.sampled_from([char for char in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" if char != made[at]]))
    with pytest.raises(CodeError, match="torn or mistyped"):
        decode(made[:at] + other + made[at + 1 :], LABS)


@given(standings())
def test_letters_that_look_like_digits_and_small_letters_are_read_all_the_same(one: Standing) -> None:
    made = encode(one, LABS)
    assert decode(made[:5] + made[5:].replace("0", "O").replace("1", "l"), LABS) == one
    assert decode(f"  {made.lower()}\n", LABS) == one


@given(standings())
def test_a_torn_code_is_refused(one: Standing) -> None:
    made = encode(one, LABS)
    for length in range(5, len(made)):
        with pytest.raises(CodeError):
            decode(made[:length], LABS)


@pytest.mark.parametrize(
    "text", ["", "gate-", "gate-UUUUU-UUUUU", "gate-00000-00000-00000", "http://gate-x", "gate-é-é"]
)
def test_what_is_no_code_is_refused_in_words(text: str) -> None:
    with pytest.raises(CodeError, match="Next: "):
        decode(text, LABS)


def test_a_code_of_another_version_of_the_kit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Standing("7KQ2", "memory", "01_reproduce_the_leak", 600, {}, {})
    made = encode(one, LABS)
    monkeypatch.setattr(code, "mark", lambda labs: 17)
    with pytest.raises(CodeError, match="another version of the kit"):
        decode(made, LABS)


@pytest.mark.parametrize("dash", ["\u2011", "\u2013", "\u2014", "\u2212"])
def test_a_code_whose_hyphens_a_program_beautified_is_read_all_the_same(dash: str) -> None:
    code = encode(Standing("7KQ2", "memory", "", 0, {}, {}), LABS)
    assert codes_in(f"ana: {code.replace('-', dash)}!") == [code]


def test_codes_are_found_in_a_chat_with_names_and_talk_around_them() -> None:
    one, two = (encode(Standing(name, "memory", "", 0, {}, {}), LABS) for name in ("7KQ2", "9ZZ3"))
    chat = f"[09:31] ana & luis: {one}\n[09:32] kim: the gate-keeper is on line 3\n> {two.lower()} (us!)\n"
    assert [decode(found, LABS).pair for found in codes_in(chat)] == ["7KQ2", "9ZZ3"]


def test_the_command_prints_the_same_pair_s_code_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GATE_WORK", str(tmp_path))
    made = []
    for lab in ("memory", "arguments"):
        assert main(["progress", lab, "--json"]) == 0
        made.append(json.loads(capsys.readouterr().out))
    assert made[0]["pair"] == made[1]["pair"] == decode(made[0]["code"], LABS).pair
    assert [decode(one["code"], LABS).lab for one in made] == ["memory", "arguments"]
    assert main(["progress", "memry"]) == 2
    assert 'There is no lab "memry". Next: use one of memory, ' in capsys.readouterr().err


def test_a_broken_tag_is_kept_beside_and_a_new_one_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GATE_WORK", str(tmp_path))
    (tmp_path / "pair.json").write_text('{"tag": "../../etc"}', encoding="utf-8")
    assert main(["progress"]) == 0
    code, told = capsys.readouterr().out.splitlines()
    pair = decode(code, LABS).pair
    assert told == f"Next: paste it into the chat. You are {pair} in the class's table."
    assert (tmp_path / "pair.broken-1.json").read_text(encoding="utf-8") == '{"tag": "../../etc"}'
