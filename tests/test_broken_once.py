"""What once got through, hung or said the wrong thing: each was mended for its whole kind, and stays here."""

from __future__ import annotations

import decimal
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gate import AgentMemory, Contract, ContractError, Fixture, load_contracts, mutants
from gate.cli import main
from gate.engine.faults import MAX_FAULTS
from gate.files import HOME
from gate.store import StoreGate

Schema = dict[str, Any]


def _closed(properties: Schema, required: list[str] | None = None) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": required or []}


def _contract(properties: Schema, defs: Schema | None = None) -> Contract:
    return Contract.from_schema(_closed(properties) | ({"$defs": defs} if defs else {}), tool="t")


NUMBER = {"type": "number", "minimum": 0, "maximum": 9}
MIXED = {
    "object": {"type": ["object", "integer"], "additionalProperties": False, "properties": {"n": NUMBER}},
    "array": {"type": ["array", "integer"], "items": NUMBER, "maxItems": 9},
    "null": {"type": ["array", "null"], "items": NUMBER, "maxItems": 9},
    "map": {
        "type": ["object", "integer"], "additionalProperties": NUMBER, "propertyNames": {"maxLength": 9},
        "maxProperties": 9,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("text", ["4.0", "-0.0", "4e0", "1e999"])
def test_a_whole_float_is_no_integer_beside_an_object_or_array(kind: str, text: str) -> None:
    contract = _contract({"x": MIXED[kind] | {"minimum": 0, "maximum": 9}})
    decision = contract.judge(f'{{"x": {text}}}')
    assert decision.codes == (("parse.non_finite",) if text == "1e999" else ("schema.type",))
    assert contract.with_second_engine().judge(f'{{"x": {text}}}') == decision


def _filters(*operators: str) -> Schema:
    args = {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/n"}}
    branches = [_closed({"op": {"const": name}, "args": args}, ["op", "args"]) for name in operators]
    return {"anyOf": [*branches, _closed({"f": {"type": "string", "maxLength": 3}}, ["f"])]}


def test_a_contract_that_repeats_itself_through_several_branches_is_refused() -> None:
    with pytest.raises(ContractError, match="several branches"):
        _contract({"q": {"$ref": "#/$defs/n"}}, {"n": _filters("and", "or")})
    both = {
        "allOf": [_closed({"a": {"$ref": "#/$defs/n"}}), {"properties": {"a": {"$ref": "#/$defs/n"}}}],
        "type": "object",
    }
    with pytest.raises(ContractError, match="several branches"):
        _contract({"q": {"$ref": "#/$defs/n"}}, {"n": both | {"additionalProperties": False, "properties": {}}})


def test_one_branch_may_lead_back() -> None:
    contract = _contract({"q": {"$ref": "#/$defs/n"}}, {"n": _filters("not")})
    assert contract.judge({"q": {"op": "not", "args": [{"f": "a"}]}}).outcome == "allow"
    tree = _closed({"left": {"$ref": "#/$defs/t"}, "right": {"anyOf": [{"$ref": "#/$defs/t"}, {"type": "null"}]}})
    contract = _contract({"t": {"$ref": "#/$defs/t"}}, {"t": tree})
    assert contract.judge({"t": {"left": {"left": {}}, "right": None}}).outcome == "allow"


@pytest.mark.parametrize("engine", [1, 2])
@pytest.mark.parametrize(
    ("rule", "item", "count"),
    [
        ({"type": "array", "maxItems": 10**6, "items": NUMBER}, "10", 50_000),
        ({"type": "array", "maxItems": 10**6, "items": {"anyOf": [NUMBER, {"type": "null"}]}}, "10", 20_000),
        ({"type": "array", "maxItems": 10**6, "items": {"type": "integer", "minimum": 0, "maximum": 9}}, '"a"', 40_000),
    ],
)
def test_a_great_many_faults_are_told_in_one_sentence(rule: Schema, item: str, count: int, engine: int) -> None:
    contract = _contract({"x": rule})
    judging = contract if engine == 1 else contract.with_second_engine()
    started = time.process_time()
    decision = judging.judge('{"x": [' + ", ".join([item] * count) + "]}")
    assert decision.codes == ("schema.other",)
    assert decision.findings[0].message == f"the payload breaks its contract in more than {MAX_FAULTS} places."
    assert time.process_time() - started < 20  # it was minutes; this bounds a hang, it does not measure


def test_up_to_a_hundred_faults_are_told_one_by_one() -> None:
    contract = _contract({"x": {"type": "array", "maxItems": 200, "items": NUMBER}})
    assert len(contract.judge({"x": [10] * MAX_FAULTS}).findings) == MAX_FAULTS
    assert len(contract.judge({"x": [10] * (MAX_FAULTS + 1)}).findings) == 1


@pytest.mark.parametrize("engine", [1, 2])
def test_unique_items_are_compared_by_hash(engine: int) -> None:
    item = _closed({"a": {"type": "integer", "minimum": 0, "maximum": 10**6}})
    contract = _contract({"x": {"type": "array", "maxItems": 10**6, "uniqueItems": True, "items": item}})
    judging = contract if engine == 1 else contract.with_second_engine()
    rows = [{"a": number} for number in range(15_000)]
    assert judging.judge(json.dumps({"x": rows, "": 1})).codes == ("schema.unknown_field",)
    assert judging.judge({"x": [*rows[:99], {"a": 7}]}).codes == ("schema.items",)


ANYTHING = {"anyOf": [{"type": "boolean"}, NUMBER, {"type": "array", "maxItems": 3, "items": NUMBER}]}


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ("[1, true]", True), ("[0, false]", True), ("[1, 1.0]", False), ("[0, -0.0]", False), ("[[1], [1.0]]", False),
        ("[[1, 2], [2, 1]]", True), ("[2.5, 2.5]", False),
    ],
)  # fmt: skip
def test_unique_items_mean_the_same_to_both_engines(items: str, unique: bool) -> None:
    contract = _contract({"x": {"type": "array", "maxItems": 9, "uniqueItems": True, "items": ANYTHING}})
    codes = () if unique else ("schema.items",)
    for judging in (contract, contract.with_second_engine()):
        assert judging.judge(f'{{"x": {items}}}').codes == codes


@pytest.mark.parametrize("pattern", [r"^\ud83d\ude00$", r"^\uDFFF$", r"^[\ud800-\udbff]$"])
def test_half_a_surrogate_pair_in_a_pattern_is_a_contract_error(pattern: str) -> None:
    with pytest.raises(ContractError, match="surrogate"):
        _contract({"x": {"type": "string", "maxLength": 9, "pattern": pattern}})
    assert _contract({"x": {"type": "string", "maxLength": 9, "pattern": "^\U0001f600$"}}).judge({"x": "\U0001f600"})


def test_a_schema_inside_may_not_name_another_dialect() -> None:
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/$defs/n", "maxLength": 1}
    with pytest.raises(ContractError):
        _contract({"x": old}, {"n": {"type": "string", "maxLength": 9}})


@pytest.mark.parametrize("name", ["con", "NUL", "com1.read"])
def test_a_tool_may_not_be_named_like_a_device(name: str) -> None:
    with pytest.raises(ContractError, match="device on Windows"):
        Contract.from_schema(_closed({}), tool=name)


def test_the_readme_s_folder_of_fixtures_can_be_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(HOME / "fixtures"), "--contracts", str(HOME / "schemas")]) == 0
    assert "both engines and every label agree." in capsys.readouterr().out


@pytest.mark.parametrize("digits", [1, 3, 28])
def test_money_does_not_follow_the_callers_decimal_context(digits: int) -> None:
    gate = StoreGate()
    order = next(order for order in gate.orders.values() if order.refundable and order.limit > 1000)
    left = gate.remaining(order.order_id)
    call = {"order_id": order.order_id, "currency": order.currency, "reason": "damaged on delivery"}
    with decimal.localcontext() as context:
        context.prec = digits
        assert gate.remaining(order.order_id) == left
        over = gate.judge(
            {**call, "amount": 0.0}, left + 0 if digits == 28 else decimal.Decimal(f"{order.limit + 1}e-2")
        )
        codes = [found.code for found in over]
    assert codes == ([] if digits == 28 else ["store.exceeds_remaining"])


class _Leaving(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise SystemExit(3)

    def __iter__(self) -> Iterator[str]:
        raise SystemExit(3)

    def __len__(self) -> int:
        return 1

    def items(self) -> Any:
        raise SystemExit(3)


def test_a_payload_cannot_end_the_process() -> None:
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    assert contract.judge(MappingProxyType(_Leaving())).codes == ("parse.not_json",)


def test_loading_the_same_refused_line_again_fills_no_quarantine(tmp_path: Path) -> None:
    path, quarantine = tmp_path / "memory.jsonl", tmp_path / "quarantine.jsonl"
    path.write_text('{"role":"system"}\n{"odd":1}\n', encoding="utf-8")
    for _ in range(3):
        assert AgentMemory(path=path, quarantine=quarantine).events == ()
    assert len(quarantine.read_text(encoding="utf-8").splitlines()) == 2


def test_a_folder_that_is_named_is_never_replaced_by_the_kits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ContractError, match="there is no contract"):
        load_contracts("schemas")
    assert [main([*words, "schemas"]) for words in (["contract", "lint"], ["contract", "freeze"])] == [2, 2]
    assert main(["replay", "fixtures"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert len(load_contracts()) >= 3  # none named: the kit's own


TOOL = {"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}


def test_importing_writes_here_and_says_which_results_cannot_enter_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps({"tools": [TOOL]}), encoding="utf-8")
    assert main(["contract", "import", "tools.json"]) == 0
    assert "no result contract for find" in capsys.readouterr().out
    assert Path("schemas/find.input.schema.json").exists()
    assert Path("fixtures/find/input-additionalproperties-allow.json").exists()
    assert main(["replay", "fixtures", "--contracts", "schemas"]) == 0
    assert main(["mutants", "fixtures", "--contracts", "schemas"]) == 0  # the first pack notices every planted fault


def test_tools_whose_names_look_alike_are_imported_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([TOOL, TOOL | {"name": "FIND"}]), encoding="utf-8")
    assert main(["contract", "import", str(file), "--out", str(tmp_path / "schemas")]) == 2
    assert not (tmp_path / "schemas").exists()


def test_a_valid_fixture_of_another_tool_proves_nothing_about_this_one() -> None:
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    good = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
    own = Fixture("good", "inventory.lookup", "output", "allow", (), good)
    other = Fixture("other", "weather.today", "output", "allow", (), {"rain": True})
    found = {mutant.name: mutant.noticed_by for mutant in mutants(contract, [own, other])}
    assert found["any-tool"] == () and found["block-all"] == ("good",)


def test_a_missing_library_is_told_with_the_way_to_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise ModuleNotFoundError("No module named 'rich'", name="rich")

    monkeypatch.setattr("gate.commands.demo.run", fail)
    assert main(["demo"]) == 2
    said = capsys.readouterr().err
    assert "rich is not installed" in said and "make lab" in said and said.count("\n") == 1
