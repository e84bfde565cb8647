"""`gate contract lint|freeze|diff|import`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gate import load_contracts
from gate.cli import main
from gate.contracts.importing import import_tools
from gate.errors import ConfigError
from gate.files import HOME

Capture = pytest.CaptureFixture[str]
OUTPUT = "inventory.lookup.output.schema.json"


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    folder = tmp_path / "schemas"
    shutil.copytree(HOME / "schemas", folder)
    return folder


def _edit(path: Path, change) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    change(schema)
    path.write_text(json.dumps(schema), encoding="utf-8")


def test_the_kit_s_own_contracts_have_nothing_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contract", "lint"]) == 0
    assert "Every contract is closed, bounded" in capsys.readouterr().out


def test_lint_names_the_missing_bound(schemas: Path, capsys: Capture) -> None:
    _edit(schemas / OUTPUT, lambda schema: schema["properties"]["quantity"].pop("maximum"))
    assert main(["contract", "lint", str(schemas), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["level"], found["path"]) == ("warning", "/properties/quantity")


def test_a_changed_schema_with_the_old_lock_refuses_to_start(schemas: Path, capsys: Capture) -> None:
    _edit(schemas / OUTPUT, lambda schema: schema["properties"]["warehouse"]["enum"].append("lon"))
    assert main(["replay", "--contracts", str(schemas)]) == 2
    assert "gate contract freeze" in capsys.readouterr().err


def test_freezing_gives_the_changed_contract_the_next_version(
    schemas: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _edit(schemas / OUTPUT, lambda schema: schema["properties"]["warehouse"]["enum"].append("lon"))
    assert main(["contract", "freeze", str(schemas)]) == 2
    assert "its version did not: it is still 1. Next: read `gate contract diff OLD NEW`" in capsys.readouterr().err
    assert main(["contract", "freeze", str(schemas), "--bump", "inventory.lookup.output", "--json"]) == 0
    states = {row["id"]: (row["version"], row["state"]) for row in json.loads(capsys.readouterr().out)["contracts"]}
    assert states["inventory.lookup.output"] == ("2", "changed")
    assert states["refund_order.input"][1] == "kept"
    contract = load_contracts(schemas).output("inventory.lookup")
    assert contract is not None and contract.version == "2"


def test_a_schema_that_is_no_contract_leaves_the_lock_alone(schemas: Path) -> None:
    before = (schemas / "contracts.lock.json").read_bytes()
    _edit(schemas / OUTPUT, lambda schema: schema.pop("additionalProperties"))
    assert main(["contract", "freeze", str(schemas)]) == 2
    assert (schemas / "contracts.lock.json").read_bytes() == before


def test_diff_says_what_widened_and_which_fixture_moves(tmp_path: Path, capsys: Capture) -> None:
    new = tmp_path / OUTPUT
    shutil.copy(HOME / "schemas" / OUTPUT, new)
    _edit(new, lambda schema: schema["properties"]["warehouse"]["enum"].append("lon"))
    assert main(["contract", "diff", str(HOME / "schemas" / OUTPUT), str(new), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    (change,) = told["changes"]
    assert (change["direction"], change["path"], change["proven"]) == ("widened", "/properties/warehouse/enum", True)
    assert change["payload"]["warehouse"] == "lon"
    assert told["fixtures"] == [
        {"fixture": "unknown-warehouse", "tool": "inventory.lookup", "before": "block", "after": "allow"}
    ]


def test_diff_of_a_narrower_contract_is_no_finding(tmp_path: Path, capsys: Capture) -> None:
    new = tmp_path / "any-name.json"
    shutil.copy(HOME / "schemas" / OUTPUT, new)
    _edit(new, lambda schema: schema["properties"]["quantity"].update(maximum=9))
    assert main(["contract", "diff", str(HOME / "schemas" / OUTPUT), str(new)]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "narrowed  inventory.lookup.output: maximum of quantity is 9 now, it was 1000000"
    assert second.strip().startswith('newly refused: {"sku": ')


def test_diff_of_equal_meanings_is_no_change(tmp_path: Path, capsys: Capture) -> None:
    new = tmp_path / OUTPUT
    shutil.copy(HOME / "schemas" / OUTPUT, new)

    def rewrite(schema: dict[str, Any]) -> None:
        schema["$defs"] = {"house": schema["properties"]["warehouse"]}
        schema["properties"] = {**schema["properties"], "warehouse": {"$ref": "#/$defs/house"}}
        schema["required"].reverse()

    _edit(new, rewrite)
    assert main(["contract", "diff", str(HOME / "schemas" / OUTPUT), str(new)]) == 0
    assert capsys.readouterr().out == "Nothing that decides has changed.\n"


def test_diff_of_what_nobody_can_order_is_a_finding(tmp_path: Path, capsys: Capture) -> None:
    new = tmp_path / OUTPUT
    shutil.copy(HOME / "schemas" / OUTPUT, new)
    _edit(new, lambda schema: schema["properties"]["sku"].update(pattern="^(?:[A-Z]|[0-9]|-)+$"))
    assert main(["contract", "diff", str(HOME / "schemas" / OUTPUT), str(new)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("changed ") and second.strip() == "not proven: no payload was found that shows it"


def _commit_all() -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *words], check=True)


def test_diff_reads_folders_and_git_revisions(
    schemas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    _commit_all()
    (schemas / "ticket.input.schema.json").unlink()
    _edit(schemas / OUTPUT, lambda schema: schema["properties"]["sku"].update(maxLength=33))
    for old in ("HEAD", "HEAD:schemas"):
        assert main(["contract", "diff", old, "schemas", "--json"]) == 1
        told = json.loads(capsys.readouterr().out)["changes"]
        assert [(row["contract"], row["direction"], row["proven"]) for row in told] == [
            ("inventory.lookup.output", "widened", True),
            ("ticket.input", "narrowed", True),
        ]
    assert main(["contract", "diff", f"HEAD:schemas/{OUTPUT}", f"schemas/{OUTPUT}"]) == 1
    assert main(["contract", "diff", "HEAD", "HEAD"]) == 0
    capsys.readouterr()
    for nowhere in ("HEAD:nothing", "--upload-pack=x", "no-such-branch"):
        assert main(["contract", "diff", "schemas", *(["--"] if nowhere[0] == "-" else []), nowhere]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_diff_reads_a_revision_of_a_package_below_the_top_of_its_repository(
    schemas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    package = tmp_path / "a päckage"
    package.mkdir()
    schemas.rename(package / "schemas")
    monkeypatch.chdir(tmp_path)
    _commit_all()
    assert main(["contract", "diff", "HEAD:a päckage/schemas", "a päckage/schemas"]) == 0
    monkeypatch.chdir(package)
    for old in ("HEAD", "HEAD:./schemas", "HEAD:a päckage/schemas", f"HEAD:./schemas/{OUTPUT}"):
        assert main(["contract", "diff", old, f"schemas/{OUTPUT}" if old.endswith(OUTPUT) else "schemas"]) == 0
    assert capsys.readouterr().out == "Nothing that decides has changed.\n" * 5


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("HEAD", 'the revision "HEAD" has no "./schemas". Next: name what it has, as REVISION:FOLDER'),
        ("HEAD:gone", 'the revision "HEAD" has no "gone". Next: name what it has'),
        ("HEAD:notes", '"HEAD:notes" holds no schema. Next: name a folder that does'),
        ("gone", '"gone" is neither a file nor a folder, and git knows no such revision. Next: '),
        ("gone:schemas", '"gone:schemas" is neither a file nor a folder, and git knows no such revision. Next: '),
    ],
)
def test_diff_says_whether_the_revision_or_what_is_in_it_is_missing(
    place: str, told: str, schemas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    schemas.rename("tools")
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("", encoding="utf-8")
    _commit_all()
    assert main(["contract", "diff", place, "tools"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_diff_says_which_place_holds_no_contract(schemas: Path, tmp_path: Path, capsys: Capture) -> None:
    old = tmp_path / "old.json"
    old.write_text('{"type": "object"}', encoding="utf-8")
    assert main(["contract", "diff", str(old), str(schemas / OUTPUT)]) == 2
    assert f"{old}: inventory.lookup.output cannot be used" in capsys.readouterr().err


OPEN = {"type": "object", "properties": {"q": {"type": "string", "default": "x"}}, "required": ["q"]}
SHAPES = {
    "mcp": {"tools": [{"name": "find", "inputSchema": OPEN, "outputSchema": OPEN}]},
    "mcp-rpc": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "find", "inputSchema": OPEN}]}},
    "openai": [{"type": "function", "function": {"name": "find", "description": "d", "parameters": OPEN}}],
    "openai-flat": [{"type": "function", "name": "find", "parameters": OPEN}],
    "anthropic": [{"name": "find", "description": "d", "input_schema": OPEN}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_imports_the_shape(shape: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(SHAPES[shape]), encoding="utf-8")
    out = tmp_path / "schemas"
    places = ["--into", str(out), "--fixtures", str(tmp_path / "fixtures")]
    assert main(["contract", "import", str(file), *places, "--drop-defaults"]) == 0
    contract = load_contracts(out).input("find")
    assert contract is not None
    assert contract.judge({"q": "x"}).outcome == "allow"
    assert contract.judge({"q": "x", "extra": 1}).codes == ("schema.unknown_field",)
    assert contract.judge({}).codes == ("schema.missing_field",)
    assert "default dropped" in capsys.readouterr().out
    assert main(["replay", str(tmp_path / "fixtures"), "--contracts", str(out), "--json"]) == 0
    pack = {row["id"]: row["label"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert pack["input-additionalproperties-allow"] == "allow"
    assert {pack[f"input-{rule}-block"] for rule in ("required-q", "additionalproperties", "q-type")} == {"block"}


def test_a_tool_that_cannot_be_closed_writes_nothing(tmp_path: Path, capsys: Capture) -> None:
    tools = [
        {"name": "good", "input_schema": OPEN},
        {"name": "bad", "input_schema": {"type": "object", "$ref": "x.json"}},
    ]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(tools), encoding="utf-8")
    assert main(["contract", "import", str(file), "--into", str(tmp_path / "schemas"), "--drop-defaults"]) == 1
    assert not (tmp_path / "schemas").exists()
    assert "Nothing was written." in capsys.readouterr().out


def test_an_existing_schema_is_never_overwritten(
    schemas: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = [{"name": "aaa", "input_schema": OPEN}, {"name": "refund_order", "input_schema": OPEN}]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(tools), encoding="utf-8")
    before = sorted(path.name for path in schemas.iterdir())
    assert main(["contract", "import", str(file), "--into", str(schemas), "--drop-defaults"]) == 2
    assert sorted(path.name for path in schemas.iterdir()) == before
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    "document", [{}, [], 7, [{"name": "a"}], [{"input_schema": OPEN}], [{"name": "a", "parameters": 1}]]
)
def test_a_document_without_a_tool_says_so(document: object) -> None:
    with pytest.raises(ConfigError, match="Next:"):
        import_tools(document)


def test_an_import_beside_fixtures_that_are_there_keeps_them_and_says_so(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"name": "refund", "input_schema": OPEN}]), encoding="utf-8")
    places = ["--into", str(tmp_path / "schemas"), "--fixtures", str(tmp_path / "fixtures"), "--drop-defaults"]
    assert main(["contract", "import", str(file), *places]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "fixtures").rglob("*.json")}
    capsys.readouterr()
    shutil.rmtree(tmp_path / "schemas")
    assert main(["contract", "import", str(file), *places]) == 0
    said = capsys.readouterr().out
    assert f"wrote 0 fixtures to {tmp_path / 'fixtures'}; {len(before)} were there already and stay" in said
    assert "To try it in a notebook" not in said
    assert {path: path.read_bytes() for path in (tmp_path / "fixtures").rglob("*.json")} == before


def test_the_cell_to_try_is_short_enough_to_read(tmp_path: Path, capsys: Capture) -> None:
    body = {"type": "object", "properties": {"body": {"type": "string", "maxLength": 5000}}, "required": ["body"]}
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"name": "mail", "input_schema": body}]), encoding="utf-8")
    places = ["--into", str(tmp_path / "schemas"), "--fixtures", str(tmp_path / "fixtures")]
    assert main(["contract", "import", str(file), *places]) == 0
    cell = capsys.readouterr().out.partition("To try it in a notebook:")[2]
    assert "schemas').input('mail')" in cell and max(map(len, cell.replace(str(tmp_path), "").splitlines())) < 120
    made: dict[str, Any] = {}
    exec(cell, made)
    assert "unknown_field" in capsys.readouterr().out


def test_an_import_says_where_the_bounds_go(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "tools.json"
    schema = {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}
    file.write_text(json.dumps([{"name": "read", "input_schema": schema}]), encoding="utf-8")
    assert main(["contract", "import", str(file), "--into", str(tmp_path / "schemas"), "--check"]) == 0
    assert "Next: write them into the definitions and import into empty folders" in capsys.readouterr().out
