"""What the tests of calls, results and turns share: a few small contracts, a call to start from, tools that count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gate.contract import Contract
from gate.registry import Contracts

LINE = {"type": "string", "format": "line", "minLength": 1, "maxLength": 40}
SKU = {"type": "string", "pattern": "^[A-Z0-9-]+$", "minLength": 1, "maxLength": 32}
COUNT = {"type": "integer", "minimum": 0, "maximum": 1_000_000}


def closed(required: tuple[str, ...] | None = None, **properties: Any) -> dict[str, Any]:
    """Return a closed object schema; every property is required unless told otherwise."""
    names = list(properties) if required is None else list(required)
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": names}


ORDER = closed(
    order_id={"type": "string", "pattern": "^ord_[0-9]{4}$"},
    amount={"type": "number", "exclusiveMinimum": 0, "maximum": 500},
    currency={"enum": ["USD", "EUR", "GBP"]},
    reason={"type": "string", "format": "line", "minLength": 8, "maxLength": 240},
)
STOCK = closed(sku=SKU, quantity=COUNT, warehouse={"enum": ["sfo", "ams", "nrt"]})

CONTRACTS = Contracts(
    [
        Contract.from_schema(closed(sku=SKU), tool="inventory.lookup"),
        Contract.from_schema(STOCK, tool="inventory.lookup", side="output"),
        Contract.from_schema(ORDER, tool="refund_order"),
        Contract.from_schema(closed(n=COUNT), tool="count"),
    ]
)
FOUND = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}


def call(name: str = "inventory.lookup", identity: str = "c1", /, **changes: Any) -> dict[str, Any]:
    """Return a valid lookup call, or another one; a field that is given as None is left out."""
    made = {"id": identity, "name": name, "input": {"sku": "SKU-19"}} | changes
    return {key: value for key, value in made.items() if value is not None}


class Counting:
    """A tool that counts its runs and returns, or raises, what it was given."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = dict(FOUND) if answer is None else answer
        self.seen: list[dict[str, Any]] = []

    def __call__(self, **arguments: Any) -> Any:
        self.seen.append(arguments)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer() if callable(self.answer) else self.answer

    @property
    def runs(self) -> int:
        return len(self.seen)


def returning(make: Callable[[], Any]) -> Callable[..., Any]:
    """Return a tool that makes its answer anew at each run."""
    return lambda **arguments: make()
