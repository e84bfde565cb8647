"""The store gate and the order records, rule by rule."""

from __future__ import annotations

import contextlib
import copy
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import CODES, MAX_MESSAGE, ConfigError
from gate.orders import load_orders, minor_units, vet_orders
from gate.store import RULES, StoreGate

CALL = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD", "reason": "damaged shipment on delivery"}
DATA = {
    "currencies": {"USD": 2, "EUR": 2},
    "refundable": {"delivered": True, "cancelled": False},
    "orders": {"ord_1842": {"currency": "USD", "max_refund": 19.00, "refunded": 0, "status": "delivered"}},
}
NAN = float("nan")


def codes(arguments: Any, amount: Decimal | None = None) -> list[str]:
    return [found.code.removeprefix("store.") for found in StoreGate().judge(arguments, amount)]


def with_order(**changed: Any) -> dict[str, Any]:
    """The data with one order changed; `...` takes a field away."""
    data = copy.deepcopy(DATA)
    order = {**DATA["orders"]["ord_1842"], **changed}
    data["orders"] = {"ord_1842": {key: value for key, value in order.items() if value is not ...}}
    return data


# --- Judging ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"amount": 19}, []),
        ({"amount": 0.01}, []),
        ({"order_id": "ord_9999"}, ["unknown_order"]),
        ({"order_id": "ord_1842\n"}, ["unknown_order"]),
        ({"amount": 19.01}, ["exceeds_remaining"]),
        ({"amount": 19.004}, ["precision", "exceeds_remaining"]),
        ({"amount": 18.995}, ["precision"]),
        ({"amount": -5}, ["precision"]),
        ({"amount": 0}, ["precision"]),
        ({"amount": 10**400}, ["exceeds_remaining"]),
        ({"amount": 10**5000}, ["precision", "exceeds_remaining"]),
        ({"currency": "GBP"}, ["currency_mismatch"]),
        ({"order_id": "ord_1843", "currency": "EUR"}, ["not_refundable", "exceeds_remaining"]),
        ({"order_id": "ord_1844", "amount": 20.0}, []),
        ({"order_id": "ord_1844", "amount": 20.01}, ["exceeds_remaining"]),
        ({"order_id": "ord_1845", "amount": 10, "currency": "GBP"}, ["not_refundable"]),
        ({"order_id": "ord_1846", "amount": 499.99, "currency": "GBP"}, []),
        ({"order_id": "ord_1847", "amount": 0.01, "currency": "EUR"}, ["exceeds_remaining"]),
    ],
)
def test_gives_every_reason_of_the_records(changed: dict[str, Any], expected: list[str]) -> None:
    assert codes({**CALL, **changed}) == expected


@pytest.mark.parametrize(
    "arguments",
    [{}, {"order_id": ["ord_1842"]}, {"order_id": {}}, {"order_id": None}, {"order_id": 1842}, [], None, "ord_1842"],
)
def test_stands_alone_and_blocks_what_no_schema_has_seen(arguments: Any) -> None:
    assert codes(arguments) == ["unknown_order"]


@pytest.mark.parametrize("amount", [None, "19.00", True, [], NAN, float("inf"), Decimal("NaN"), Decimal("sNaN")])
def test_blocks_an_amount_that_is_no_finite_number_without_raising(amount: Any) -> None:
    assert codes({**CALL, "amount": amount}) == ["precision"]


def test_blocks_a_missing_amount_and_a_missing_currency() -> None:
    assert codes({"order_id": "ord_1842"}) == ["precision", "currency_mismatch"]


@pytest.mark.parametrize("currency", [["USD"], {}, 1, True, None])
def test_blocks_a_currency_that_is_no_text(currency: Any) -> None:
    assert codes({**CALL, "currency": currency}) == ["currency_mismatch"]


def test_compares_the_number_as_it_was_written() -> None:
    assert codes(CALL, Decimal("19.000000000000001")) == ["precision", "exceeds_remaining"]
    assert codes(CALL, Decimal("19.00000000000000000000000000000000000")) == []
    assert codes(CALL, Decimal("1.9e1")) == []
    assert codes(CALL, Decimal("1E-999999999")) == ["precision"]
    assert codes(CALL, Decimal("1E+999999999")) == ["precision", "exceeds_remaining"]


def test_compares_decimals_with_decimals() -> None:
    gate = StoreGate(vet_orders(with_order(max_refund=Decimal("19.99"))))
    assert gate.judge({**CALL, "amount": Decimal("19.99")}) == ()
    assert gate.judge({**CALL, "amount": 19.99}) == ()


def test_a_message_names_the_field_the_fault_and_the_next_step() -> None:
    [found] = StoreGate().judge({**CALL, "order_id": "ord_1844", "amount": 30})
    assert found.path == "/amount"
    assert found.message == "amount is 30, but only 20.00 USD can still be refunded."
    assert found.hint == "refund no more than what is left."


def test_a_message_never_repeats_more_than_a_short_piece() -> None:
    for found in StoreGate().judge({**CALL, "currency": "\x1b[2J" + "U" * 10**6}, Decimal("9" * 5000)):
        assert len(found.message) <= MAX_MESSAGE
        assert "\x1b" not in found.message
        assert "U" * 50 not in found.message and "9" * 50 not in found.message


def test_every_code_of_the_store_has_its_rule_in_words() -> None:
    assert set(RULES) == set(CODES["store"])


# --- Counting --------------------------------------------------------------------------------------------------------


def test_judging_alone_counts_nothing() -> None:
    gate = StoreGate()
    assert [gate.judge(CALL) for _ in range(5)] == [()] * 5
    assert gate.remaining("ord_1842") == Decimal("19.00")


def test_the_same_refund_five_times_is_one_allow_and_four_blocks() -> None:
    gate = StoreGate()
    taken = [gate.reserve(CALL) for _ in range(5)]
    assert [bool(one) for one in taken] == [True, False, False, False, False]
    assert [found.code for found in taken[1].findings] == ["store.exceeds_remaining"]
    assert gate.judge(CALL) == taken[1].findings


def test_two_partial_refunds_cannot_pass_the_limit_together() -> None:
    gate = StoreGate()
    assert gate.reserve({**CALL, "amount": 10})
    assert not gate.reserve({**CALL, "amount": 10})
    assert gate.reserve({**CALL, "amount": 9})
    assert gate.remaining("ord_1842") == 0


def test_counts_the_number_as_it_was_written() -> None:
    gate = StoreGate()
    assert gate.reserve(CALL, Decimal("0.07"))
    assert gate.remaining("ord_1842") == Decimal("18.93")


def test_an_effect_that_did_not_happen_gives_its_amount_back_once() -> None:
    gate = StoreGate()
    first, second = gate.reserve({**CALL, "amount": 10}), gate.reserve({**CALL, "amount": 9})
    first.release()
    first.release()
    assert gate.remaining("ord_1842") == 10
    assert second and gate.reserve({**CALL, "amount": 10})


def test_a_refused_reservation_releases_nothing() -> None:
    gate = StoreGate()
    assert gate.reserve(CALL)
    gate.reserve(CALL).release()
    assert gate.remaining("ord_1842") == 0


def test_twenty_threads_take_an_order_once() -> None:
    gate, taken, start = StoreGate(), [], threading.Barrier(20)

    def take() -> None:
        start.wait()
        taken.append(bool(gate.reserve(CALL)))

    threads = [threading.Thread(target=take) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 19 + [True]


def test_judging_and_taking_are_one_step() -> None:
    meeting = threading.Barrier(2)

    class Dawdling(StoreGate):
        """Waits after judging until another thread has judged too, which must not happen."""

        def judge(self, arguments: Any, amount: Decimal | None = None) -> Any:
            found = super().judge(arguments, amount)
            with contextlib.suppress(threading.BrokenBarrierError):
                meeting.wait(0.1)
            return found

    gate = Dawdling()
    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(lambda _: bool(gate.reserve(CALL)), range(2)))
    assert sorted(taken) == [False, True]


def test_nothing_remains_of_an_order_that_is_not_there_or_not_refunded() -> None:
    assert StoreGate().remaining("ord_9999") == StoreGate().remaining("ord_1845") == 0


@given(st.lists(st.integers(1, 1900), max_size=30))
def test_whatever_is_reserved_never_passes_the_limit(cents: list[int]) -> None:
    gate = StoreGate(vet_orders(DATA))
    taken = sum(c for c in cents if gate.reserve({**CALL, "amount": c / 100}))
    assert taken <= 1900
    assert gate.remaining("ord_1842") == Decimal(1900 - taken) / 100


# --- Money -----------------------------------------------------------------------------------------------------------


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20), st.integers(0, 4))
def test_minor_units_are_exact_or_none(amount: Decimal, decimals: int) -> None:
    exact = Fraction(amount) * 10**decimals
    assert minor_units(amount, decimals) == (int(exact) if exact.denominator == 1 else None)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("19.00", 1900), ("1.9e1", 1900), ("0", 0), ("0.00e5", 0), ("-5", -500), ("0.001", None), ("NaN", None),
        ("Infinity", None), ("1." + "0" * 5000, 100), ("1." + "9" * 5000, None), ("1e-999999999", None),
        ("1e999999999", None), ("1" + "0" * 5000 + "e-5000", 100), ("1e400", 10**402),
    ],
)  # fmt: skip
def test_minor_units_of_numbers_as_people_and_attackers_write_them(text: str, units: int | None) -> None:
    assert minor_units(Decimal(text), 2) == units


# --- Records ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"status": ...}, '"status" is missing'),
        ({"currency": ...}, '"currency" is missing'),
        ({"note": "x"}, '"note" is unknown'),
        ({"max_refund": NAN}, "max_refund must be a number from 0"),
        ({"max_refund": float("inf")}, "max_refund must be a number from 0"),
        ({"max_refund": None}, "max_refund must be a number from 0"),
        ({"max_refund": "19"}, "max_refund must be a number from 0"),
        ({"max_refund": True}, "max_refund must be a number from 0"),
        ({"max_refund": -1}, "max_refund must be a number from 0"),
        ({"max_refund": 10**10}, "max_refund must be a number from 0"),
        ({"max_refund": Decimal("19.000000000000001")}, "at most 2 decimals"),
        ({"refunded": 19.01}, "refunded is more than max_refund"),
        ({"currency": "usd"}, 'currency "usd" is not one of USD, EUR'),
        ({"currency": ["USD"]}, "currency a value of type list is not one of USD, EUR"),
        ({"status": "Delivered"}, 'status "Delivered" is not one of delivered, cancelled'),
        ({"status": {}}, "status a value of type dict is not one of delivered, cancelled"),
    ],
)
def test_refuses_to_start_on_a_bad_order_and_names_order_and_field(changed: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError) as caught:
        vet_orders(with_order(**changed), "orders.json")
    assert str(caught.value).startswith('orders.json: order "ord_1842": ')
    assert named in str(caught.value)
    assert str(caught.value).endswith("Next: mend the file; nothing starts before.")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"orders": {}}, "orders is empty"),
        ({"orders": []}, "orders must be an object"),
        ({"orders": {"ord_1842": 19}}, 'order "ord_1842": it must be an object'),
        ({"orders": {"ord 1842": {}}}, 'order "ord 1842": an order id is'),
        ({"currencies": {"usd": 2}}, 'currencies: "usd" must be three capitals'),
        ({"currencies": {"USD": 2.0}}, 'currencies: "USD" must be three capitals'),
        ({"currencies": {"USD": True}}, 'currencies: "USD" must be three capitals'),
        ({"refundable": {"delivered": "yes"}}, 'refundable: "delivered" must be a status'),
        ({"extra": {}}, "it must have exactly the keys currencies, refundable, orders"),
    ],
)
def test_refuses_to_start_on_a_bad_file_and_names_the_part(changed: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=r"^orders\.json: ") as caught:
        vet_orders({**DATA, **changed}, "orders.json")
    assert named in str(caught.value)


def test_names_three_faults_and_counts_the_rest() -> None:
    orders = {f"ord_{n}": {} for n in range(1000, 1005)}
    with pytest.raises(ConfigError, match=r"\(and 17 more\)"):
        vet_orders({**DATA, "orders": orders})


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "orders.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_reads_numbers_as_they_stand_in_the_file(tmp_path: Path) -> None:
    text = json.dumps(DATA).replace("19.0", "19.000000000000001")
    with pytest.raises(ConfigError, match='order "ord_1842": max_refund must be'):
        load_orders(written(tmp_path, text))


@pytest.mark.parametrize("limit", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_a_limit_that_is_not_finite_is_named_with_its_order(tmp_path: Path, limit: str) -> None:
    with pytest.raises(ConfigError, match=r'orders\.json: order "ord_1842": max_refund must be'):
        load_orders(written(tmp_path, json.dumps(DATA).replace("19.0", limit)))


def test_refuses_a_file_in_which_an_order_stands_twice(tmp_path: Path) -> None:
    twice = '{"orders": {"ord_1842": {}, "ord_1842": {"max_refund": 900}}}'
    with pytest.raises(ConfigError, match=r'orders\.json: the key "ord_1842" stands twice'):
        load_orders(written(tmp_path, twice))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"orders": {}}', "NaN"])
def test_refuses_a_file_that_is_no_strict_object(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"orders\.json"):
        load_orders(written(tmp_path, text))


def test_refuses_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_orders(tmp_path / "gone.json")
