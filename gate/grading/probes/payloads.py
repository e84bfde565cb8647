"""Probes for gates: payloads at the border of a contract, made by rule, as objects and as text.

Not here: what a whole call comes to (`calls`), gates that ask a judge (`judges`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from gate.contract import Contract
from gate.evidence.aim import RuleAim
from gate.evidence.rules import rules
from gate.evidence.samples import Sampler
from gate.evidence.textfaults import faulty_texts
from gate.grading.probes.words import Make, Probe
from gate.orders import load_orders
from gate.registry import load_contracts

_TEXTS = ("empty", "encoding", "not_json", "trailing", "duplicate_key", "non_finite", "not_object")
_VALID = 4
Inputs = Iterator[tuple[str, str]]


def valid(contract: Contract, pick: random.Random) -> list[dict[str, Any]]:
    """Return a few payloads that a contract allows, drawn anew for each seed."""
    sampler, strict = Sampler(contract.schema, pick), contract.with_second_engine()
    drawn = (sampler.draw() for _ in range(400))
    return list(islice((value for value in drawn if strict.judge(value) and contract.judge(value)), _VALID))


def near(contract: Contract, bases: list[dict[str, Any]], pick: random.Random) -> Inputs:
    """Yield for each rule of a contract what it is, and a payload that breaks it by as little as can be."""
    sampler = Sampler(contract.schema, pick)
    for rule in rules(contract.schema):
        aim = RuleAim(rule, contract, sampler)
        aim.renew(bases)
        text = aim.shoot(pick)
        if isinstance(text, str):
            yield f"a payload that just breaks {rule.name}", text


def classic(bases: list[dict[str, Any]], pick: random.Random) -> Inputs:
    """Yield what most gates let through, with every seed: true, a fraction and NaN for a number, a last line end."""
    base = pick.choice(bases)
    for name, value in base.items():
        if type(value) in (int, float):
            odd = {"true": True, "NaN": float("nan"), "infinity": float("inf"), "a number as text": str(value)}
            for told, other in odd.items():
                yield f"{told} for a number", json.dumps({**base, name: other})
            if type(value) is int:
                yield "a whole number with a fraction", json.dumps({**base, name: float(value)})
        if type(value) is str:
            yield "a line end after a text", json.dumps({**base, name: f"{value}\n"})


def texts(bases: list[dict[str, Any]], pick: random.Random) -> Inputs:
    """Yield texts with one fault of the front door each."""
    for reason in _TEXTS:
        found = [text for text in faulty_texts(reason, pick.choice(bases), 10**6, pick) if isinstance(text, str)]
        yield f"a text with the fault {reason}", pick.choice(found)


def validate(pick: random.Random) -> Iterator[Probe]:
    """Results of `inventory.lookup`, and tools that have no contract."""
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    bases = valid(contract, pick)
    good = [("a clean result", json.dumps(base)) for base in bases]
    for told, text in [*good, *near(contract, bases, pick), *classic(bases, pick)]:
        yield _validated(told, text)
    yield _validated("a clean result as text", json.dumps(pick.choice(bases)), form="text")
    for told, text in texts(bases, pick):
        yield _validated(told, text, form="text")
    for tool in (pick.choice(["inventory.guess", "inventory.find", "Inventory.lookup"]), ["inventory.lookup"], None):
        yield _validated("a tool without a contract", json.dumps(pick.choice(bases)), tool)


def _validated(told: str, text: str, tool: Any = "inventory.lookup", form: str = "python") -> Probe:
    return Probe(told, "validate", {"tool": tool, "input": text, "form": form})


def by_hand(pick: random.Random) -> Iterator[Probe]:
    """The six rows of the decision table, each with other values."""
    good = {
        "sku": f"SKU-{pick.randrange(99)}",
        "quantity": pick.randrange(1, 999),
        "warehouse": pick.choice(["ams", "nrt"]),
    }
    yield _validated("a clean result", json.dumps(good))
    for name in pick.sample(["reorder_hint", "note", "confidence", "aisle"], 2):
        yield _validated("a key that nobody named", json.dumps({**good, name: pick.choice(["buy", 3])}))
    for name in good:
        yield _validated("a missing field", json.dumps({key: value for key, value in good.items() if key != name}))
    yield _validated("a number as text", json.dumps({**good, "quantity": str(good["quantity"])}))
    yield _validated("a number for the sku", json.dumps({**good, "sku": pick.randrange(99)}))
    yield _validated("a tool without a contract", json.dumps(good), pick.choice(["inventory.guess", "stock.find"]))
    for name in pick.sample(["lon", "SFO", "sf", "sfo "], 2):
        yield _validated("a warehouse that is not on the list", json.dumps({**good, "warehouse": name}))


def schema_gate(pick: random.Random) -> Iterator[Probe]:
    """Arguments of `refund_order`, as objects and as text."""
    contract = load_contracts().input("refund_order")
    assert contract is not None
    bases = valid(contract, pick)
    good = [("right arguments", json.dumps(base)) for base in bases]
    for told, text in [*good, *near(contract, bases, pick), *classic(bases, pick)]:
        yield Probe(told, "gate", {"input": text, "form": pick.choice(["python", "text"])})
    for told, text in texts(bases, pick):
        yield Probe(told, "gate", {"input": text, "form": "text"})


def store_gate(pick: random.Random) -> Iterator[Probe]:
    """Well-formed arguments about every order: all that is left, a cent more, a part, another currency."""
    orders = load_orders()
    for name, order in orders.items():
        left, one = order.limit - order.refunded, 10**order.decimals
        amounts = {"all that is left": left, "a cent more than is left": left + 1}
        amounts["some of it"] = pick.randrange(1, left) if left > 1 else 1
        for told, cents in amounts.items():
            if 0 < cents <= 500 * one:
                yield _stored(told, name, cents / one, order.currency)
        other = pick.choice([currency for currency in ("USD", "EUR", "GBP") if currency != order.currency])
        yield _stored("another currency", name, max(1, left // 2) / one, other)
    paying = [name for name, order in orders.items() if order.refundable and order.limit - order.refunded > 200]
    for _ in range(2):
        name = pick.choice(paying)
        yield _stored("a part of a cent", name, pick.randrange(100) / 100 + 0.005, orders[name].currency)
    unknown = next(name for name in iter(lambda: f"ord_{pick.randrange(10_000):04}", "") if name not in orders)
    yield _stored("an order that does not exist", unknown, 5.0, "USD")


def _stored(told: str, name: str, amount: float, currency: str) -> Probe:
    call = {"order_id": name, "amount": amount, "currency": currency, "reason": "arrived damaged"}
    return Probe(told, "gate", {"input": json.dumps(call)})


def two_doors(pick: random.Random) -> Iterator[Probe]:
    """Texts of a model for `ticket`: refused for the right reason, so the codes count too."""
    contract = load_contracts().input("ticket")
    assert contract is not None
    bases = valid(contract, pick)
    good = [("a right call", json.dumps(base)) for base in bases]
    good.append(("a right call in one json fence", f"```json\n{json.dumps(pick.choice(bases))}\n```"))
    for told, text in [*good, *near(contract, bases, pick), *texts(bases, pick)]:
        wanted = contract.judge(text)
        given = {"input": text, "form": "text", "codes": True}
        yield Probe(told, "gate", given, judges=((told, _Refused(wanted.outcome, frozenset(wanted.codes))),))


class _Refused:
    """Judges an outcome with its codes: those wanted must be among them."""

    def __init__(self, outcome: str, codes: frozenset[str]) -> None:
        self.outcome, self.codes = outcome, codes

    def __call__(self, seen: Any) -> bool:
        return seen["outcome"] == self.outcome and self.codes <= set(seen["codes"])


MAKES: dict[str, Make] = {
    "memory.validate": validate, "memory.by_hand": by_hand, "arguments.schema_gate": schema_gate,
    "arguments.store_gate": store_gate, "fence.two_doors": two_doors,
}  # fmt: skip
