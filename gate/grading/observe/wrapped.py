"""Observes a function that answers one call whatever the tool does, and a gate whose judge may fail.

Not here: which calls and faults (`probes`), what is right.
"""

from __future__ import annotations

import json
from typing import Any

from gate.lab.told import BEHAVIOURS


def wrapped(student: Any, given: dict[str, Any]) -> Any:
    """`student(call, tools)`: the result, and with which arguments the tool was run."""
    asked: list[Any] = []

    def run(**arguments: Any) -> Any:
        asked.append(arguments)
        returned = BEHAVIOURS[given["behaviour"]]()
        if hasattr(returned, "close"):  # a coroutine that nobody will await
            opened.append(returned)
        return returned

    opened: list[Any] = []
    try:
        return {"result": student(json.loads(given["input"]), {given["tool"]: run}), "asked": asked}
    finally:
        for one in opened:
            one.close()


def ready() -> None:
    """Import what the judge needs, which takes longer than a gate waits for an answer."""
    import httpx  # noqa: F401 - for the semantic gate

    import gate.evidence.judge_server
    import gate.semantic  # noqa: F401 - the gate itself


def judged(student: Any, given: dict[str, Any]) -> Any:
    """`student(arguments, environ)` behind a judge, whose every answer has the same fault.

    A sound judge may be asked again: on a busy machine its answer can be late.
    """
    from gate.evidence.judge_server import running_judge

    verdicts = []
    with running_judge(always=given["fault"]) as judge:
        for _ in range(1 if given["fault"] else 3):
            verdicts.append(student(json.loads(given["input"]), judge.environ()))
            if verdicts[-1] == "allow":
                break
    return {"verdict": verdicts[-1]}
