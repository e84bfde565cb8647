"""The hand-written gate that articles show, for three contracts: what most people have before they use this kit.

Written here in the usual way: `json.loads`, then one check after the other. It is the rival that costs least, and the
one that lets most through.
"""

from __future__ import annotations

import json
from typing import Any

ORDER_KEYS = {"order_id", "amount", "currency", "reason"}


def inventory(raw: bytes) -> dict[str, Any] | None:
    """Check an inventory result by hand."""
    value = json.loads(raw)
    if not isinstance(value, dict) or set(value) != {"sku", "quantity", "warehouse"}:
        return None
    if not isinstance(value["sku"], str) or not 1 <= len(value["sku"]) <= 32:
        return None
    if not isinstance(value["quantity"], int) or not 0 <= value["quantity"] <= 1_000_000:
        return None
    return value if value["warehouse"] in ("sfo", "ams", "nrt") else None


def refund(raw: bytes) -> dict[str, Any] | None:
    """Check refund arguments by hand."""
    value = json.loads(raw)
    if not isinstance(value, dict) or set(value) != ORDER_KEYS:
        return None
    if not isinstance(value["order_id"], str) or not value["order_id"].startswith("ord_"):
        return None
    if not isinstance(value["amount"], (int, float)) or not 0 < value["amount"] <= 500:
        return None
    if value["currency"] not in ("USD", "EUR", "GBP"):
        return None
    return value if isinstance(value["reason"], str) and 8 <= len(value["reason"]) <= 240 else None


def large(raw: bytes) -> dict[str, Any] | None:
    """Check the large order by hand: the outer fields and, for each item, the inner ones."""
    value = json.loads(raw)
    if not isinstance(value, dict) or set(value) != LARGE_KEYS:
        return None
    if not all(isinstance(value[key], str) and len(value[key]) <= 64 for key in LARGE_TEXTS):
        return None
    if not all(isinstance(value[key], int) and 0 <= value[key] <= 1000 for key in LARGE_NUMBERS):
        return None
    return value if all(_item(item) for item in value["items"]) else None


def _item(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and set(item) == {"sku", "quantity", "price", "place"}
        and isinstance(item["sku"], str)
        and isinstance(item["quantity"], int)
        and isinstance(item["price"], (int, float))
        and isinstance(item["place"], dict)
        and item["place"].get("warehouse") in ("sfo", "ams", "nrt")
    )


LARGE_TEXTS = [f"text_{number:02}" for number in range(19)]
LARGE_NUMBERS = [f"number_{number:02}" for number in range(10)]
LARGE_KEYS = {*LARGE_TEXTS, *LARGE_NUMBERS, "items"}
