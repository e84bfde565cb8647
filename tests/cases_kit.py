"""How a case row becomes a decision: its input judged by the kit's contracts, or by a schema of its own.

Every judge takes one flag: False asks the deciding engine, True the second one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from gate.contract import Contract
from gate.decision import Decision
from gate.registry import Contracts, load_contracts
from gate.results import judge_result
from gate.toolcall import judge_call

Schema = dict[str, Any]
Judge = Callable[[bool], Decision]


@dataclass(frozen=True)
class Case:
    """One input and the codes of its decision, in order. `judge(True)` asks the second engine."""

    name: str
    codes: tuple[str, ...]
    judge: Judge


@dataclass(frozen=True)
class Refusal:
    """One schema that is no contract, and the codes of the error."""

    name: str
    codes: tuple[str, ...]
    schema: Any


def shape(**properties: Any) -> Schema:
    """Return a closed object of these properties, all of them required."""
    return {
        "type": "object", "additionalProperties": False, "properties": properties, "required": list(properties),
    }  # fmt: skip


@cache
def kit(second: bool) -> Contracts:
    """Return the kit's own contracts, judged by the deciding engine or the second one."""
    return kit(False).with_second_engine() if second else load_contracts()


def contract(schema: Schema, second: bool = False) -> Contract:
    made = Contract.from_schema(schema, tool="t")
    return made.with_second_engine() if second else made


def by(schema: Schema, raw: Any) -> Judge:
    """Judge arguments by a schema."""
    return lambda second: contract(schema, second).judge(_made(raw))


def refund(**changes: Any) -> Judge:
    """Judge the arguments of a good refund with these changes; a change to `...` leaves the field out."""
    good = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": "damaged shipment on delivery"}
    changed = {name: value for name, value in (good | changes).items() if value is not ...}
    return lambda second: _refund(second).judge({name: _made(value) for name, value in changed.items()})


def refund_raw(raw: Any) -> Judge:
    """Judge these very arguments of a refund."""
    return lambda second: _refund(second).judge(_made(raw))


def _refund(second: bool) -> Contract:
    found = kit(second).input("refund_order")
    assert found is not None
    return found


def result(raw: Any, tool: Any = "inventory.lookup") -> Judge:
    """Judge what a tool returned."""
    return lambda second: judge_result(kit(second), tool, _made(raw))


def stock(**changes: Any) -> Judge:
    """Judge a good inventory result with these changes."""
    return result({"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"} | changes)


def stock_raw(quantity: str) -> Judge:
    """Judge an inventory result whose quantity is this very text."""
    return result(f'{{"sku":"SKU-19","quantity":{quantity},"warehouse":"sfo"}}')


def call(made: Any, schema: Schema | None = None, *, seen: tuple[str, ...] = ()) -> Judge:
    """Judge a tool call against the kit's tools, or against one tool `f` of this schema."""

    def judge(second: bool) -> Decision:
        if schema is None:
            return judge_call(kit(second), made, seen=seen)
        contracts = Contracts([Contract.from_schema(schema, tool="f")])
        return judge_call(contracts.with_second_engine() if second else contracts, made, seen=seen)

    return judge


def _made(raw: Any) -> Any:
    """Return the input; what is large or deep is made only when it is wanted."""
    return raw() if callable(raw) else raw


def nested(levels: int) -> Any:
    """Return a list in a list in a list."""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


class Number(enum.IntEnum):
    FOUR = 4


class MyInt(int):
    pass


class Short(str):
    """A string that lies about its length."""

    def __len__(self) -> int:
        return 5


class TwoFaced(dict[str, Any]):
    """A dict whose items are not what indexing it gives."""

    def __getitem__(self, key: str) -> Any:
        return 999 if key == "quantity" else super().__getitem__(key)


WHOLE = {"type": "integer", "minimum": 0, "maximum": 9}
FREE = {"type": "number"}
WORD = {"type": "string", "maxLength": 40}
NOTE = shape(a={"type": ["integer", "string"], "minimum": 0, "maximum": 9, "maxLength": 40})
TREE = {
    "type": "object", "additionalProperties": False, "properties": {"next": {"$ref": "#"}, "n": WHOLE},
}  # fmt: skip
