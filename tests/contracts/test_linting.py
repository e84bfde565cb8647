"""`gate contract lint`: every error and warning of a schema or of tool definitions, with the line to write instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.cli import main
from gate.contracts.linting import lint
from gate.contracts.sources import Source
from gate.files import HOME
from tests.cases_kit import WHOLE, Schema, shape

Capture = pytest.CaptureFixture[str]
OPEN: Schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "default": 1}}}
FOUND = [
    ("error", "", 'write "additionalProperties": false.'),
    ("error", "/properties/n/default", 'drop "default": 1.'),
    ("warning", "/properties/n", 'write "maximum": 1000000, or the least and the greatest real value.'),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(capsys: Capture, *places: str) -> list[Schema]:
    assert main(["contract", "lint", *places, "--json"]) == 1
    found: list[Schema] = json.loads(capsys.readouterr().out)["findings"]
    return found


def save(name: str, document: Any) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(json.dumps(document), encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("name", "document", "contract"),
    [
        ("find.input.schema.json", OPEN, "find.input"),
        ("any-name.json", OPEN, "schema.input"),
        ("tools.json", {"tools": [{"name": "find", "outputSchema": OPEN}]}, "find.output"),
        (
            "tools.json",
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "f", "inputSchema": OPEN}]}},
            "f.input",
        ),
        ("tools.json", [{"type": "function", "function": {"name": "find", "parameters": OPEN}}], "find.input"),
        ("tools.json", {"type": "function", "name": "find", "parameters": OPEN}, "find.input"),
        ("tools.json", [{"name": "find", "input_schema": OPEN}], "find.input"),
    ],
    ids=["schema", "any name", "mcp", "mcp reply", "openai", "openai flat", "anthropic"],
)
def test_reads_a_schema_or_definitions_and_says_everything(
    name: str, document: Any, contract: str, capsys: Capture
) -> None:
    found = findings(capsys, save(name, document))
    assert [(row["level"], row["path"], row["hint"]) for row in found] == FOUND
    assert {row["contract"] for row in found} == {contract}
    assert all(row["message"] and row["code"].startswith("contract.") for row in found)


def test_several_places_are_linted_in_one_go(capsys: Capture) -> None:
    clean = save("clean/find.input.schema.json", shape(n=WHOLE))
    assert main(["contract", "lint", clean, "clean"]) == 0
    capsys.readouterr()
    first, second = save("a.input.schema.json", OPEN), save("b.input.schema.json", OPEN)
    assert {row["contract"] for row in findings(capsys, first, "clean", second)} == {"a.input", "b.input"}


def test_standard_input_is_a_place(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    with open(save("x.json", OPEN), encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert len(findings(capsys, "-")) == 3


def test_the_table_shows_where_why_and_what_to_write(capsys: Capture) -> None:
    assert main(["contract", "lint", save("find.input.schema.json", OPEN)]) == 1
    told = capsys.readouterr().out
    assert 'drop "default": 1.' in told and "/properties/n/default" in told and "has a default, and" in told


def test_a_bad_name_does_not_hide_what_is_wrong_with_the_schema() -> None:
    found = lint(Source("git/log", "input", OPEN, True))
    assert [item.finding.code for item in found] == [
        "contract.name", "contract.open", "contract.default", "contract.unbounded_number",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("node", "path", "hint"),
    [
        ({"type": "int"}, "/properties/n/type", 'write "type": "integer".'),
        ({"type": "x"}, "/properties/n/type", "use one of string, integer, number, boolean, array, object, null."),
        ({"type": "array", "items": [WHOLE]}, "/properties/n/items", 'write "prefixItems": ['),
        (
            {"maximum": 9, "exclusiveMaximum": True},
            "/properties/n/exclusiveMaximum",
            'write "exclusiveMaximum": 9, and',
        ),
        ({"exclusiveMinimum": False}, "/properties/n/exclusiveMinimum", 'drop "exclusiveMinimum": false'),
        ({"uniqueItems": "true"}, "/properties/n/uniqueItems", 'write "uniqueItems": true.'),
        ({"required": "a"}, "/properties/n/required", 'write "required": ["a"].'),
        ({"required": True}, "/properties/n/required", 'drop "required": true, or name the field in "required" of'),
        ({"maxLength": "40"}, "/properties/n/maxLength", 'write "maxLength": 40.'),
        ({"maxLength": -1}, "/properties/n/maxLength", 'drop "maxLength": -1, or write what it takes.'),
        ({"properties": {"a": 3}}, "/properties/n/properties/a", 'drop "a": 3, or write what it takes.'),
        ({"enum": 3}, "/properties/n/enum", 'drop "enum": 3, or write what it takes.'),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_is_no_json_schema_is_shown_where_it_stands(node: Schema, path: str, hint: str) -> None:
    (found,) = lint(Source("find", "input", shape(n=node), True))
    assert (found.level, found.finding.path) == ("error", path)
    assert found.finding.message.startswith(f"{path} is no JSON Schema: ")
    assert found.finding.hint.startswith(hint)


@pytest.mark.parametrize(
    ("changes", "path", "hint"),
    [
        ({"required": True}, "/required", 'write "required": ["n", "m"].'),
        ({"required": False}, "/required", 'drop "required": false, or name the field'),
        ({"additionalProperties": "false"}, "/additionalProperties", 'write "additionalProperties": false.'),
        ({"additionalProperties": "False"}, "/additionalProperties", 'write "additionalProperties": false.'),
    ],
    ids=str,
)
def test_a_slip_at_the_root_is_mended_at_the_root(changes: Schema, path: str, hint: str) -> None:
    found = lint(Source("find", "input", {**shape(n=WHOLE, m=WHOLE), **changes}, True))
    [slip] = [item.finding for item in found if item.finding.path == path]
    assert slip.hint.startswith(hint)


def test_everything_that_is_no_json_schema_is_said_at_once() -> None:
    found = lint(Source("find", "input", shape(a={"type": "int"}, b={"enum": 3}), True))
    assert [item.finding.path for item in found] == ["/properties/a/type", "/properties/b/enum"]


def test_a_root_that_points_elsewhere_is_not_told_to_add_a_type() -> None:
    schema = {"$ref": "#/$defs/a", "$defs": {"a": shape(n=WHOLE)}}
    (found,) = lint(Source("find", "input", schema, True))
    assert found.finding.hint == 'write out here what "#/$defs/a" points at.'


def test_nullable_is_a_type() -> None:
    (found,) = lint(Source("find", "input", shape(n=WHOLE | {"nullable": True}), True))
    assert found.finding.hint == 'write "type": ["integer", "null"], and drop "nullable".'


@pytest.mark.parametrize("names", [("find", "Find"), ("git.log", "git_log"), ("find", "find")])
def test_tools_whose_names_look_alike_are_one_error_each(names: tuple[str, ...], capsys: Capture) -> None:
    tools = [{"name": name, "inputSchema": shape(n=WHOLE), "outputSchema": shape(n=WHOLE)} for name in names]
    found = findings(capsys, save("tools.json", tools))
    assert {(row["level"], row["code"]) for row in found} == {("error", "contract.name")}
    assert all("are the same or look alike" in row["message"] and row["hint"] for row in found)
    assert len(found) == 2  # each side of the second one


@pytest.mark.parametrize("schema", [7, [], {"type": "object", "required": [[]]}, {"properties": 3}])
def test_what_is_no_schema_is_one_error(schema: Any) -> None:
    (found,) = lint(Source("find", "input", schema, True))
    assert found.level == "error"


@pytest.mark.parametrize("words", [["nowhere.json"], ["empty"], ["broken.json"], ["big.json"]])
def test_what_cannot_be_read_is_one_line(words: list[str], here: Path, capsys: Capture) -> None:
    (here / "empty").mkdir()
    (here / "broken.json").write_text('{"type": ', encoding="utf-8")
    (here / "big.json").write_text(" " * 4_000_001, encoding="utf-8")
    assert main(["contract", "lint", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_kit_s_contracts_have_nothing_open(capsys: Capture) -> None:
    assert main(["contract", "lint", str(HOME / "schemas"), str(HOME / "examples/schemas")]) == 0
    assert "Every contract is closed, bounded" in capsys.readouterr().out
