"""The stand-in judge and the model, for as long as a notebook lives, and what stands between a student's gate and it.

    from gate.lab.stand_in import local_judge

    local_judge().environ("drip")         # the three variables that point a gate at the judge, behind the fault `drip`
    model_environ("recorded")             # and those of a model: recorded, local, remote, or the best that is there

Not here: what it answers (`evidence.judge`), its faults (`evidence.judge_faults`), one for a single block of code
(`evidence.judge_server.running_judge`).
"""

from __future__ import annotations

import atexit
import functools
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gate.evidence.double import Double

#: Form, records and policy allow it, so that whatever refuses it was moved by the judge's fault alone.
GOOD_CALL = '{"order_id": "ord_1842", "amount": 19.00, "currency": "USD", "reason": "damaged shipment on delivery"}'


@functools.cache
def local_judge() -> Double:
    """Return the one judge of this process; started when it is first asked for, stopped when the process ends.

    >>> sorted(local_judge().environ())
    ['MODEL_API_KEY', 'MODEL_BASE_URL', 'MODEL_NAME']
    """
    from gate.evidence.judge_server import running_judge  # brings httpx, which only a board with a judge should pay for

    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running_judge())


@functools.cache
def model_environ(who: str) -> dict[str, str]:
    """Return MODEL_BASE_URL, MODEL_API_KEY and MODEL_NAME of a model, started when it is first asked for.

    `who` is `recorded`, `local`, `remote` or `best`, the first that is there. Raises `ConfigError` when it is not.

    >>> model_environ("recorded")["MODEL_NAME"]
    'recorded-smollm2'
    """
    from gate.model.choice import model  # brings httpx

    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(model(who))


def behind(student: Callable[[Any, dict[str, str]], Any], fault: str) -> Callable[[Any], Any]:
    """Return the gate `student(arguments, environ)` as one of the arguments alone, behind a fault of the local judge.

    "" is no fault. What it is asked is up to whoever calls it.
    """
    return lambda arguments: student(arguments, local_judge().environ(fault))


def judge_faults() -> Collection[str]:
    """Return the names of all faults."""
    from gate.evidence.judge_faults import FAULTS  # megabytes of replies, made when it is imported

    return FAULTS
