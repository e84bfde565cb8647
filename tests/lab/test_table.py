"""Rules of the decision table: nothing that was decided is lost, a frozen table stays, and the tests win."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.decision import Decision
from gate.errors import CODES, ConfigError
from gate.files import HOME
from gate.lab import ballot, compare, table
from gate.lab.ballot import TableError
from gate.lab.sheet import load_sheet
from gate.lab.table import Table
from gate.pipeline import Pipeline
from gate.registry import load_contracts
from gate.responses import load_responses
from gate.results import judge_result

TABLES = ("memory", "arguments", "fence")


def fill(filled: Table, choice: str = "block", reason: str = "why") -> Table:
    for row in filled.rows:
        filled.choose(row.id, choice, reason)
    return filled


def saved(work: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((work / "table-memory.json").read_text(encoding="utf-8"))
    return document


def put(work: Path, document: object) -> Path:
    work.mkdir(exist_ok=True)
    path = work / "table-memory.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


# --- The tables of the kit ---


@pytest.mark.parametrize("name", TABLES)
def test_each_table_of_the_kit_has_six_rows_and_known_codes(name: str) -> None:
    sheet = load_sheet(name)
    assert sheet.id == name
    assert sheet.row_ids() == tuple(f"row-{n}" for n in range(1, 7))
    known = {f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons}
    assert {row.code for row in sheet.rows} - {""} <= known


def test_answers_of_the_memory_table_are_what_the_gate_decides() -> None:
    contracts = load_contracts(HOME / "schemas")
    for row in load_sheet("memory").rows:
        contract = contracts.output(row.tool)
        decision = contract.judge(row.given) if contract else None
        codes = decision.codes if decision is not None else ("result.no_contract",)
        assert (row.id, row.answer, codes) == (row.id, "block" if codes else "allow", (row.code,) if row.code else ())


def test_answers_of_the_arguments_table_are_what_schema_and_store_decide() -> None:
    pipeline = Pipeline(load_contracts(HOME / "schemas"), ("schema", "store"))
    for row in load_sheet("arguments").rows:
        decision = pipeline.judge(row.tool, row.given)
        stopped = row.answer in ("schema", "store")  # the semantic gate needs a judge; its row passes these two
        assert (row.id, decision.codes) == (row.id, (row.code,) if stopped else ())
        assert decision.stage == (row.answer if stopped else "store")


def test_answers_of_the_fence_table_are_the_responses_decided_beforehand() -> None:
    responses = load_responses(HOME / "data" / "responses.json")
    for row in load_sheet("fence").rows:
        assert (row.id, row.answer) == (row.id, responses[row.code].we_do)


def sheet_file(folder: Path, change: Any) -> str:
    document = json.loads((HOME / "data/tables/memory.json").read_text(encoding="utf-8"))
    change(document)
    path = folder / "mine.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


FAULTS: dict[str, tuple[Any, str]] = {
    "row twice": (lambda d: d["rows"][1].update(id="row-1"), "row row-1 is there twice"),
    "choice twice": (lambda d: d["choices"][1].update(id="allow"), "choice allow is there twice"),
    "answer no choice": (lambda d: d["rows"][0].update(answer="reject"), "row-1 has the answer reject, no choice"),
    "field missing": (lambda d: d["rows"][0].pop("why"), "schema.missing_field at /rows/0/why"),
    "field unknown": (lambda d: d["rows"][0].update(whi="x"), "schema.unknown_field at /rows/0/whi"),
    "no rows": (lambda d: d.update(rows=[]), "schema.items at /rows"),
}


@pytest.mark.parametrize(("change", "says"), FAULTS.values(), ids=FAULTS.keys())
def test_refuses_to_start_on_a_faulty_table_file(tmp_path: Path, change: Any, says: str) -> None:
    path = sheet_file(tmp_path, change)
    with pytest.raises(ConfigError, match=re.escape(f"{path}: {says}")):
        table(path)


def test_a_table_that_is_not_there_is_said_with_its_path() -> None:
    with pytest.raises(ConfigError, match=r"data.tables.memry\.json: cannot be read"):
        table("memry")


# --- Deciding ---


def test_a_choice_is_saved_at_once_and_shown_again() -> None:
    table("memory").choose("row-3", "block", "no default")
    again = table("memory")
    assert again.decided()["row-3"] == {"choice": "block", "reason": "no default"}
    assert again.missing() == ("row-1", "row-2", "row-4", "row-5", "row-6")


def test_a_row_without_a_reason_is_still_open() -> None:
    mine = table("memory")
    mine.choose("row-1", "allow", "  ")
    assert "row-1" in mine.missing()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("row-9", "block"), 'there is no row "row-9". Next: use one of row-1, row-2'),
        ((3, "block"), "there is no row a value of type int"),
        (("row-1", "reject"), 'row-1: "reject" is not offered. Next: use one of allow, repair, block.'),
        (("row-1", None), "row-1: a value of type NoneType is not offered"),
        (("row-1", "allow", "x" * 501), "the reason has 501 characters of at most 500"),
        (("row-1", "allow", "\ud800"), "the reason holds a broken character"),
        (("row-1", "allow", 7), "the reason is a value of type int"),
    ],
)
def test_refuses_what_the_table_does_not_offer_and_saves_nothing(
    work: Path, arguments: tuple[Any, ...], says: str
) -> None:
    with pytest.raises(TableError, match=re.escape(says)):
        table("memory").choose(*arguments)
    assert not (work / "table-memory.json").exists()


def test_a_refusal_shows_one_line_in_a_notebook_instead_of_a_stack() -> None:
    with pytest.raises(TableError) as caught:
        table("memory").choose("row-9", "block")
    assert len(caught.value._render_traceback_()) == 1


# --- Freezing ---


def test_an_open_table_is_not_frozen() -> None:
    mine = table("memory")
    mine.choose("row-1", "allow", "why")
    with pytest.raises(TableError, match="not frozen: row-2, row-3, row-4, row-5, row-6 lack a choice or a reason"):
        mine.freeze()
    assert not mine.frozen


def test_the_last_open_row_is_named_alone() -> None:
    mine = fill(table("memory"))
    mine.choose("row-6", "", "")
    with pytest.raises(TableError, match="not frozen: row-6 lacks a choice or a reason. Next: decide it first."):
        mine.freeze()


def test_a_frozen_table_has_hash_and_date_and_refuses_another_choice() -> None:
    mine = fill(table("memory"))
    sha256 = mine.freeze()
    assert re.fullmatch("[0-9a-f]{64}", sha256)
    assert [(event["what"], event["sha256"]) for event in mine.history()] == [("freeze", sha256)]
    assert mine.history()[0]["at"].startswith("20")
    with pytest.raises(TableError, match="row-1 is not changed: the table is frozen"):
        mine.choose("row-1", "allow", "why")
    assert table("memory").decided()["row-1"]["choice"] == "block"


def test_running_the_same_cells_again_after_freezing_is_no_change() -> None:
    first = fill(table("memory")).freeze()
    assert fill(table("memory")).freeze() == first
    assert len(table("memory").history()) == 1


def test_unfreezing_needs_a_reason_which_is_kept() -> None:
    mine = fill(table("memory"))
    mine.freeze()
    with pytest.raises(TableError, match="unfreeze needs a reason"):
        mine.unfreeze(" ")
    mine._receive({"do": "unfreeze", "reason": ""})
    assert mine._state()["refused"] == (
        "still frozen: unfreeze needs a reason, which is kept. "
        'Next: write the reason beside Unfreeze and press it (in code: .unfreeze("why")).'
    )
    assert mine.frozen
    mine.unfreeze("the tests said block")
    mine.choose("row-1", "allow", "why")
    mine.freeze()
    events = [(event["what"], event["reason"]) for event in table("memory").history()]
    assert events == [("freeze", ""), ("unfreeze", "the tests said block"), ("freeze", "")]


def test_an_open_table_cannot_be_unfrozen() -> None:
    with pytest.raises(TableError, match="the table is not frozen"):
        table("memory").unfreeze("why not")


def test_the_hash_follows_what_was_decided_and_nothing_else() -> None:
    mine = fill(table("memory"))
    first = mine.freeze()
    mine.unfreeze("try")
    mine.choose("row-1", "allow", "why")
    second = mine.freeze()
    mine.unfreeze("back")
    mine.choose("row-1", "block", "why")
    assert mine.freeze() == first != second


def test_a_table_changed_outside_after_freezing_says_so(work: Path) -> None:
    fill(table("memory")).freeze()
    document = saved(work)
    document["rows"]["row-1"]["choice"] = "allow"
    put(work, document)
    assert table("memory").notes == (
        "This is not what was frozen: rows or answers were changed outside. Next: unfreeze with a reason.",
    )


# --- Files that are not as they should be ---


def test_a_broken_answers_file_is_kept_beside_and_said_in_the_table(work: Path) -> None:
    put(work, {"version": 1, "table": "memory", "rows": [], "history": []})
    mine = table("memory")
    assert mine.missing() == load_sheet("memory").row_ids()
    assert "table-memory.json could not be used (schema.type at /rows" in mine.as_text()
    assert (work / "table-memory.broken-1.json").exists()
    mine.choose("row-1", "allow", "why")
    assert table("memory").decided()["row-1"]["choice"] == "allow"


def test_answers_of_an_older_version_are_copied_and_taken_over(work: Path) -> None:
    fill(table("memory"))
    put(work, {**saved(work), "version": 0})
    mine = table("memory")
    assert mine.missing() == ()
    assert "written by another version of the kit" in mine.notes[0]
    assert (work / "table-memory.version-0-1.json").exists()


def test_a_row_or_choice_that_the_table_lost_stays_in_the_file(work: Path) -> None:
    fill(table("memory"))
    document = saved(work)
    document["rows"]["row-7"] = document["rows"]["row-1"]
    document["rows"]["row-2"] = {**document["rows"]["row-2"], "choice": "reject"}
    put(work, document)
    mine = table("memory")
    assert mine.missing() == ("row-2",)
    assert mine.notes == (
        'row-2: "reject" is not offered any more; it stays in the file until you choose.',
        "The table has no row-7 any more; what you decided there stays in the file.",
    )
    mine.choose("row-3", "allow", "why")
    assert saved(work)["rows"]["row-2"]["choice"] == "reject"
    assert saved(work)["rows"]["row-7"] == document["rows"]["row-7"]


def test_a_read_only_file_keeps_the_choice_in_the_table_and_says_so(work: Path) -> None:
    table("memory").choose("row-1", "allow", "why")
    (work / "table-memory.json").chmod(0o444)
    mine = table("memory")
    mine.choose("row-2", "block", "why")
    assert mine.decided()["row-2"]["choice"] == "block"
    assert "is read-only" in mine.notes[0]
    assert mine._state()["saved"] is False
    (work / "table-memory.json").chmod(0o644)
    mine.choose("row-3", "block", "why")
    assert table("memory").missing() == ("row-4", "row-5", "row-6")


def test_two_kernels_are_merged_row_by_row_and_the_newest_choice_counts(work: Path) -> None:
    one, two = table("memory"), table("memory")
    one.choose("row-1", "allow", "one")
    two.choose("row-2", "block", "two")
    two.choose("row-1", "block", "two")
    one.choose("row-3", "block", "one")
    rows = {name: (row["choice"], row["reason"]) for name, row in table("memory").decided().items() if row["choice"]}
    assert rows == {"row-1": ("block", "two"), "row-2": ("block", "two"), "row-3": ("block", "one")}


def test_a_table_that_another_kernel_froze_is_not_changed() -> None:
    mine = fill(table("memory"))
    table("memory").freeze()
    with pytest.raises(TableError, match="the table is frozen"):
        mine.choose("row-1", "allow", "why")


def test_a_clock_that_was_set_back_does_not_lose_the_newer_choice(work: Path) -> None:
    table("memory").choose("row-1", "allow", "why")
    document = saved(work)
    document["rows"]["row-1"]["at"] = "2090-01-01T00:00:00.000000+00:00"
    put(work, document)
    table("memory").choose("row-1", "block", "newer")
    assert saved(work)["rows"]["row-1"]["at"] == "2090-01-01T00:00:00.000001+00:00"


SHEET = load_sheet("memory")
ROW = st.fixed_dictionaries(
    {
        "choice": st.sampled_from(["", "allow", "block"]),
        "reason": st.text(max_size=3),
        "at": st.integers(0, 9).map(lambda n: f"2026-01-01T00:00:00.00000{n}+00:00"),
    }
)
EVENT = st.integers(0, 9).map(
    lambda n: {"at": f"2026-01-01T00:00:00.00000{n}+00:00", "what": "freeze", "sha256": "0" * 64, "reason": ""}
)
BALLOT = st.fixed_dictionaries(
    {
        "table": st.just("memory"),
        "rows": st.dictionaries(st.sampled_from(SHEET.row_ids()), ROW),
        "history": st.lists(EVENT, max_size=3, unique_by=lambda event: event["at"]).map(
            lambda events: sorted(events, key=lambda event: event["at"])
        ),
    }
)


@given(BALLOT, BALLOT, BALLOT)
def test_merging_is_the_same_in_every_order_and_loses_no_row(a: Any, b: Any, c: Any) -> None:
    both = ballot.merge(a, b)
    assert both == ballot.merge(b, a)
    assert ballot.merge(both, both) == both
    assert ballot.merge(both, c) == ballot.merge(a, ballot.merge(b, c))
    for name in {*a["rows"], *b["rows"]}:
        candidates = [pair["rows"][name] for pair in (a, b) if name in pair["rows"]]
        assert both["rows"][name] in candidates
        assert both["rows"][name]["at"] == max(row["at"] for row in candidates)


# --- Comparing ---


def their_file(folder: Path, name: str = "memory") -> Path:
    """Write the table of another pair, who say allow everywhere, and return its file."""
    mine = table(name)
    before = mine.decided()
    path = fill(mine, "allow", "they know")._answers.path
    theirs = path.rename(folder / "theirs.json")
    for row, kept in before.items():
        table(name).choose(row, kept["choice"], kept["reason"])
    return theirs


def test_two_pairs_are_compared_row_by_row(tmp_path: Path) -> None:
    theirs = their_file(tmp_path)
    mine = fill(table("memory"), "allow", "we know")
    mine.choose("row-3", "block", "no default")
    mine.choose("row-5", "", "")
    found = mine.compare(theirs)
    assert found.rows == ("row-3", "row-5")
    assert repr(found) == (
        "the two pairs differ on 2 of 6 rows.\n"
        "  row-3 (missing warehouse): mine say block (no default); theirs say allow (they know)\n"
        "  row-5 (unknown tool): mine say nothing yet; theirs say allow (they know)\n"
        "Settle each of them in the schema, in version control, not in the prose: the gate reads only the schema."
    )
    assert compare(mine, theirs) == found
    assert compare(theirs, mine).rows == found.rows


def test_two_reasons_for_one_choice_are_no_disagreement(tmp_path: Path) -> None:
    theirs = their_file(tmp_path)
    found = compare(theirs, fill(table("memory"), "allow", "we think"))
    assert found.agreed
    assert repr(found) == "the two pairs agree on all 6 rows."


def test_a_file_that_is_no_filled_in_table_is_not_compared_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "theirs.json"
    path.write_text('{"version": 1, "rows": 4}', encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(f"{path} is no filled-in table")):
        table("memory").compare(path)
    assert path.read_text(encoding="utf-8") == '{"version": 1, "rows": 4}'


def test_two_different_tables_are_not_compared() -> None:
    with pytest.raises(TableError, match="memory and fence are two tables"):
        compare(table("memory"), table("fence"))


def judged(mine: Table) -> dict[str, str | Decision]:
    """What the kit's contracts make of each row."""
    contracts = load_contracts(HOME / "schemas")
    return {row.id: judge_result(contracts, row.tool, row.given) for row in mine.rows}


def test_if_table_and_tests_disagree_the_tests_win_row_by_row() -> None:
    mine = fill(table("memory"), "block")
    mine.choose("row-4", "allow", "it is nearly a number")
    found = mine.check_against(judged(mine))
    assert found.rows == ("row-1", "row-4")
    assert found.lines[1].startswith(
        "row-4 (quantity as text): your table says allow, the tests say block. The tests win. Turning "
    )
    assert not found.agreed and found.talk == ()
    assert found.advice.startswith("Next: correct the row; if the table is frozen, unfreeze it with a reason first. ")
    shown = found._repr_html_()
    assert shown.startswith("<p>table and tests differ on 2 of 6 rows.</p><ul><li>row-1 (valid): ")
    assert "Turning &quot;4&quot; into 4" in shown


def test_repair_against_block_is_worth_a_talk_and_no_disagreement_for_both_refuse() -> None:
    mine = table("memory")
    for row in mine.rows:
        mine.choose(row.id, {"row-4": "repair"}.get(row.id, row.answer), "why")
    found = mine.check_against(judged(mine))
    assert found.agreed and found.lines == ()
    [talk] = found.talk
    assert talk.startswith("row-4 (quantity as text): your table says repair, the tests say block. Turning ")
    agree, worth = "table and tests agree on all 6 rows.", "Worth a talk, nothing to correct, for both refuse:"
    assert repr(found) == f"{agree}\n{worth}\n  {talk}"
    assert found._repr_html_().startswith(f"<p>{agree}</p><p>{worth}</p><ul><li>row-4 (quantity as text): ")


def test_repair_against_block_is_a_disagreement_where_the_table_asks_how_to_refuse() -> None:
    mine = table("fence")
    row = next(row for row in mine.rows if row.answer == "repair")
    mine.choose(row.id, "block", "no second try")
    found = mine.check_against({row.id: row.answer for row in mine.rows})
    assert row.id in found.rows and found.talk == ()


def test_a_table_that_asks_for_the_stage_is_checked_against_the_stage() -> None:
    mine = table("arguments")
    for row in mine.rows:
        mine.choose(row.id, row.answer, "why")
    judged = {row.id: Decision("allow" if row.answer == "allow" else "block", row.answer) for row in mine.rows}
    assert mine.check_against(judged).agreed


def test_a_row_that_was_not_judged_is_not_agreed() -> None:
    mine = fill(table("memory"))
    found = mine.check_against({row.id: "block" for row in mine.rows[1:]})
    assert found.lines == ("row-1 (valid): not judged. Next: run the tests on this row too.",)
    assert not found.agreed


# --- Showing ---


def test_the_plain_table_reads_the_same_whenever_it_is_shown() -> None:
    fill(table("memory")).freeze()
    first, second = (table("memory")._repr_mimebundle_() for _ in range(2))
    assert {kind: first[kind] for kind in ("text/plain", "text/html")} == {
        kind: second[kind] for kind in ("text/plain", "text/html")
    }
    shown = first["text/plain"] + first["text/html"]
    assert "row-4  quantity as text: block" in first["text/plain"]
    assert table("memory").history()[0]["at"][:10] not in shown


def test_what_a_person_typed_is_no_markup() -> None:
    mine = table("memory")
    mine.choose("row-1", "allow", "<img src=x onerror=alert(1)>")
    assert "<img" not in mine._repr_mimebundle_()["text/html"]


def test_the_plain_form_alone_is_shown_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_PLAIN", "1")
    assert sorted(table("memory")._repr_mimebundle_()) == ["text/html", "text/plain"]


def test_the_browser_is_not_told_the_answers() -> None:
    sent = json.dumps(table("memory")._printed())
    assert not [row.why for row in SHEET.rows if row.why in sent]
    assert '"answer"' not in sent


def test_a_message_of_the_browser_that_makes_no_sense_changes_nothing(work: Path) -> None:
    mine = table("memory")
    for message in ({}, {"do": "choose"}, {"do": "choose", "row": "row-1", "choice": 4}, {"do": ["freeze"]}):
        mine._receive(message)
    assert not work.exists()
    mine._receive({"do": "choose", "row": "row-9", "choice": "allow"})
    assert mine._state()["refused"].startswith('there is no row "row-9"')
    mine._receive({"do": "choose", "row": "row-1", "choice": "allow"})
    assert mine._state()["refused"] == ""
