"""The store gate: what our own records say of a refund that is well-formed. It needs no network and no model.

Money is compared exactly, from the number as it was written: `19.000000000000001` is more than 19, and `0.001` is no
amount of USD. What was refunded already counts.

Judging counts nothing, so a call may be judged again and again. `StoreGate.reserve` counts: it judges once more and
takes the amount in one step, before the effect, and gives it back only when the effect definitely did not happen. So
two partial refunds cannot pass a limit together, neither one after the other nor at the same time.

Does not catch: refunds made elsewhere since the file was read, and other processes; what is reserved lives as long as
the gate, and `refunded` in the file must come from the system that pays. A retry of the same call is a second refund
here; the key that makes it harmless is the fence's business.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gate.errors import Finding, clip, finding, quote
from gate.orders import Order, exact_amount, load_orders, minor_units

Findings = tuple[Finding, ...]

#: What the records are asked, by the code of the finding. CONTRACT.md is written from it.
RULES = {
    "unknown_order": "The order exists.",
    "not_refundable": "The status of the order is one that is refunded.",
    "precision": "The amount is positive and has no more decimals than the order's currency; nothing is rounded.",
    "currency_mismatch": "The currency is the one the order was paid in; nothing is converted.",
    "exceeds_remaining": "The amount is at most the order's limit minus everything refunded or reserved before.",
    "failed": "The gate itself works: an error in it refuses the call.",
}


class Reservation:
    """The answer of `StoreGate.reserve`: true when the amount is taken; otherwise `findings` says why not."""

    def __init__(self, gate: StoreGate, number: int, findings: Findings = ()) -> None:
        self.findings = findings
        self._gate, self._number = gate, number

    def __bool__(self) -> bool:
        return not self.findings

    def release(self) -> None:
        """Give the amount back, once. Only for an effect that definitely did not happen; a time-out is not one."""
        self._gate._release(self._number)


class StoreGate:
    """Judges refunds by the orders it was given (`load_orders()` unless told otherwise). Safe across threads.

    >>> gate, call = StoreGate(), {"order_id": "ord_1842", "amount": 19.0, "currency": "USD"}
    >>> gate.judge(call)
    ()
    >>> [bool(gate.reserve(call)) for _ in range(5)]
    [True, False, False, False, False]
    """

    tools = frozenset({"refund_order"})

    def __init__(self, orders: Mapping[str, Order] | None = None) -> None:
        self.orders = dict(load_orders() if orders is None else orders)
        self._taken: Counter[str] = Counter()
        self._held: dict[int, tuple[str, int]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def remaining(self, order_id: str) -> Decimal:
        """Return what can still be refunded on an order; 0 for one that does not exist or is not refundable."""
        order = self.orders.get(order_id)
        return self._remaining(order) if order and order.refundable else Decimal(0)

    def judge(self, arguments: Mapping[str, Any], amount: Decimal | None = None) -> Findings:
        """Return every reason of the records to refuse these arguments; none when they allow. Counts nothing.

        `amount` is the number as it was written, for a caller who still has the text (`payload.exact_number`). Stands
        alone: arguments that no schema has seen are refused too, never a KeyError or a TypeError.
        """
        order_id = arguments.get("order_id") if isinstance(arguments, Mapping) else None
        order = self.orders.get(order_id) if type(order_id) is str else None
        if order is None:
            shown = "missing" if order_id is None else quote(order_id)
            return (_refuse("unknown_order", "order_id", f"is {shown}: no such order", "look the order up first."),)
        exact = exact_amount(arguments.get("amount") if amount is None else amount)
        currency = arguments.get("currency")
        found = [*_status(order), *_precision(order, exact), *_currency(order, currency)]
        if currency == order.currency and exact is not None and exact > self._remaining(order):
            what = f"is {_show(exact)}, but only {self._remaining(order)} {order.currency} can still be refunded"
            found.append(_refuse("exceeds_remaining", "amount", what, "refund no more than what is left."))
        return tuple(found)

    def reserve(self, arguments: Mapping[str, Any], amount: Decimal | None = None) -> Reservation:
        """Judge once more and take the amount, in one step. Call it after an allow and before the effect."""
        with self._lock:
            found = self.judge(arguments, amount)
            if found:
                return Reservation(self, 0, found)
            order, number = self.orders[arguments["order_id"]], next(self._numbers)
            exact = exact_amount(arguments["amount"] if amount is None else amount)
            units = minor_units(exact or Decimal(0), order.decimals) or 0
            self._taken[order.order_id] += units
            self._held[number] = (order.order_id, units)
            return Reservation(self, number)

    def _release(self, number: int) -> None:
        with self._lock:
            order_id, units = self._held.pop(number, ("", 0))
            self._taken[order_id] -= units

    def _remaining(self, order: Order) -> Decimal:
        units = order.limit - order.refunded - self._taken[order.order_id]
        return Decimal(
            f"{units}e-{order.decimals}"
        )  # made from text: arithmetic would round as the caller's context says


def _status(order: Order) -> Findings:
    if order.refundable:
        return ()
    what = f"names an order that is {order.status}, which is not refunded"
    return (_refuse("not_refundable", "order_id", what, "tell the customer; no refund is due."),)


def _precision(order: Order, exact: Decimal | None) -> Findings:
    if exact is not None and exact > 0 and minor_units(exact, order.decimals) is not None:
        return ()
    what = f"must be a positive amount with at most {order.decimals} decimals, got {_show(exact)}"
    return (_refuse("precision", "amount", what, "send whole cents; nothing is rounded."),)


def _currency(order: Order, currency: object) -> Findings:
    if type(currency) is str and currency == order.currency:
        return ()
    what = f"is {quote(currency)}, but the order was paid in {order.currency}"
    return (_refuse("currency_mismatch", "currency", what, f"refund in {order.currency}; nothing is converted."),)


def _show(amount: Decimal | None) -> str:
    return "no number" if amount is None else clip(str(amount), 32)


def _refuse(reason: str, field: str, what: str, hint: str) -> Finding:
    return finding(f"store.{reason}", f"/{field}", f"{field} {what}.", hint)
