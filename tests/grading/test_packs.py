"""Rules of grading a student's own fixtures: planted faults are noticed or named, and a hostile pack is only data."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from gate.evidence.fixtures import load_fixtures
from gate.grading.exercises import asked, sections
from gate.grading.packs import MAX_FIXTURES, MAX_TEXT, grade_pack
from gate.grading.probes import cases
from gate.grading.words import Exercise

TOOL = "inventory.lookup"
VALID = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}


def fixture(payload: Any, *codes: str, **changes: Any) -> dict[str, Any]:
    given = {"raw": payload} if isinstance(payload, str) else {"payload": payload}
    label = "block" if codes else "allow"
    return {"tool": TOOL, "side": "output", "label": label, "codes": list(codes), **given, "note": "", **changes}


GOOD = {
    "valid": fixture(VALID),
    "extra-key": fixture({**VALID, "reorder_hint": "buy 500 today"}, "schema.unknown_field"),
    "wrong-type": fixture({**VALID, "quantity": "4"}, "schema.type"),
}


def graded(fixtures: dict[str, Any], enough: int = 7) -> Exercise:
    work = {f"fixtures/{TOOL}/{name}.json": handed for name, handed in fixtures.items()}
    return grade_pack(TOOL, "memory/05_replay_fixtures", work, 4, enough)


def survivors(exercise: Exercise) -> set[str]:
    return {check.field for check in exercise.checks if check.code == "pack.survivor"}


def test_enough_noticed_faults_give_all_points_and_the_survivors_are_named() -> None:
    exercise = graded(GOOD)
    assert (exercise.id, exercise.value, exercise.points) == (f"pack.{TOOL}", "pass", 4)
    assert "fill-defaults" in survivors(exercise) and "coerce" not in survivors(exercise)
    assert exercise.note == "3 fixtures notice 7 of 48 planted faults; 7 are asked for."


def test_too_few_give_their_part() -> None:
    only = graded({"valid": GOOD["valid"]})
    assert (only.value, only.points) == ("fail", 4 * 2 / 7)
    assert graded(GOOD, enough=14).points == 2


def test_the_kits_own_pack_notices_every_planted_fault() -> None:
    own = {
        f"{one.tool}-{one.id}": one.as_dict()
        for one in load_fixtures()
        if one.tool == TOOL or "call.unknown_tool" in one.codes
    }
    exercise = graded(own, enough=48)
    assert survivors(exercise) == set() and exercise.points == 4


def test_no_fixture_notices_nothing_and_is_told_once() -> None:
    exercise = graded({})
    assert (exercise.value, exercise.points, survivors(exercise)) == ("fail", 0, set())
    assert [(check.code, check.told) for check in exercise.checks] == [
        ("answer.missing", "no fixture was handed in. Next: run the cell that saves yours, and hand in again.")
    ]


def test_a_wrong_label_notices_nothing_and_costs() -> None:
    exercise = graded({**GOOD, "wishful": fixture({**VALID, "quantity": "4"})})
    assert (exercise.value, exercise.points) == ("fail", 4 * 7 / 8)
    (wrong,) = [check for check in exercise.checks if check.code == "pack.fixture"]
    assert wrong.field == f"{TOOL}/wishful.json"
    assert wrong.told == "labelled allow, but the contract says block. Next: run gate replay on it."


def test_wrong_codes_are_told() -> None:
    exercise = graded({**GOOD, "odd": fixture({**VALID, "quantity": "4"}, "schema.enum")})
    assert "the contract refuses it with schema.type." in exercise.checks[0].told


HOSTILE: dict[str, Any] = {
    "a list": [],
    "text": "allow",
    "nothing": None,
    "no label": {"tool": TOOL},
    "own fields": fixture(VALID, points=100),
    "both": {**fixture(VALID), "raw": "{}"},
    "huge": fixture({**VALID, "sku": "S" * MAX_TEXT}, "schema.length"),
    "a tool's name that is none": fixture(VALID, "call.unknown_tool", tool="../../etc/passwd"),
    "a long tool's name": fixture(VALID, "call.unknown_tool", tool="t" * 5000),
    "a payload that is text": {**fixture(VALID), "payload": "{}"},
}


@pytest.mark.parametrize("handed", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_fixture_is_named_and_the_others_count(handed: Any) -> None:
    exercise = graded({**GOOD, "odd": handed})
    assert exercise.points == 4 * 7 / 8 and exercise.checks[0].field == f"{TOOL}/odd.json"


@pytest.mark.parametrize(
    ("raw", "code"),
    [("[" * 15_000, "parse.depth"), ('{"sku": ' + "9" * 15_000 + "}", "parse.non_finite"), ("\x00", "parse.not_json")],
    ids=["deep", "a long number", "a null"],
)
def test_raw_text_that_breaks_a_parser_breaks_no_grader(raw: str, code: str) -> None:
    exercise = graded({**GOOD, "odd": fixture(raw, code)})
    assert exercise.points == 4 and survivors(exercise) <= survivors(graded(GOOD))


def test_many_fixtures_are_cut_off_and_said() -> None:
    many = {f"valid-{n:03}": GOOD["valid"] for n in range(MAX_FIXTURES + 50)}
    exercise = graded(many)
    told = [check.told for check in exercise.checks if check.code == "pack.fixture"]
    assert len(told) == 1 and told[0].startswith("not looked at: more than 60 fixtures or 60000 characters.")


def test_large_fixtures_are_cut_off_all_together_and_the_first_count() -> None:
    large = fixture({**VALID, "sku": "S" * 15_000}, "schema.length")
    exercise = graded({**GOOD, **{f"xx-{n}": large for n in range(9)}})
    told = [check.field for check in exercise.checks if check.code == "pack.fixture"]
    assert told == [f"{TOOL}/xx-3.json"] and exercise.points == 4 * 7 / 8


def test_a_name_with_control_characters_is_escaped() -> None:
    exercise = graded({"a\x1b[2J\n": []})
    assert exercise.checks[0].field == f"{TOOL}/a\\u001b[2J\\n.json"


def test_what_a_pack_in_a_cell_notices_does_not_depend_on_how_busy_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules["gate.lab.board"], "SECONDS", 0.000_001)  # the package has a function of that name
    [one] = [one for name, section in sections("memory") for one in asked(name, section) if one.id == "memory.pack"]
    [case] = cases(one, 7)
    seen = {"written": [{**handed, "id": name} for name, handed in GOOD.items()]}
    assert [judge(seen) for _, judge in case.probe.judges] == [True] * 6
