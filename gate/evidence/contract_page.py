"""CONTRACT.md: the contract of `refund_order` as a page for people, written from the schema, the rules and the records.

The class writes its own first and compares. Because the page is generated, it cannot say something else than the gates
do; a test holds the file in the repository to it. Not here: why the rules are as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from gate.contract import Contract
from gate.errors import ConfigError
from gate.orders import Order, load_orders
from gate.pipeline import ORDER
from gate.registry import kit_contracts
from gate.semantic import load_policy
from gate.store import RULES

_LIMITS = {
    "exclusiveMinimum": "more than {}",
    "minimum": "at least {}",
    "exclusiveMaximum": "less than {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matches `{}`",
}
_FORMATS = {
    "line": "one printable line without blanks at its ends or anything invisible",
    "text": "printable lines without anything invisible",
}
_STAGE_WORDS = {
    "schema": "the text is one strict JSON object, and the object keeps the table below",
    "store": "our records know the order and the money",
    "semantic": "a judge finds that the reason keeps the policy",
}


def contract_page(contract: Contract, orders: Iterable[Order], policy: str) -> str:
    """Return the page as Markdown. `contract` is the input side of a tool with flat fields, `policy` the judge's text.

    >>> from gate.registry import load_contracts
    >>> contract_page(load_contracts().input("refund_order"), [], "Be fair.").splitlines()[0]
    '# Contract of `refund_order`'
    """
    parts = [
        f"# Contract of `{contract.tool}`",
        f"Contract `{contract.id}`, version {contract.version}. Written by `gate contract page`; do not edit.",
        "A call runs only if every gate allows it, in this order; the first refusal ends the way.",
        "\n".join(f"{n}. **{stage}**: {_STAGE_WORDS[stage]}" for n, stage in enumerate(ORDER, start=1)),
        "## Arguments",
        _fields(contract.schema),
        'No other field. Nothing is coerced, filled in or rounded: `"19.00"` is no number, `US` is no currency.',
        "## Records",
        "Asked only when the schema allows.",
        _table(("code", "rule"), ((f"`store.{reason}`", rule) for reason, rule in RULES.items())),
        _table(("order", "currency", "limit", "refunded", "status"), (_order(order) for order in orders)),
        "## Policy",
        "Asked only when schema and records allow. Anything but a well-formed `allow` with a rationale is a block.",
        "\n".join(f"> {line}  " for line in policy.splitlines()),
        "## What this does not prove",
        "That the customer tells the truth, that the records are up to date, or that the judge is wise. It proves\n"
        "that no call runs whose form, records or verdict are in doubt.",
    ]
    return "\n\n".join(parts) + "\n"


def kit_page() -> str:
    """Return the page for the kit's own refund_order, records and policy: the text of CONTRACT.md.

    Raises `ConfigError` when one of them cannot be used.
    """
    contract = kit_contracts().input("refund_order")
    if contract is None:
        raise ConfigError("schemas holds no contract of refund_order. Next: put refund_order.input.schema.json back.")
    return contract_page(contract, load_orders().values(), load_policy())


def _fields(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = (
        (f"`{name}`", "yes" if name in required else "no", _words(rule)) for name, rule in schema["properties"].items()
    )
    return _table(("field", "required", "rule"), rows)


def _words(rule: dict[str, Any]) -> str:
    words = [str(rule["type"])] if "type" in rule else []
    if "enum" in rule:
        words.append("one of " + ", ".join(f"`{value}`" for value in rule["enum"]))
    words += [text.format(rule[key]) for key, text in _LIMITS.items() if key in rule]
    if "format" in rule:
        words.append(_FORMATS.get(rule["format"], f"format `{rule['format']}`"))
    return ", ".join(words)


def _order(order: Order) -> tuple[str, ...]:
    limit, refunded = (Decimal(units).scaleb(-order.decimals) for units in (order.limit, order.refunded))
    status = order.status if order.refundable else f"{order.status} (not refunded)"
    return f"`{order.order_id}`", order.currency, str(limit), str(refunded), status


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
