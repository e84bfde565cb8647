"""The order records: read once from `data/orders.json`, strictly, and vetted like a contract.

A limit that is NaN, an order that stands twice, a currency without decimals, an order without a status: nothing starts.
Numbers are taken as they were written, so that `19.000000000000001` in the file is refused and not read as 19.

Not here: what the records say of a call (`store`). Not caught: a limit that is well written and wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from gate.errors import ConfigError, quote
from gate.files import locate, read_json
from gate.strictjson import loads_exact

_LARGEST = 10**9
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CURRENCY = re.compile(r"[A-Z]{3}")
_TOP = ("currencies", "refundable", "orders")
_FIELDS = ("currency", "max_refund", "refunded", "status")
_AMOUNTS = ("max_refund", "refunded")


class Order(NamedTuple):
    """One order. `limit` and `refunded` are whole minor units (cents), `decimals` how many digits follow the point."""

    order_id: str
    currency: str
    decimals: int
    limit: int
    refunded: int
    status: str
    refundable: bool


def minor_units(amount: Decimal, decimals: int) -> int | None:
    """Return `amount` in whole minor units; None when it has more digits than its currency or is not finite.

    >>> minor_units(Decimal("19.00"), 2), minor_units(Decimal("18.995"), 2), minor_units(Decimal("1E-320"), 2)
    (1900, None, None)

    Works on the digits alone: nothing is rounded, and an exponent of a billion costs nothing.
    """
    if not amount.is_finite() or amount.adjusted() > 4_000:
        return None
    sign, digits, exponent = amount.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return 0
    shift = int(exponent) + decimals
    spare = len(text) - len(text.rstrip("0"))
    if shift < -spare:
        return None
    units = int(text) * 10**shift if shift >= 0 else int(text[:shift])
    return -units if sign else units


def exact_amount(value: object) -> Decimal | None:
    """Return a Python number as a finite `Decimal`, a float by its shortest text; None for anything else, `True` too.

    >>> exact_amount(19.1), exact_amount("19.1"), exact_amount(float("nan"))
    (Decimal('19.1'), None, None)
    """
    if type(value) is int:
        return Decimal(value)
    exact = Decimal(repr(value)) if type(value) is float else value
    return exact if type(exact) is Decimal and exact.is_finite() else None


def load_orders(path: str | os.PathLike[str] = "data/orders.json") -> dict[str, Order]:
    """Return the vetted orders of a file by id. Raises `ConfigError` naming the file, the order and the field.

    >>> load_orders()["ord_1842"].limit
    1900
    """
    where = locate(path)
    try:
        read_json(where)
    except ConfigError as error:
        if any(found.code == "parse.non_finite" for found in error.findings):
            vet_orders(loads_exact(where.read_text(encoding="utf-8")), str(path))  # names the order and the field
        raise
    return vet_orders(loads_exact(where.read_text(encoding="utf-8")), str(path))


def vet_orders(data: Mapping[str, Any], name: str = "orders") -> dict[str, Order]:
    """Return the orders of already parsed data (fractions as `Decimal`), or raise `ConfigError` with the first faults.

    >>> vet_orders({"currencies": {"USD": 2}, "refundable": {"delivered": True}, "orders": {}})
    Traceback (most recent call last):
    gate.errors.ConfigError: orders: orders is empty. Next: mend the file; nothing starts before.
    """
    faults = list(_faults_of_file(data)) if isinstance(data, Mapping) else ["it must be one JSON object"]
    orders: dict[str, Order] = {}
    for order_id, record in data["orders"].items() if not faults else ():
        wrong = list(_faults_of_order(order_id, record, data))
        faults += [f"order {quote(order_id)}: {fault}" for fault in wrong]
        if not wrong:
            orders[order_id] = _order(order_id, record, data)
    if faults:
        more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
        raise ConfigError(f"{name}: {'; '.join(faults[:3])}{more}. Next: mend the file; nothing starts before.")
    return orders


def _faults_of_file(data: Mapping[str, Any]) -> Iterator[str]:
    if set(data) != set(_TOP):
        yield f"it must have exactly the keys {', '.join(_TOP)}"
        return
    for key in _TOP:
        if not isinstance(data[key], Mapping):
            yield f"{key} must be an object"
        elif not data[key]:
            yield f"{key} is empty"
        else:
            yield from _faults_of_entries(key, data[key])


def _faults_of_entries(key: str, entries: Mapping[str, Any]) -> Iterator[str]:
    for name, value in entries.items():
        if key == "currencies" and not (_is(_CURRENCY, name) and type(value) is int and 0 <= value <= 4):
            yield f"currencies: {quote(name)} must be three capitals with 0 to 4 decimals"
        if key == "refundable" and not (_is(_NAME, name) and type(value) is bool):
            yield f"refundable: {quote(name)} must be a status with true or false"
        if key == "orders" and not _is(_NAME, name):
            yield f"order {quote(name)}: an order id is 1 to 64 ASCII letters, digits, _ or -"


def _faults_of_order(order_id: str, record: Any, data: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(record, Mapping):
        yield "it must be an object"
        return
    for field in sorted(set(_FIELDS) ^ set(record)):
        yield f"{quote(field)} is {'missing' if field in _FIELDS else 'unknown'}"
    if set(_FIELDS) != set(record):
        return
    if record["currency"] not in list(data["currencies"]):
        yield f"currency {quote(record['currency'])} is not one of {', '.join(data['currencies'])}"
        return
    if record["status"] not in list(data["refundable"]):
        yield f"status {quote(record['status'])} is not one of {', '.join(data['refundable'])}"
    decimals = data["currencies"][record["currency"]]
    limit, refunded = (_money(record[field], decimals) for field in _AMOUNTS)
    for field, units in zip(_AMOUNTS, (limit, refunded), strict=True):
        if units is None:
            yield f"{field} must be a number from 0 to {_LARGEST} with at most {decimals} decimals"
    if limit is not None and refunded is not None and refunded > limit:
        yield "refunded is more than max_refund"


def _money(value: Any, decimals: int) -> int | None:
    exact = exact_amount(value)
    units = None if exact is None else minor_units(exact, decimals)
    return units if units is not None and 0 <= units <= _LARGEST * 10**decimals else None


def _order(order_id: str, record: Mapping[str, Any], data: Mapping[str, Any]) -> Order:
    currency, status = record["currency"], record["status"]
    decimals = data["currencies"][currency]
    limit, refunded = (_money(record[field], decimals) or 0 for field in _AMOUNTS)
    return Order(order_id, currency, decimals, limit, refunded, status, data["refundable"][status])


def _is(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
