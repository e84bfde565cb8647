"""Rules of the boards: whatever a student's code does becomes a row, the same in every run, and is saved."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.decision import Decision, block
from gate.errors import ConfigError, Finding, ResultGateError
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.files import HOME
from gate.lab import board, hint, reset, table
from gate.lab.attacks import ATTACKS, Got
from gate.lab.board import run_rule, turned_green
from gate.lab.board_file import Board, load_board
from gate.lab.plan import load_plan
from gate.lab.rules import KINDS, Rule
from gate.lab.status import board_status
from gate.memory import AgentMemory
from gate.registry import load_contracts
from gate.results import validate_tool_result

GOOD = '{"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}'
BOARDS = sorted(path.stem for path in (HOME / "data" / "boards").glob("*.json"))
Student = Callable[..., Any]


def trial(kind: str, student: Any, rule: Rule) -> Got:
    """Return what came of one rule."""
    chosen = Board("t.board", "t/01", "a title", kind, "", ("a", "b", "c"), (rule,), False)
    return run_rule(chosen, rule, student).got


def rule(expect: str = "block", given: str = GOOD, **parts: Any) -> Rule:
    return Rule("one", "In words.", expect, given, **{"tool": "inventory.lookup", **parts})


def save(folder: Path, name: str, **changes: Any) -> Path:
    """Write a kit with one small board in it and return the kit's folder."""
    path = folder / "data" / "boards" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    small = {
        "id": name, "notebook": "memory/03_fail_closed", "title": "a title", "try": "validate",
        "tool": "inventory.lookup", "hints": ["a", "b", "c"],
        "rules": [{"id": "one", "words": "In words.", "given": GOOD, "expect": "allow"}],
    }  # fmt: skip
    path.write_text(json.dumps({**small, **changes}), encoding="utf-8")
    return folder


# --- whatever the student's code does -------------------------------------------------------------------------------


class Shouting(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def raises(error: BaseException) -> Student:
    def student(tool: Any, payload: Any) -> Any:
        raise error

    return student


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("quantity"), "raised KeyError: 'quantity'"),
        (SystemExit(3), "raised SystemExit: 3"),
        (RecursionError("too deep"), "raised RecursionError: too deep"),
        (Shouting(), "raised Shouting: (its text raises RuntimeError)"),
        (ValueError("two\nlines"), "raised ValueError: two lines"),
        (TypeError("<object at 0x7f30aa12>"), "raised TypeError: <object at 0x…>"),
        (GeneratorExit(), "raised GeneratorExit"),
    ],
)
def test_makes_a_red_row_of_any_exception(error: BaseException, words: str) -> None:
    assert trial("validate", raises(error), rule()) == Got("crash", words)


def test_makes_a_red_row_of_an_endless_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_rule.__globals__, "SECONDS", 0.1)

    def endless(tool: Any, payload: Any) -> Any:
        while True:
            try:
                payload["quantity"]
            except Exception:
                continue

    told = trial("validate", endless, rule()).words
    assert told.startswith(
        "did not end within 0.1 seconds and was stopped: a loop without an end, or waiting for a lock"
    )


def test_does_not_wait_for_every_rule_once_two_did_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_rule.__globals__, "SECONDS", 0.1)

    def endless(tool: Any, payload: Any) -> Any:
        while True:
            pass

    got = [row.got.words for row in board("memory.validate", endless, trial=True).rows]
    assert [words.startswith("did not end") for words in got[:2]] == [True, True]
    assert set(got[2:]) == {"not tried: 2 rules before did not end"}


def test_lets_the_person_at_the_keyboard_stop_the_board() -> None:
    with pytest.raises(KeyboardInterrupt):
        trial("validate", raises(KeyboardInterrupt()), rule())


@pytest.mark.parametrize("student", [..., raises(NotImplementedError("validate_tool_result"))])
def test_says_of_a_stub_that_it_is_not_written_yet(student: Any) -> None:
    got = trial("validate", student, rule())
    assert got.outcome == "unwritten" and got.words.startswith("not written yet: ")


def test_shows_nothing_of_what_the_student_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def chatty(tool: Any, payload: Any) -> Any:
        print("hello")
        return dict(payload)

    assert trial("validate", chatty, rule("allow")).outcome == "allow"
    assert capsys.readouterr().out == ""


# --- kinds of boards ------------------------------------------------------------------------------------------------


def test_validate_allows_only_what_comes_back_as_it_was() -> None:
    def fills_in(tool: Any, payload: Any) -> Any:
        return {"warehouse": "sfo", **payload}

    missing = '{"sku": "SKU-19", "quantity": 4}'
    assert trial("validate", lambda tool, payload: dict(payload), rule()).outcome == "allow"
    assert trial("validate", fills_in, rule(given=missing)).outcome == "changed"
    assert trial("validate", lambda tool, payload: {**payload, "quantity": True}, rule(given=GOOD)).outcome == "changed"
    assert trial("validate", lambda tool, payload: None, rule()).outcome == "unclear"


def test_validate_tells_a_copy_from_the_payload_itself() -> None:
    copied = rule("hold", case="copy")
    assert trial("validate", lambda tool, payload: payload, copied).outcome == "broken"
    assert trial("validate", lambda tool, payload: dict(payload), copied).outcome == "hold"


def test_validate_hands_text_over_as_text_and_a_tool_name_that_cannot_be_hashed() -> None:
    seen: list[Any] = []

    def look(tool: Any, payload: Any) -> Any:
        seen.append((tool, payload))
        raise ResultGateError("no")

    text = '{"quantity": NaN, "quantity": 4}'
    assert trial("validate", look, rule(given=text, form="text", tool=["inventory.lookup"])).outcome == "block"
    assert seen == [(["inventory.lookup"], text)]


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        ("allow", "allow"),
        ("repair", "repair"),
        ("block", "block"),
        ({"outcome": "block"}, "block"),
        ({"decision": "allow"}, "allow"),
        (Decision("block", "schema", (Finding("schema.type", "", "wrong"),)), "block"),
        (Decision("allow", "schema", (), {"a": 1}), "allow"),
        (True, "unclear"),
        (None, "unclear"),
        ("Allow", "unclear"),
        ({}, "unclear"),
    ],
)
def test_gate_takes_decisions_outcomes_and_dicts_that_hold_one(verdict: Any, outcome: str) -> None:
    assert trial("gate", lambda payload: verdict, rule(tool="")).outcome == outcome


def test_gate_hands_over_the_tool_where_the_board_names_one_and_takes_a_refusal_raised() -> None:
    assert trial("gate", lambda tool, payload: "allow", rule("allow")).outcome == "allow"
    assert trial("gate", raises(ResultGateError("no")), rule()).outcome == "block"


def test_call_compares_as_json_does_token_by_token() -> None:
    one = rule("[1, 4]", "[[3, 1]]")
    assert trial("call", lambda numbers: [1, 4], one).outcome == "[1, 4]"
    assert trial("call", lambda numbers: [True, 4], one).outcome == "other"
    assert trial("call", lambda numbers: [1, 4.0], one).words == "returned [1, 4.0]"


def test_call_notices_what_is_changed_in_passing_where_a_rule_says_so() -> None:
    one = rule("2", "[[3, 1]]", case="untouched")
    assert trial("call", len, one).outcome == "2"
    assert trial("call", lambda numbers: 2 if numbers.clear() is None else 0, one) == (
        "changed", "what it was handed is now [[]]", ()
    )  # fmt: skip
    assert board("memory.invented", keys_that_empty).red == ("untouched",)


def keys_that_empty(events: list[dict[str, Any]]) -> list[str]:
    found: set[str] = set()
    while events:
        found |= set(events.pop()["content"]) - {"sku", "quantity", "warehouse"}
    return sorted(found)


def test_a_pattern_that_takes_small_letters_is_red_in_the_contract() -> None:
    schema = json.loads((HOME / "schemas" / "inventory.lookup.output.schema.json").read_text(encoding="utf-8"))
    schema["properties"]["sku"]["pattern"] = r"^[\w-]+$"
    assert board("memory.contract", schema).red == ("small-letters",)


CLOSED = {
    "type": "object", "additionalProperties": False, "required": ["n"],
    "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
}  # fmt: skip


def test_schema_is_judged_by_the_kits_own_vetting_and_engine() -> None:
    loose = {**CLOSED, "properties": {"n": {"type": "integer"}}}
    assert trial("schema", CLOSED, rule("hold", "", case="errors")).outcome == "hold"
    assert trial("schema", CLOSED, rule("hold", "", case="warnings")).outcome == "hold"
    assert trial("schema", loose, rule("hold", "", case="warnings")).words.startswith("contract.unbounded_number")
    assert trial("schema", CLOSED, rule("allow", '{"n": 4}')).outcome == "allow"
    assert trial("schema", CLOSED, rule("block", '{"n": 40}')).codes == ("schema.range",)


def test_an_open_schema_judges_all_the_same_so_that_one_sees_what_it_lets_in() -> None:
    opened = {key: value for key, value in CLOSED.items() if key != "additionalProperties"}
    assert trial("schema", opened, rule("hold", "", case="errors")).words.startswith("contract.open")
    assert trial("schema", opened, rule("block", '{"n": 4, "more": 1}')).outcome == "allow"


@pytest.mark.parametrize("student", [None, [], "text", {"type": "strnig"}, {**CLOSED, "$ref": "http://127.0.0.1:9/x"}])
def test_what_is_no_contract_at_all_leaves_every_row_red(student: Any) -> None:
    assert trial("schema", student, rule("hold", "", case="errors")).outcome == "open"
    assert trial("schema", student, rule("allow", '{"n": 4}')).outcome == "no contract"


class Naive:
    def __init__(self, **_: Any) -> None:
        self.events: list[Any] = []

    def append_tool_result(self, tool: Any, payload: Any, tool_use_id: str | None = None) -> Any:
        self.events.append({"role": "tool", "name": tool, "content": payload})
        return payload


class Late(Naive):
    """Appends first, validates later."""

    def append_tool_result(self, tool: Any, payload: Any, tool_use_id: str | None = None) -> Any:
        super().append_tool_result(tool, payload)
        return validate_tool_result(tool, payload)


class Silent(Naive):
    """Refuses by doing nothing."""

    def append_tool_result(self, tool: Any, payload: Any, tool_use_id: str | None = None) -> Any:
        return None


def test_memory_tells_a_refusal_from_a_refusal_that_came_too_late() -> None:
    bad = rule(given='{"sku": "SKU-19"}')
    assert trial("memory", Naive, bad).outcome == "allow"
    assert trial("memory", Late, bad).outcome == "leaked"
    assert trial("memory", Silent, bad).outcome == "lost"
    assert trial("memory", AgentMemory, bad).outcome == "block"


def test_a_memory_that_takes_no_id_for_an_id_is_told_so() -> None:
    class Twins(AgentMemory):
        seen: set[str | None]

        def append_tool_result(self, tool: str, payload: Any, tool_use_id: str | None = None) -> Any:
            self.seen = getattr(self, "seen", set())
            if tool_use_id in self.seen:
                raise ResultGateError("this call has a result")
            self.seen.add(tool_use_id)
            return super().append_tool_result(tool, payload, tool_use_id)

    got = trial("memory", Twins, rule("hold", "", case="same_call_twice"))
    assert got == Got("broken", "a second result without a call id was refused: None is no id")


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_attack_succeeds_on_a_naive_memory_and_fails_on_the_kits_own(attack: str) -> None:
    one = rule("hold", "", case=attack)
    assert trial("memory", Naive, one).outcome == "broken"
    assert trial("memory", AgentMemory, one).outcome == "hold"


def test_pack_says_which_fault_no_fixture_notices() -> None:
    pack = [one for one in load_fixtures("fixtures/inventory.lookup") if one.id in ("valid", "extra-field")]
    assert trial("pack", pack, rule("hold", "", case="drop-unknown")).words == "noticed by extra-field"
    assert trial("pack", pack, rule("hold", "", case="coerce")).outcome == "unseen"
    assert trial("pack", HOME / "fixtures" / "inventory.lookup", rule("hold", "", case="coerce")).outcome == "hold"
    assert trial("pack", tuple(pack), rule("hold", "", case="drop-unknown")).outcome == "hold"
    assert trial("pack", [], rule("hold", "", case="coerce")).outcome == "no pack"
    assert trial("pack", pack, rule("hold", "", case="no-such")).outcome == "no such fault"


def relabelled(codes: tuple[str, ...]) -> list[Fixture]:
    [pack] = [one for one in load_fixtures("fixtures/inventory.lookup") if one.id == "extra-field"]
    return [replace(pack, label="block" if codes else "allow", codes=codes)]


def named(name: str) -> Fixture:
    return replace(relabelled(("schema.unknown_field",))[0], id=name)


@pytest.mark.parametrize(
    ("pack", "says"),
    [
        (
            relabelled(("schema.enum",)),
            "extra-field is labelled blocked for schema.enum, and is blocked for schema.unk",
        ),
        (relabelled(()), "extra-field is labelled allowed, and is blocked for schema.unknown_field. Next: "),
        ([{"payload": {}}], 'entry 1 of the pack is {"payload": {}}, no fixture. Next: make it with fixture(…).'),
        ([...], "entry 1 of the pack is a ellipsis, no fixture."),
        (None, "the pack is None, no list. Next: write [fixture(…), …]."),
        ({"one": 1}, 'the pack is {"one": 1}, no list. Next: write [fixture(…), …].'),
        (named("one"), "the pack is a Fixture, no list. Next: write [fixture(…), …]."),
        ([named("extra key")], '"extra key" cannot name a fixture. Next: use a-z, 0-9, dash and underscore.'),
        ([named("one"), named("one")], "two fixtures are called one, and would be one file. Next: "),
    ],
)
def test_pack_says_which_entry_proves_nothing_and_what_to_do(pack: Any, says: str) -> None:
    got = trial("pack", pack, rule("hold", "", case="drop-unknown"))
    assert got.outcome == "no pack" and got.words.startswith(says)


def test_a_decision_that_was_returned_is_named_as_one() -> None:
    got = trial("validate", lambda tool, payload: load_contracts().output(tool).judge(payload), rule("allow"))
    assert got.outcome == "unclear"
    assert got.words == "returned a Decision (allow) and raised nothing: return its .value, or raise ResultGateError"


def test_findings_given_as_the_message_of_a_refusal_are_no_refusal() -> None:
    def lost(tool: Any, payload: Any) -> Any:
        raise ResultGateError(load_contracts().output(tool).judge({}).findings)  # type: ignore[arg-type]

    for tried in (trial("validate", lost, rule()), trial("memory", lambda: Memory(lost), rule("block", "{}"))):
        assert tried.outcome == "crash" and 'Next: raise ResultGateError("why", findings).' in tried.words


class Memory:
    """Refuses as it is told to."""

    def __init__(self, refuse: Student) -> None:
        self.events: list[Any] = []
        self.append_tool_result = refuse


class Quarantined(AgentMemory):
    """Puts into quarantine what a function makes of the refused payload."""

    def __init__(self, kept: Student) -> None:
        super().__init__()
        self._kept, self._own = kept, list[Any]()

    @property
    def quarantined(self) -> Any:
        return self._own

    def append_tool_result(self, tool: Any, payload: Any, tool_use_id: str | None = None) -> Any:
        try:
            return super().append_tool_result(tool, payload, tool_use_id)
        except ResultGateError:
            self._own.append(self._kept(payload))
            raise


HELD_STILL = "it is in quarantine only"
CHANGED = "changing the payload afterwards changed what quarantine holds"


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        pytest.param(str, HELD_STILL, id="its text"),
        pytest.param(json.dumps, HELD_STILL, id="its JSON"),
        pytest.param(lambda payload: {"raw": str(payload)}, HELD_STILL, id="its text in a dict"),
        pytest.param(dict, HELD_STILL, id="a copy"),
        pytest.param(lambda payload: payload, CHANGED, id="the payload itself"),
        pytest.param(lambda payload: {"raw": payload}, CHANGED, id="the payload itself in a dict"),
        pytest.param(len, "the refused payload is lost: quarantine does not hold it", id="its length"),
    ],
)
def test_a_refused_payload_stays_in_quarantine_as_it_was(kept: Student, says: str) -> None:
    got = trial("memory", lambda: Quarantined(kept), rule("hold", "", case="raw_not_in_transcript"))
    assert got.words == says


def test_what_is_no_json_in_a_list_is_named_beside_the_list() -> None:
    got = trial("call", lambda: [{"sku"}], rule("[]", "[]"))
    assert got.words == "returned a list with a set in it"


def test_the_value_of_a_decision_is_no_verdict_and_is_shown_as_it_was_returned() -> None:
    got = trial("gate", lambda tool, payload: load_contracts().output(tool).judge(payload).value, rule("allow"))
    assert got.words == (
        'returned {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}, which is neither allow, repair nor block.'
        " Next: return the Decision itself, not its .value."
    )


def test_a_bool_is_no_verdict_whichever_it_is() -> None:
    tried = {trial("gate", lambda tool, payload, one=one: one, rule()) for one in (True, False)}
    [got] = tried
    assert got.words == 'returned a bool. Next: return the Decision itself, or a word, "allow" or "block".'


@pytest.mark.parametrize("found", [(), (Finding("semantic.refused", "", "no", "mend it"),)])
def test_findings_that_were_returned_are_no_verdict(found: tuple[Finding, ...]) -> None:
    got = trial("gate", lambda tool, payload: found, rule())
    assert got.words == 'returned findings. Next: return "allow" where there are none, otherwise "block".'


def test_a_finding_that_was_returned_is_named_as_one() -> None:
    got = trial("gate", lambda tool, payload: Finding("parse.fence", "", "a fence", "drop it"), rule())
    assert got.words == "returned a Finding (parse.fence), which is neither allow, repair nor block"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (("done", []), 'returned ["done", []], as a tuple. Next: return plain lists and dicts.'),
        (["done", ()], 'returned ["done", []], with another type in it. Next: return plain lists and dicts.'),
        (["stopped", []], 'returned ["stopped", []]'),
        ({"done"}, "returned a set"),
    ],
)
def test_a_value_that_is_written_like_the_right_one_says_what_is_not_alike(value: Any, says: str) -> None:
    got = trial("call", lambda: value, rule('["done", []]', "[]"))
    assert (got.outcome, got.words) == ("other", says)


def test_a_counter_where_a_dict_is_wanted_is_named() -> None:
    got = trial("call", lambda: Counter(a=1), rule('{"a": 1}', "[]"))
    assert got.words == 'returned {"a": 1}, as a Counter. Next: return plain lists and dicts.'


@pytest.mark.parametrize("name", BOARDS)
def test_each_rule_can_be_read_alone_for_red_rows_come_first(name: str) -> None:
    leaning = ("But ", "So ", "Nor ", "And ", "Neither ", "The same as ")
    assert [one.id for one in load_board(name).rules if one.words.startswith(leaning)] == []


def test_shows_a_call_under_the_name_of_the_students_function() -> None:
    def tally(rows: Any) -> None: ...

    assert "given     tally([])\n" in repr(board("arguments.tally", tally, trial=True))
    assert "given     f([])\n" in repr(board("arguments.tally", lambda rows: rows, trial=True))


def test_a_refusal_for_another_reason_than_the_rule_names_is_red() -> None:
    named = rule(given='{"sku": "SKU-19"}', codes=("schema.enum",))
    chosen = Board("t.board", "t/01", "a title", "validate", "", ("a", "b", "c"), (named,), False)
    row = run_rule(chosen, named, validate_tool_result)
    assert not row.green and row.got.words.endswith("for another reason")


@pytest.mark.parametrize(
    ("findings", "says"),
    [
        ((), "refused, without a reason"),
        ((Finding("schema.type", "", "x", "y"),), "refused (schema.type), for another reason"),
    ],
)
def test_a_refusal_that_is_not_the_right_one_says_whether_it_gave_any_reason(findings: Any, says: str) -> None:
    chosen = load_board("fence.two_doors")
    [prose] = [one for one in chosen.rules if one.id == "prose-before"]
    assert run_rule(chosen, prose, lambda text: block("parse", findings)).got.words == says


# --- how it looks ---------------------------------------------------------------------------------------------------


def test_shows_red_rows_first_and_what_to_do_about_the_first_of_them() -> None:
    shown = repr(board("memory.leak", Late, trial=True))
    lines = shown.splitlines()
    assert lines[0] == "memory.leak, what a memory keeps: 1 of 5 green, 4 red"
    assert [line.split(":")[0] for line in lines if line.startswith(("RED", "green"))][0] == "RED    extra-key"
    assert lines[-2].startswith("green  valid")
    assert shown.count("       next ") == 1
    assert "refused, but it stands in memory all the same" in shown


def test_looks_the_same_in_every_run() -> None:
    first, second = (board("memory.validate", validate_tool_result) for _ in range(2))
    assert repr(first) == repr(second) and first._repr_html_() == second._repr_html_()
    assert not re.search(r"20\d\d-|0x[0-9a-f]{6}|\d+\.\d+ ?s\b", repr(first))


def test_shows_what_was_sent_and_what_was_raised_as_text_not_as_markup() -> None:
    page = board("memory.by_hand", raises(ValueError("<script>alert(1)</script>")), trial=True)._repr_html_()
    assert "<script>" not in page and html.escape("<script>alert(1)</script>") in page
    assert page.count("<tr>") == 7 and page.count("✗ red") == 6


def test_shows_invisible_characters_and_look_alikes_as_escapes() -> None:
    shown = repr(board("memory.validate", ..., trial=True))
    assert shown.isascii()
    assert "SKU-19\\n" in shown


# --- what is saved --------------------------------------------------------------------------------------------------


def test_saves_what_is_red_and_green_and_forgets_it_on_reset(work: Path) -> None:
    board("memory.by_hand", ...)
    board("memory.validate", validate_tool_result)
    saved = json.loads((work / "boards.json").read_text(encoding="utf-8"))
    assert saved["memory.by_hand"]["green"] == 0 and len(saved["memory.by_hand"]["red"]) == 6
    assert saved["memory.validate"]["red"] == []
    assert repr(reset("memory.by_hand")) == "memory.by_hand counts as never run."
    assert "memory.by_hand" not in json.loads((work / "boards.json").read_text(encoding="utf-8"))


def test_a_trial_saves_nothing_and_says_so(work: Path) -> None:
    shown = board("memory.by_hand", ..., trial=True)
    assert "nothing is saved" in repr(shown) and not (work / "boards.json").exists()


def test_says_so_when_progress_cannot_be_saved(work: Path) -> None:
    work.write_text("a file where the folder should be", encoding="utf-8")
    result = board("memory.by_hand", validate_tool_result)
    assert result.green and "Not saved" in repr(result)


def test_status_says_of_each_board_how_far_it_is() -> None:
    board("memory.by_hand", validate_tool_result)
    board("memory.validate", ...)
    state = {one.board: one.state for one in board_status()}
    assert (state["memory.by_hand"], state["memory.validate"], state["memory.isolate"]) == ("green", "red", "not run")
    assert "memory.leak" not in state  # a board that is only ever a trial


def test_status_lists_boards_as_a_class_meets_them() -> None:
    plan = load_plan(HOME / "data" / "labs.json").values()
    met = [one.id for lab in plan for section in lab.sections for one in section.exercises]
    listed = [one.board for one in board_status() if one.board in met]
    assert listed == [name for name in met if name in listed] and len(listed) > 20
    labs = [one.notebook.split("/")[0] for one in board_status()]
    assert [*dict.fromkeys(labs)] == [lab.id for lab in plan] and labs == sorted(labs, key=[*dict.fromkeys(labs)].index)


def test_knows_whether_the_boards_of_this_very_function_were_green() -> None:
    def mine(tool: Any, payload: Any) -> Any:
        return dict(payload)

    assert turned_green(mine) is None
    board("memory.by_hand", mine)
    board("memory.validate", validate_tool_result)
    assert turned_green(mine) is False and turned_green(validate_tool_result) is True


def test_says_that_the_tests_win_over_a_decision_table_that_says_something_else() -> None:
    pair = table("memory")
    pair.choose("row-3", "allow", "sfo is the usual one")
    pair.choose("row-4", "repair", "refuse it, and say what is wanted")
    pair.choose("row-6", "block", "not on the list")
    [differs] = board("memory.by_hand", validate_tool_result).notes
    assert differs.startswith("row-3 (missing warehouse): your table says allow, the tests say block. The tests win.")
    assert differs.endswith(
        "Next: go to the table and change the row; if the table is frozen, unfreeze it with a reason first."
    )
    assert board("memory.by_hand", validate_tool_result, trial=True).notes == (
        "A trial: red is allowed here, and nothing is saved.",
    )


def test_gives_three_hints_and_no_fourth() -> None:
    shown = [repr(hint("memory.validate", level)) for level in (1, 2, 3)]
    assert len(set(shown)) == 3 and shown[0].endswith("More: hint('memory.validate', 2)") and "More" not in shown[2]
    for level in (0, 4):
        with pytest.raises(ConfigError, match=r"ask for 1, 2 or 3"):
            hint("memory.validate", level)


# --- the files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOARDS)
def test_each_board_of_the_kit_can_be_used_and_says_what_to_do_for_each_row(name: str) -> None:
    loaded = load_board(name)
    assert loaded.kind in KINDS and loaded.rules
    for one in loaded.rules:
        assert one.id.startswith("planted-") or one.next, f"{name}: {one.id} has no next"


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("memory.leak", AgentMemory),
        ("memory.contract", load_contracts().output("inventory.lookup").schema),  # type: ignore[union-attr]
        ("memory.by_hand", validate_tool_result),
        ("memory.validate", validate_tool_result),
        ("memory.isolate", AgentMemory),
        ("memory.pack", "fixtures/inventory.lookup"),
    ],
)
def test_the_kits_own_code_turns_the_memory_labs_boards_green(name: str, student: Any) -> None:
    assert board(name, student).red == ()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "other"}, "name file and id alike"),
        ({"hints": ["one"]}, "hints"),
        ({"try": "magic"}, "try"),
        ({"rules": [{"id": "a", "words": "b", "expect": "allow"}]}, "rule a tries nothing"),
        ({"rules": [{"id": "a", "words": "b", "expect": "allow", "given": "1"}] * 2}, "rule a is there twice"),
        ({"rules": [{"id": "a", "words": "b", "expect": "allow", "given": "1", "row": "r"}]}, "but the board no table"),
        ({"rules": [{"id": "a", "words": "b", "expect": "allow", "given": "{"}]}, "rule a hands over what is no JSON"),
        ({"rules": [{"id": "a", "words": "b", "expect": "sure", "given": "1"}]}, "rule a expects sure"),
        ({"try": "call", "rules": [{"id": "a", "words": "b", "expect": "{", "given": "[]"}]}, "rule a expects {"),
        ({"try": "memory", "rules": [{"id": "a", "words": "b", "expect": "hold", "case": "x"}]}, "names the case x"),
        ({"surprise": 1}, "surprise"),
        ({"planted": {"seed": 1, "given": ["{}"], "allow": 1, "block": 1}}, "run out"),
    ],
)
def test_refuses_a_board_that_cannot_be_used_and_says_why(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(says)):
        load_board("small.board", save(tmp_path, "small.board", **changes))


def test_refuses_a_board_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="no.such.board"):
        board("no.such.board", ...)


def test_a_file_dropped_in_is_a_board(tmp_path: Path) -> None:
    assert load_board("small.board", save(tmp_path, "small.board")).rules[0].words == "In words."


# --- planted inputs -------------------------------------------------------------------------------------------------


def test_plants_the_same_inputs_for_the_same_seed_and_others_for_another(tmp_path: Path) -> None:
    def planted(seed: int) -> list[Rule]:
        sown = {"seed": seed, "given": [GOOD], "allow": 3, "block": 11}
        return list(load_board("small.board", save(tmp_path, "small.board", planted=sown)).rules[1:])

    first, again, other = planted(7), planted(7), planted(8)
    assert first == again and first != other
    assert [one.expect for one in first].count("block") == 11 and len(first) == 14


def test_plants_every_kind_of_fault_once_and_lets_the_contract_say_what_must_become_of_it() -> None:
    planted = [one for one in load_board("memory.validate").rules if one.id.startswith("planted-")]
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    assert len({one.words for one in planted if one.expect == "block"}) == 11
    for one in planted:
        assert contract.judge(json.loads(one.given)).outcome == one.expect
