"""The tools of an agent fit their contracts, or nothing starts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from gate.calls.tools import Tool, Tools
from gate.contract import Contract
from gate.errors import ContractError
from gate.registry import Contracts
from tests.call_kit import CONTRACTS, COUNT, closed


def tools_of(function: Any, schema: dict[str, Any] | None = None, **options: Any) -> Tools:
    contract = Contract.from_schema(schema or closed(n=COUNT), tool="count")
    return Tools({"count": Tool(function, **options)}, Contracts([contract]))


def refusal(make: Callable[[], object]) -> ContractError:
    with pytest.raises(ContractError) as caught:
        make()
    return caught.value


class Counter:
    def __call__(self, n: int) -> int:
        return n

    def count(self, n: int) -> int:
        return n

    def takes(self, self_: int) -> int:
        return self_


FITTING = {
    "by name": lambda n: n,
    "any name": lambda **arguments: arguments,
    "a default": lambda n, spare=1: n,
    "keyword only": lambda *more, n: n,
    "an object": Counter(),
    "a method": Counter().count,
    "partial": functools.partial(lambda base, n: base + n, 1),
}
OTHERS = {
    "one more": (lambda n, m: n, "the tool count requires m, which its contract lacks."),
    "one less": (lambda: 1, "the tool count takes no n, which its contract allows."),
    "by position": (lambda n, /: n, "the tool count takes n by position only, and arguments come by name."),
    "another name": (Counter().takes, "the tool count requires self_, which its contract lacks."),
    "no function": (7, "the tool count is no function whose parameters can be read."),
    "a built-in": (dict.fromkeys, "the tool count takes iterable by position only, and arguments come by name."),
    "a type": (type, "the tool count is no function whose parameters can be read."),
}


@pytest.mark.parametrize("function", FITTING.values(), ids=FITTING)
def test_a_function_that_takes_its_arguments_is_a_tool(function: Any) -> None:
    assert tools_of(function).names() == ("count",)


@pytest.mark.parametrize(("function", "fault"), OTHERS.values(), ids=OTHERS)
def test_a_function_and_its_contract_must_agree(function: Any, fault: str) -> None:
    error = refusal(lambda: tools_of(function))
    assert {found.code for found in error.findings} == {"contract.signature"}
    assert error.findings[0].message == fault


def test_a_field_the_model_may_leave_out_needs_a_default_in_the_function() -> None:
    schema = closed(("n",), n=COUNT, m=COUNT)
    assert tools_of(lambda n, m=0: n, schema).names() == ("count",)
    error = refusal(lambda: tools_of(lambda n, m: n, schema))
    assert error.findings[0].message == "the tool count requires m, which its contract leaves out at will."


def test_a_map_needs_a_function_that_takes_any_name() -> None:
    names = {"pattern": "^[a-z]{1,8}$"}
    schema = {"type": "object", "maxProperties": 4, "propertyNames": names, "additionalProperties": COUNT}
    assert tools_of(lambda **counts: counts, schema).names() == ("count",)
    error = refusal(lambda: tools_of(lambda a=0: a, schema))
    assert error.findings[0].message == "the tool count takes no further fields, which its contract allows."


def test_every_fault_is_told_at_once() -> None:
    error = refusal(lambda: Tools({"count": lambda m: m, "refund_order": lambda **a: a, "lost": print}, CONTRACTS))
    assert [found.code for found in error.findings] == ["contract.signature"] * 2 + ["contract.missing"]
    assert str(error).endswith("… and 2 more")


@pytest.mark.parametrize("names", [{1: print, "count": print}, {None: print}, {("a",): print}], ids=["1", "None", "()"])
def test_a_name_that_is_no_string_is_refused_at_load(names: Any) -> None:
    assert "contract.name" in {found.code for found in refusal(lambda: Tools(names, CONTRACTS)).findings}


@pytest.mark.parametrize(
    ("field", "tool"),
    [("warehouse", "inventory.lookup"), ("quantity", "inventory.lookup"), ("order_id", "refund_order")],
)
def test_an_echo_needs_the_field_on_both_sides(field: str, tool: str) -> None:
    error = refusal(lambda: Tools({tool: Tool(lambda **arguments: arguments, echo=(field,))}, CONTRACTS))
    assert [found.code for found in error.findings] == ["contract.echo"]
    assert f'"{field}"' in str(error)


def test_contracts_are_narrowed_to_the_tools_there_are() -> None:
    tools = Tools({"inventory.lookup": Tool(lambda sku: {}, echo=("sku",))}, CONTRACTS)
    assert tools.contracts.tools() == ("inventory.lookup",)
    assert tools["inventory.lookup"].echo == ("sku",)
