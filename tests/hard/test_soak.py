"""A long run: a million payloads with GATE_HARD=20, no two alike, and memory as it was after the first of them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gate.files import HOME
from tests.hard.budget import times

PAYLOADS = times(50_000)
MOST_GROWN = 3 * 2**20  # bytes: what the allocator may keep; to remember the fewest of these payloads takes twice that

#: Each payload is new: a cache that grows with what is sent would show. Nine in thirty are refused, each otherwise.
_RUN = """
import json, sys
import psutil
from gate import load_contracts, tool_result
from gate.toolcall import judge_call
contracts, own = load_contracts(), psutil.Process()
refund, looked_up = contracts.input("refund_order"), contracts.output("inventory.lookup")
GOOD = '{"order_id": "ord_%04d", "amount": %d.5, "currency": "USD", "reason": "a reason with number %d"}'
SPOILT = [
    lambda n, t: t[:-1], lambda n, t: t + str(n), lambda n, t: t.replace("USD", f"X{n}"),
    lambda n, t: t.replace('"amount"', f'"amount {n}"'), lambda n, t: t.replace(".5", "e999"),
    lambda n, t: f'{{"k{n}": {n}, ' + t[1:], lambda n, t: t.replace("ord_", f"{n}"),
    lambda n, t: "[" * (40 + n % 9) + t, lambda n, t: f"Here you are, number {n}: " + t,
] + 21 * [lambda n, t: t]
def play(first, last):
    allowed = 0
    for n in range(first, last):
        text = SPOILT[n % 30](n, GOOD % (n % 10_000, n % 400, n))
        raw = text if n % 3 else text.encode()
        decision = refund.judge(raw)
        allowed += bool(decision)
        if n % 7 == 0:
            tool_result(f"call-{n}", {"codes": list(decision.codes), "n": n})
            judge_call(contracts, {"id": f"call-{n}", "name": "refund_order", "arguments": text})
            looked_up.judge({"sku": f"SKU-{n}", "quantity": n, "warehouse": "sfo"})
    return allowed
count = int(sys.argv[1])
play(0, count // 5)
early = own.memory_info().rss
allowed = play(count // 5, count)
print(json.dumps({"allowed": allowed, "grown": own.memory_info().rss - early}))
"""


def test_memory_stays_flat_however_many_payloads_come() -> None:
    command = [sys.executable, "-c", _RUN, str(PAYLOADS)]
    ended = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True)
    told = json.loads(ended.stdout)
    print(told)
    assert told["allowed"] == pytest.approx(0.8 * PAYLOADS * 21 / 30, rel=0.001)
    assert told["grown"] < MOST_GROWN
