"""Bringing tools in: definitions as they are found become closed contracts, with a to-do list and a first pack."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import load_contracts
from gate.cli import main
from gate.contract import Contract
from gate.contracts.importing import Imported, import_tools
from gate.contracts.linting import lint
from gate.contracts.sources import Source, read_document
from gate.errors import ConfigError
from gate.evidence.fixtures import Fixture, load_fixtures
from gate.evidence.rules import rules
from gate.files import HOME
from tests.cases_kit import WHOLE, WORD, Schema, shape
from tests.mending import mended
from tests.strategies import contracts

Capture = pytest.CaptureFixture[str]
TOOLS = sorted((HOME / "tests/cases/tools").glob("*.json"))
CLOSED = shape(n=WHOLE)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(document: Any, name: str = "tools.json") -> str:
    Path(name).write_text(json.dumps(document), encoding="utf-8")
    return name


def tool(name: str, schema: Any = CLOSED) -> Schema:
    return {"name": name, "inputSchema": schema}


def _check_pairs(contract: Contract, pack: list[Fixture]) -> None:
    """Each constraint has an allow and a block whose note names it, and every label holds."""
    own = [one for one in pack if one.tool == contract.tool]
    assert all(one.note and bool(contract.judge(one.payload)) == (one.label == "allow") for one in own)
    for rule in rules(contract.schema):
        labels = {one.label for one in own if rule.name in re.split(r"[:,]? ", one.note)}
        assert labels == {"allow", "block"}, rule.name


def without_to_dos(item: Imported) -> Schema:
    """Do everything on the list, and on the lists that come of it."""
    schema = item.schema
    for _ in range(200):
        found = lint(Source(item.tool, item.side, schema, True))
        if not found:
            return schema
        schema = mended(schema, found[0].finding)
    raise AssertionError("the list does not get shorter")


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
def test_the_shapes_of_public_servers_and_libraries_come_in(path: Path, capsys: Capture) -> None:
    shutil.copy(path, "tools.json")
    assert main(["contract", "import", "tools.json", "--drop-defaults", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(load_contracts("schemas")) == len(told["tools"])
    assert main(["replay", "fixtures", "--contracts", "schemas"]) == 0
    for contract in load_contracts("schemas"):
        _check_pairs(contract, [one for one in load_fixtures("fixtures") if one.side == contract.side])
    to_dos = [found for item in told["tools"] for found in item["to_do"]]
    assert main(["contract", "lint", "schemas"]) == (1 if to_dos else 0)  # the to-dos are what lint finds, no more


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
def test_with_its_to_dos_done_every_one_of_them_is_clean(path: Path) -> None:
    for item in import_tools(read_document(str(path))):
        contract = Contract.from_schema(without_to_dos(item), tool=item.tool, side=item.side)
        assert contract.warnings == ()


def test_an_unbounded_string_is_listed_and_never_bounded_by_guessing() -> None:
    (item,) = import_tools(tool("find", {"type": "object", "properties": {"q": {"type": "string"}}}))
    assert item.schema["properties"]["q"] == {"type": "string"}
    assert [(found.path, found.hint) for found in item.to_do] == [
        ("/properties/q", 'write "maxLength": 200, or the longest real one.')
    ]


def test_a_default_is_refused_and_the_way_out_is_named(capsys: Capture) -> None:
    file = save(tool("find", shape(n=WHOLE | {"default": 3})))
    assert main(["contract", "import", file]) == 1
    told = capsys.readouterr().out
    assert "--drop-defaults" in told and "Nothing was written." in told
    assert not Path("schemas").exists() and not Path("fixtures").exists()
    assert main(["contract", "import", file, "--drop-defaults"]) == 0
    contract = load_contracts("schemas").input("find")
    assert contract is not None and "default" not in json.dumps(contract.schema)


def test_checking_says_everything_and_writes_nothing(here: Path, capsys: Capture) -> None:
    file = save({"tools": [tool("find")]})
    assert main(["contract", "import", file, "--check"]) == 0
    assert "would write schemas/find.input.schema.json" in capsys.readouterr().out
    assert sorted(path.name for path in here.iterdir()) == [file]
    assert main(["contract", "import", file, "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == []


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    with open(save([tool("find")]), encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert main(["contract", "import", "-", "--into", "mine"]) == 0
    assert Path("mine/find.input.schema.json").exists() and "wrote mine/find.input" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("origin", "definition", "told"),
    [
        ("anthropic", tool("find"), "no anthropic definition. Next: say --from mcp, or auto."),
        ("mcp", {"name": "find", "parameters": CLOSED}, "Next: say --from openai, or auto."),
        ("auto", {**tool("find"), "parameters": CLOSED}, "has inputSchema and parameters. Next: say with --from"),
        ("auto", {"name": "find"}, "has no schema. Next: "),
        ("auto", [tool("find"), {"inputSchema": CLOSED}], "tool 2 has no name. Next: "),
        ("auto", ["find"], 'tool 1 is "find", no definition. Next: '),
        (
            "auto",
            [tool("find"), {"type": "web_search"}],
            'tool 2 is of type "web_search" and has no schema: its provider',
        ),
        ("auto", {"type": "bash_1", "name": "bash"}, 'tool 1 is of type "bash_1" and has no schema: its provider'),
        ("auto", {"id": 1, "error": {"code": 1, "message": "no method"}}, 'is an error reply: "no method". Next: '),
        ("auto", {"name": "find", "input_schema": "none"}, "write it as an object"),
    ],
)
def test_a_definition_of_another_shape_says_so(origin: str, definition: Any, told: str, capsys: Capture) -> None:
    assert main(["contract", "import", save(definition), "--from", origin]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_the_shape_that_was_named_counts() -> None:
    both = {**tool("find"), "parameters": shape(other=WORD)}
    assert [list(item.schema["properties"]) for item in import_tools(both, "openai")] == [["other"]]
    assert [list(item.schema["properties"]) for item in import_tools(both, "mcp")] == [["n"]]


def only(**properties: Any) -> Schema:
    return {"type": "object", "properties": properties}


NODE: Schema = only(n=WHOLE, more={"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2})


@pytest.mark.parametrize(
    ("schema", "changes", "passes", "stops"),
    [
        (
            {"$ref": "#/$defs/node", "$defs": {"node": NODE}},
            ["/$defs/node: closed", '(root): what "#/$defs/node" points at is written out'],
            {"n": 1, "more": [{"n": 2}]},
            {"n": 1, "more": [{"m": 2}]},
        ),
        (
            only(pair={"type": "array", "prefixItems": [WHOLE, {"type": "null"}]}),
            ["(root): closed", "/properties/pair: closed, no item after the first 2"],
            {"pair": [1, None]},
            {"pair": [1, None, None]},
        ),
        (
            only(pet={"oneOf": [only(kind={"const": "cat"})], "discriminator": {"propertyName": "kind"}}),
            ["(root): closed", "/properties/pet: discriminator dropped", "/properties/pet/oneOf/0: closed"],
            {"pet": {"kind": "cat"}},
            {"pet": {"kind": "dog"}},
        ),
        (
            only(a={"type": "array", "items": WHOLE, "maxItems": 3, "contains": {"$ref": "#/definitions/one"}})
            | {"definitions": {"one": {"const": 1, "default": 1}}},
            ["(root): definitions renamed", "(root): closed", "/$defs/one: default dropped"],
            {"a": [2, 1]},
            {"a": [2]},
        ),
        (
            only(n=WHOLE | {"not": {"const": 1, "default": 1}}),
            ["(root): closed", "/properties/n/not: default dropped"],
            {"n": 2},
            {"n": 1},
        ),
        (only(**{"a/\x1b": only()}), ["(root): closed", "/properties/a~1\\u001b: closed"], {}, {"a": {}}),
    ],
    ids=["recursive root", "tuple", "discriminator", "condition with a reference", "condition", "odd name"],
)
def test_what_means_the_same_is_changed_and_told(
    schema: Schema, changes: list[str], passes: Schema, stops: Schema
) -> None:
    (item,) = import_tools(tool("find", schema))
    assert len(item.changes) == len(changes)
    assert all(told.startswith(begun) for told, begun in zip(item.changes, changes, strict=True)), item.changes
    contract = Contract.from_schema(item.schema, tool="find")
    assert contract.judge(passes) and not contract.judge(stops)


@pytest.mark.parametrize(
    "name", ["git/status", "größe", "a b", "", "../up", "1st", "-x", "con", "x" * 65, "a\x00b", "find."]
)
def test_a_name_that_could_be_no_file_is_refused(name: str, here: Path, capsys: Capture) -> None:
    file = save([tool("good"), tool(name)])
    assert main(["contract", "import", file, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["tools"][1]
    assert [found["code"] for found in told["findings"]] == ["contract.name"]
    assert told["findings"][0]["hint"]
    assert sorted(path.name for path in here.iterdir()) == [file]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["find", "Find"], "are the same or look alike"),
        (["git.log", "git_log"], "are the same or look alike"),
        (["git.log", "git.log"], "are the same or look alike"),
    ],
)
def test_tools_that_would_be_one_file_are_refused(names: list[str], told: str, here: Path, capsys: Capture) -> None:
    file = save([tool(name) for name in names])
    for more in ([], ["--check"]):
        assert main(["contract", "import", file, *more]) == 2
        assert told in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == [file]


@pytest.mark.parametrize("blocked", ["schemas", "fixtures", "fixtures/last", "schemas/contracts.lock.json/x"])
def test_what_cannot_be_written_whole_is_not_written_at_all(blocked: str, here: Path, capsys: Capture) -> None:
    file, way = save([tool("first"), tool("last")]), Path(blocked)
    way.parent.mkdir(parents=True, exist_ok=True)
    way.write_text("in the way", encoding="utf-8")
    before = sorted(here.rglob("*"))
    assert main(["contract", "import", file]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert sorted(here.rglob("*")) == before
    way.unlink()
    if way.name == "x":
        way.parent.rmdir()
    assert main(["contract", "import", file]) == 0


def test_a_tool_that_looks_like_one_that_is_there_writes_nothing(here: Path, capsys: Capture) -> None:
    assert main(["contract", "import", save([tool("find")])]) == 0
    before = sorted(path.as_posix() for path in here.rglob("*"))
    assert main(["contract", "import", save([tool("F1nd")])]) == 2
    assert "look alike" in capsys.readouterr().err
    assert sorted(path.as_posix() for path in here.rglob("*")) == before


def test_a_folder_that_is_not_as_frozen_takes_no_import(capsys: Capture) -> None:
    assert main(["contract", "import", save([tool("find")])]) == 0
    path = Path("schemas/find.input.schema.json")
    path.write_text(path.read_text(encoding="utf-8").replace("9", "8"), encoding="utf-8")
    assert main(["contract", "import", save([tool("other")])]) == 2
    assert "find.input changed, and its version did not" in capsys.readouterr().err
    assert not Path("schemas/other.input.schema.json").exists()


def test_a_contract_that_nothing_passes_writes_nothing(here: Path, capsys: Capture) -> None:
    file = save([tool("good"), tool("never", shape(n=WHOLE | {"minimum": 9, "maximum": 0}))])
    assert main(["contract", "import", file]) == 2
    assert "no payload was found that never.input allows" in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == [file]


def test_dots_in_a_name_are_kept() -> None:
    assert main(["contract", "import", save([tool("git.log.input")])]) == 0
    assert load_contracts("schemas").tools() == ("git.log.input",)


def test_the_cell_that_it_prints_runs(capsys: Capture) -> None:
    assert main(["contract", "import", save([tool("find")]), "--json"]) == 0
    exec(compile(json.loads(capsys.readouterr().out)["cell"], "cell", "exec"), {})
    first, second = capsys.readouterr().out.splitlines()
    assert first == "allow" and second.startswith("schema.unknown_field")


@st.composite
def definitions(draw: st.DrawFn) -> Schema:
    """Draw a tool definition as one finds it: open, with defaults, without some bounds."""
    lost = {"additionalProperties", "maxLength", "minimum", "maximum", "exclusiveMaximum", "maxItems", "maxProperties"}

    def wild(node: Any) -> Any:
        if isinstance(node, list):
            return [wild(item) for item in node]
        if not isinstance(node, dict):
            return node
        kept = {word: value for word, value in node.items() if word not in lost or draw(st.integers(0, 2))}
        done = {word: value if word in ("enum", "const") else wild(value) for word, value in kept.items()}
        if "type" in done and isinstance(done["type"], str) and draw(st.integers(0, 4)) == 0:
            done["default"] = draw(st.sampled_from([None, 1, "x", [], {"a": 1}]))
        return done

    return {
        "name": "wild",
        draw(st.sampled_from(["inputSchema", "input_schema", "parameters"])): wild(draw(contracts())),
    }


@settings(max_examples=30)
@given(definitions())
def test_importing_then_doing_the_to_dos_is_clean(definition: Schema) -> None:
    (item,) = import_tools(definition)
    schema = without_to_dos(item)
    assert Contract.from_schema(schema, tool="wild").warnings == ()
    assert lint(Source("wild", "input", schema, True)) == []


def test_a_document_that_is_no_json_is_one_line(capsys: Capture) -> None:
    for text in ("", "{", '{"a": 1, "a": 2}', "[1, NaN]"):
        Path("tools.json").write_text(text, encoding="utf-8")
        assert main(["contract", "import", "tools.json"]) == 2
        assert capsys.readouterr().err.startswith("gate: tools.json: ")
    assert main(["contract", "import", "nowhere.json"]) == 2
    with pytest.raises(ConfigError, match="holds no tool"):
        import_tools({"tools": []})
