"""Three contracts, and what a user would judge them with instead: one function from bytes to a value or None each.

Every rival is set as strict as its documentation allows without writing a validator of one's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import fastjsonschema
import jsonschema
import msgspec
import pydantic

from benchmarks import plain_gate
from benchmarks.plain_gate import LARGE_NUMBERS, LARGE_TEXTS
from gate import Contract

Judge = Callable[[bytes], Any]

INVENTORY: dict[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["sku", "quantity", "warehouse"],
    "properties": {
        "sku": {"type": "string", "pattern": "^[A-Z0-9-]+$", "maxLength": 32},
        "quantity": {"type": "integer", "minimum": 0, "maximum": 1000000},
        "warehouse": {"enum": ["sfo", "ams", "nrt"]},
    },
}  # fmt: skip
REFUND: dict[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["order_id", "amount", "currency", "reason"],
    "properties": {
        "order_id": {"type": "string", "pattern": "^ord_[0-9]{4}$"},
        "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 500},
        "currency": {"enum": ["USD", "EUR", "GBP"]},
        "reason": {"type": "string", "minLength": 8, "maxLength": 240},
    },
}  # fmt: skip
_ITEM: dict[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["sku", "quantity", "price", "place"],
    "properties": {
        "sku": {"type": "string", "pattern": "^[A-Z0-9-]+$", "maxLength": 32},
        "quantity": {"type": "integer", "minimum": 0, "maximum": 1000000},
        "price": {"type": "number", "minimum": 0, "maximum": 100000},
        "place": {
            "type": "object", "additionalProperties": False, "required": ["warehouse", "shelf"],
            "properties": {
                "warehouse": {"enum": ["sfo", "ams", "nrt"]},
                "shelf": {"type": "string", "maxLength": 16},
            },
        },
    },
}  # fmt: skip
_Strict = pydantic.ConfigDict(extra="forbid", strict=True)
_Sku = Annotated[str, pydantic.Field(pattern=r"^[A-Z0-9-]+$", max_length=32)]
_Quantity = Annotated[int, pydantic.Field(ge=0, le=1_000_000)]
_Warehouse = Literal["sfo", "ams", "nrt"]


class InventoryModel(pydantic.BaseModel):
    model_config = _Strict
    sku: _Sku
    quantity: _Quantity
    warehouse: _Warehouse


class RefundModel(pydantic.BaseModel):
    model_config = _Strict
    order_id: Annotated[str, pydantic.Field(pattern=r"^ord_[0-9]{4}$")]
    amount: Annotated[float, pydantic.Field(gt=0, le=500, allow_inf_nan=False)]
    currency: Literal["USD", "EUR", "GBP"]
    reason: Annotated[str, pydantic.Field(min_length=8, max_length=240)]


class _PlaceModel(pydantic.BaseModel):
    model_config = _Strict
    warehouse: _Warehouse
    shelf: Annotated[str, pydantic.Field(max_length=16)]


class _ItemModel(pydantic.BaseModel):
    model_config = _Strict
    sku: _Sku
    quantity: _Quantity
    price: Annotated[float, pydantic.Field(ge=0, le=100_000, allow_inf_nan=False)]
    place: _PlaceModel


_MSku = Annotated[str, msgspec.Meta(pattern=r"^[A-Z0-9-]+$", max_length=32)]
_MQuantity = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
InventoryStruct = msgspec.defstruct(
    "InventoryStruct", [("sku", _MSku), ("quantity", _MQuantity), ("warehouse", _Warehouse)], forbid_unknown_fields=True
)
RefundStruct = msgspec.defstruct(
    "RefundStruct",
    [
        ("order_id", Annotated[str, msgspec.Meta(pattern=r"^ord_[0-9]{4}$")]),
        ("amount", Annotated[float, msgspec.Meta(gt=0, le=500)]),
        ("currency", Literal["USD", "EUR", "GBP"]),
        ("reason", Annotated[str, msgspec.Meta(min_length=8, max_length=240)]),
    ],
    forbid_unknown_fields=True,
)
_PlaceStruct = msgspec.defstruct(
    "_PlaceStruct",
    [("warehouse", _Warehouse), ("shelf", Annotated[str, msgspec.Meta(max_length=16)])],
    forbid_unknown_fields=True,
)
_ItemStruct = msgspec.defstruct(
    "_ItemStruct",
    [("sku", _MSku), ("quantity", _MQuantity), ("price", Annotated[float, msgspec.Meta(ge=0, le=100_000)]),
     ("place", _PlaceStruct)],
    forbid_unknown_fields=True,
)  # fmt: skip


def _quiet(judge: Judge, *refusals: type[Exception]) -> Judge:
    """Turn a refusal by exception into None, so that all judges answer alike."""

    def quietly(raw: bytes) -> Any:
        try:
            return judge(raw)
        except refusals:
            return None

    return quietly


def _by_jsonschema(schema: dict[str, Any]) -> Judge:
    validator = jsonschema.Draft202012Validator(schema)

    def judge(raw: bytes) -> Any:
        value = json.loads(raw)
        return value if next(validator.iter_errors(value), None) is None else None

    return _quiet(judge, ValueError)


def _by_validate(schema: dict[str, Any]) -> Judge:
    def judge(raw: bytes) -> Any:
        value = json.loads(raw)
        jsonschema.validate(value, schema)
        return value

    return _quiet(judge, ValueError, jsonschema.ValidationError)


def _by_fastjsonschema(schema: dict[str, Any]) -> Judge:
    compiled = fastjsonschema.compile(schema)
    return _quiet(lambda raw: compiled(json.loads(raw)), ValueError, fastjsonschema.JsonSchemaException)


def judges(
    schema: dict[str, Any], model: type[pydantic.BaseModel], struct: type, plain: Judge, name: str
) -> dict[str, Judge]:
    """Return every rival for one contract, by name; the kit's own first."""
    contract = Contract.from_schema(schema, tool=name)
    return {
        "gate": lambda raw: contract.judge(raw).value,
        "jsonschema, prebuilt": _by_jsonschema(schema),
        "jsonschema.validate": _by_validate(schema),
        "fastjsonschema": _by_fastjsonschema(schema),
        "pydantic validate_json": _quiet(model.model_validate_json, pydantic.ValidationError),
        "msgspec": _quiet(msgspec.json.Decoder(struct).decode, msgspec.DecodeError, msgspec.ValidationError),
        "plain hand-written": _quiet(plain, ValueError),
    }


def large(most: int) -> dict[str, Judge]:
    """Return the judges of an order of 30 fields and at most so many items."""
    schema = {
        "type": "object", "additionalProperties": False, "required": [*LARGE_TEXTS, *LARGE_NUMBERS, "items"],
        "properties": {
            **{name: {"type": "string", "maxLength": 64} for name in LARGE_TEXTS},
            **{name: {"type": "integer", "minimum": 0, "maximum": 1000} for name in LARGE_NUMBERS},
            "items": {"type": "array", "maxItems": most, "items": _ITEM},
        },
    }  # fmt: skip
    text = (Annotated[str, pydantic.Field(max_length=64)], ...)
    whole = (Annotated[int, pydantic.Field(ge=0, le=1000)], ...)
    items = (Annotated[list[_ItemModel], pydantic.Field(max_length=most)], ...)
    names = dict.fromkeys(LARGE_TEXTS, text) | dict.fromkeys(LARGE_NUMBERS, whole) | {"items": items}
    model = pydantic.create_model("LargeModel", __config__=_Strict, **names)
    struct = msgspec.defstruct(
        "LargeStruct",
        [(name, Annotated[str, msgspec.Meta(max_length=64)]) for name in LARGE_TEXTS]
        + [(name, Annotated[int, msgspec.Meta(ge=0, le=1000)]) for name in LARGE_NUMBERS]
        + [("items", Annotated[list[_ItemStruct], msgspec.Meta(max_length=most)])],
        forbid_unknown_fields=True,
    )
    return judges(schema, model, struct, plain_gate.large, "large")


def order(items: int, last: object = 4) -> bytes:
    """Return an order of so many items, the last of which has the quantity `last`."""
    item = {"sku": "SKU-19", "quantity": 4, "price": 12.5, "place": {"warehouse": "sfo", "shelf": "A-7"}}
    fields = dict.fromkeys(LARGE_TEXTS, "some words of a field") | dict(zip(LARGE_NUMBERS, range(10), strict=True))
    return json.dumps(fields | {"items": [*([item] * (items - 1)), item | {"quantity": last}]}).encode()


def contracts() -> dict[str, tuple[dict[str, Judge], bytes, bytes]]:
    """Return for each contract its judges, one valid payload and one invalid one, as bytes."""
    return {
        "inventory (3 fields)": (
            judges(INVENTORY, InventoryModel, InventoryStruct, plain_gate.inventory, "inventory"),
            b'{"sku":"SKU-19","quantity":4,"warehouse":"sfo"}',
            b'{"sku":"SKU-19","quantity":"4","warehouse":"sfo"}',
        ),
        "refund (4 fields)": (
            judges(REFUND, RefundModel, RefundStruct, plain_gate.refund, "refund"),
            b'{"order_id":"ord_1842","amount":19.00,"currency":"USD","reason":"damaged shipment on delivery"}',
            b'{"order_id":"ord_1842","amount":19.00,"currency":"US","reason":"damaged shipment on delivery"}',
        ),
        "large (30 fields, 3 levels, 50 items)": (large(50), order(50), order(50, "4")),
    }


#: Payloads for the inventory contract that must not pass: what they are, and the bytes.
TRAPS: dict[str, bytes] = {
    "duplicate key": b'{"sku":"SKU-19","quantity":9999,"quantity":4,"warehouse":"sfo"}',
    "NaN": b'{"sku":"SKU-19","quantity":NaN,"warehouse":"sfo"}',
    "trailing newline": b'{"sku":"SKU-19\\n","quantity":4,"warehouse":"sfo"}',
    "4.0": b'{"sku":"SKU-19","quantity":4.0,"warehouse":"sfo"}',
    "true for 1": b'{"sku":"SKU-19","quantity":true,"warehouse":"sfo"}',
    "look-alike": '{"sku":"SKU-1９","quantity":4,"warehouse":"sfo"}'.encode(),
    "lone surrogate": b'{"sku":"SKU\\ud83d","quantity":4,"warehouse":"sfo"}',
    "text in quantity": b'{"sku":"SKU-19","quantity":"4","warehouse":"sfo"}',
}
