"""Fixtures are data: a file that is dropped in is a test, and one that cannot be used says which and why."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import CODES, ConfigError
from gate.evidence.fixtures import Fixture, load_fixture, load_fixtures, save_fixture
from gate.files import HOME
from gate.results import judge_side
from tests.cases_kit import kit
from tests.strategies import texts, values

KIT = load_fixtures()
GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
VALID = {"tool": "inventory.lookup", "label": "allow", "payload": GOOD}


def folder_of(fixture: Fixture) -> str:
    """The folder it lies in: a fixture of a misspelt tool lies with the tool it should have named."""
    (path,) = (path for path in HOME.glob(f"fixtures/*/{fixture.id}.json") if load_fixture(path) == fixture)
    return path.parent.name


@pytest.mark.parametrize("second", [False, True], ids=["first engine", "second engine"])
@pytest.mark.parametrize("fixture", KIT, ids=lambda fixture: f"{fixture.tool}/{fixture.id}")
def test_a_fixture_of_the_kit_comes_to_its_label_for_exactly_its_codes(fixture: Fixture, second: bool) -> None:
    decision = judge_side(kit(second), fixture.tool, fixture.side, fixture.payload)
    assert decision.codes == fixture.codes
    assert decision.outcome == fixture.label
    assert (decision.value is None) == (fixture.label == "block")


@pytest.mark.parametrize("fixture", KIT, ids=lambda fixture: f"{fixture.tool}/{fixture.id}")
def test_a_fixture_of_the_kit_says_why_it_is_there(fixture: Fixture) -> None:
    assert fixture.note
    assert all(reason in CODES[stage] for stage, reason in (code.split(".") for code in fixture.codes))


def test_every_file_that_is_dropped_in_is_tested() -> None:
    found = HOME.glob("fixtures/*/*.json")
    files = {f"{path.parent.name}/{path.stem}" for path in found if path.parent.name != "recorded"}
    assert {f"{folder_of(fixture)}/{fixture.id}" for fixture in KIT} == files


def test_the_pack_of_the_memory_lab_has_every_kind_of_fault() -> None:
    codes = {fixture.codes for fixture in KIT if folder_of(fixture) == "inventory.lookup"}
    wanted = (
        "schema.unknown_field", "schema.type", "schema.missing_field", "schema.enum", "call.unknown_tool",
        "parse.duplicate_key", "parse.non_finite", "schema.pattern", "parse.fence",
    )  # fmt: skip
    assert {(), *((code,) for code in wanted)} <= codes


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user's own, with a folder for fixtures in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").mkdir()
    return tmp_path / "fixtures"


def put(path: Path, data: Any) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_a_user_s_own_fixtures_are_found_by_themselves(home: Path) -> None:
    put(home / "b.tool" / "one.json", VALID | {"tool": "b.tool"})
    put(home / "a.tool" / "two.json", VALID | {"tool": "a.tool", "note": "é"})
    put(home / "a.tool" / "one.json", VALID | {"tool": "a.tool", "side": "input"})
    put(home / "recorded" / "prompts.json", {"no": "fixture"})
    put(home / "tool_calls.jsonl", "not read")
    found = load_fixtures()
    assert [(one.tool, one.id, one.side, one.note) for one in found] == [
        ("a.tool", "one", "input", ""), ("a.tool", "two", "output", "é"), ("b.tool", "one", "output", ""),
    ]  # fmt: skip
    assert load_fixtures("fixtures/a.tool") == load_fixtures(home / "a.tool") == found[:2]
    assert load_fixtures("fixtures/b.tool/one.json", "fixtures/b.tool") == found[2:]


def test_a_place_without_a_fixture_is_told(home: Path) -> None:
    for places in ((), ("fixtures",), (home,), (home / "gone.json",), ("gone",)):
        with pytest.raises(ConfigError, match=r'" holds no fixture\. Next: name a JSON file or a folder of them\.'):
            load_fixtures(*places)


ALLOW = VALID
BLOCK = VALID | {"label": "block", "codes": ["schema.type"]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (ALLOW | {"lable": "allow"}, 'has no field "lable"'),
        ({name: value for name, value in ALLOW.items() if name != "tool"}, "names no tool"),
        (ALLOW | {"tool": ""}, "names no tool"),
        (ALLOW | {"tool": ["inventory.lookup"]}, "names no tool"),
        (ALLOW | {"side": "Output"}, 'has the side "Output"'),
        (ALLOW | {"side": ["output"]}, "has the side a value of type list"),
        (ALLOW | {"side": None}, "has the side a value of type NoneType"),
        ({name: value for name, value in ALLOW.items() if name != "label"}, "has no label"),
        (ALLOW | {"label": "repair"}, 'has the label "repair"'),
        (ALLOW | {"label": True}, "has the label a value of type bool"),
        (ALLOW | {"codes": ["schema.type"]}, "does not name the codes"),
        (BLOCK | {"codes": []}, "does not name the codes"),
        (BLOCK | {"codes": "schema.type"}, "does not name the codes"),
        (BLOCK | {"codes": [1]}, "does not name the codes"),
        (BLOCK | {"codes": None}, "does not name the codes"),
        (ALLOW | {"note": ["a"]}, "has a note that is no text"),
        (ALLOW | {"raw": "{}"}, "has payload and raw"),
        ({name: value for name, value in ALLOW.items() if name != "payload"}, "has no payload"),
        (ALLOW | {"payload": json.dumps(GOOD)}, 'has a payload that is "{'),
        (ALLOW | {"payload": None}, "has a payload that is a value of type NoneType"),
        (ALLOW | {"payload": [GOOD]}, "has a payload that is a value of type list"),
        ({"tool": "t", "label": "allow", "raw": GOOD}, "has a raw that is a value of type dict"),
    ],
)
def test_a_malformed_fixture_is_refused_with_file_and_field(home: Path, data: dict[str, Any], said: str) -> None:
    put(home / "t" / "good.json", VALID)
    path = put(home / "t" / "odd.json", data)
    with pytest.raises(ConfigError) as caught:
        load_fixtures(home)
    assert str(caught.value).startswith(f"{path}: the fixture {said}")
    assert "Next: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "parse.empty"),
        ("[]", "parse.not_object"),
        (json.dumps(VALID)[:-1], "parse.not_json"),
        (json.dumps(VALID)[:-1] + ', "label": "block"}', "parse.duplicate_key"),
        (json.dumps(VALID).replace("4", "NaN"), "parse.non_finite"),
        ("\ufeff" + json.dumps(VALID), "parse.encoding"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_strict_json_is_refused_by_name(home: Path, text: str, code: str) -> None:
    path = put(home / "t" / "odd.json", text)
    with pytest.raises(ConfigError) as caught:
        load_fixtures()
    assert [found.code for found in caught.value.findings] == [code]
    assert str(caught.value).startswith("fixtures") and path.name in str(caught.value)


def test_two_of_one_tool_and_name_are_refused_and_of_two_tools_are_not(home: Path) -> None:
    put(home / "a" / "one.json", VALID)
    put(home / "b" / "one.json", VALID | {"tool": "ticket"})
    assert len(load_fixtures()) == 2
    put(home / "c" / "one.json", VALID)
    with pytest.raises(ConfigError, match=r"two fixtures of inventory\.lookup are named one\. Next: rename one\."):
        load_fixtures()


# Saving.


_FIXTURES = st.builds(
    Fixture,
    id=st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True),
    tool=st.sampled_from(["inventory.lookup", "t", "A-b_c.d"]),
    side=st.sampled_from(["input", "output"]),
    label=st.just("allow"),
    codes=st.just(()),
    payload=st.dictionaries(texts, values, max_size=3) | texts,
    note=texts,
)
_BLOCKS = st.lists(st.sampled_from(["schema.type", "parse.size", "call.unknown_tool"]), min_size=1, max_size=3)


@given(made=_FIXTURES, codes=st.just([]) | _BLOCKS)
@settings(max_examples=40)
def test_what_is_saved_is_what_is_loaded(made: Fixture, codes: list[str]) -> None:
    fixture = replace(made, label="block" if codes else "allow", codes=tuple(codes))
    with tempfile.TemporaryDirectory() as folder:
        path = save_fixture(fixture, folder)
        assert path == Path(folder, fixture.tool, f"{fixture.id}.json")
        (loaded,) = load_fixtures(folder)
    assert loaded == fixture
    assert json.dumps(loaded.as_dict()) == json.dumps(fixture.as_dict())


def test_a_folder_that_is_not_there_yet_is_made_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_fixture(KIT[0], "mine")
    assert load_fixtures(tmp_path / "mine") == KIT[:1]


def test_every_fixture_of_the_kit_can_be_saved_again(tmp_path: Path) -> None:
    for fixture in KIT:
        save_fixture(fixture, tmp_path)
    assert load_fixtures(tmp_path) == KIT


def test_a_large_text_can_be_saved(tmp_path: Path) -> None:
    fixture = Fixture("large", "t", "output", "block", ("parse.size",), "x" * 3_000_000)
    save_fixture(fixture, tmp_path)
    assert load_fixtures(tmp_path) == [fixture]


FIXTURE = Fixture("one", "inventory.lookup", "output", "allow", (), GOOD)


@pytest.mark.parametrize("name", ["", "One", "a b", "../a", "a/b", "a.b", ".a", "-a", "a\n", "é", "x" * 65])
def test_a_name_that_is_no_file_of_its_own_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot name a fixture"):
        save_fixture(replace(FIXTURE, id=name), tmp_path / "fixtures")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tool", ["", "..", "../a", "a/b", "/a", ".a", "a\n", "é", "x" * 65])
def test_a_tool_that_is_no_folder_of_its_own_is_refused(tmp_path: Path, tool: str) -> None:
    with pytest.raises(ConfigError, match="cannot name a folder of fixtures"):
        save_fixture(replace(FIXTURE, tool=tool), tmp_path / "fixtures")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"payload": {1: "a"}}, "is no JSON"),
        ({"payload": {"a": (1, 2)}}, "is no JSON"),
        ({"payload": {"a": {1}}}, "is no JSON"),
        ({"payload": {"a": float("nan")}}, "is no JSON"),
        ({"payload": {"a": "\ud800"}}, "is no JSON"),
        ({"payload": [1]}, "has a payload that is"),
        ({"payload": None}, "has a payload that is"),
        ({"payload": "\ud800"}, "is no JSON"),
        ({"label": "maybe"}, "has the label"),
        ({"label": "block"}, "does not name the codes"),
        ({"codes": ("schema.type",)}, "does not name the codes"),
        ({"side": "left"}, "has the side"),
        ({"note": 7}, "has a note"),
    ],
)
def test_what_could_not_be_loaded_again_is_not_saved(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    save_fixture(FIXTURE, tmp_path)
    with pytest.raises(ConfigError, match=rf"one\.json: the fixture {said}"):
        save_fixture(replace(FIXTURE, **changes), tmp_path)
    assert load_fixtures(tmp_path) == [FIXTURE]
