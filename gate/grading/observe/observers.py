"""The observers: each tries what a student wrote with one input, and returns what came of it as plain data.

    show("arguments.frame", "call", lambda: first_to_know, '{"arguments": "[\\"a\\"]"}')

Not here: attacks on a memory (`memories`), situations of a fence (`fences`), limits (`apart`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gate.decision import Decision
from gate.errors import GateError, ResultGateError
from gate.evidence.fixtures import Fixture
from gate.grading.observe import fences, memories, wrapped
from gate.grading.observe.apart import apart
from gate.grading.observe.canonical import canonical

Given = dict[str, Any]
Seen = Any


def show(exercise: str, observer: str, student: Callable[[], Any], given: str) -> None:
    """Print the observation of one try. `student` fetches what was written, so that a missing name is seen too."""
    if observer == "judge":
        wrapped.ready()  # here, so that no try pays for it
    print(apart(exercise, lambda: observe(observer, student, json.loads(given))))


def observe(observer: str, student: Callable[[], Any], given: Given) -> str:
    """Return the observation of one try, here and now, as one line of JSON.

    >>> observe("call", lambda: max, {"input": "[3, 4]"})
    '{"returned": 4}'
    """
    try:
        return canonical(OBSERVERS[observer](student(), given))
    except NotImplementedError:
        return canonical({"ended": "not written"})
    except GateError as error:
        return canonical({"refused": _codes(error)})
    except BaseException as error:  # noqa: BLE001 - a student's code may raise anything, SystemExit included
        return canonical({"raised": type(error).__name__})


def handed(given: Given) -> Any:
    """Return a fresh input: text as it is, everything else as Python's `json` reads it, NaN and equal keys too."""
    return given["input"] if given.get("form") == "text" else json.loads(given["input"])


def called(student: Any, given: Given) -> Seen:
    """`student(*input)`: what it returned, and with `after` what became of the input."""
    arguments = handed(given)
    seen = {"returned": student(*arguments)}
    return {**seen, "input after": arguments} if given.get("after") else seen


def validated(student: Any, given: Given) -> Seen:
    """`student(tool, input)`: what it returned, read again after the input was changed, or that it refused."""
    sent = handed(given)
    try:
        value = student(given["tool"], sent)
    except ResultGateError:
        return {"refused": True}
    if isinstance(sent, dict):
        sent.clear()
    return {"returned": value}


def gated(student: Any, given: Given) -> Seen:
    """`student(input)`: the outcome it decided on, in whatever form, and with `codes` its codes."""
    try:
        verdict = student(handed(given))
    except GateError as error:
        return {"outcome": "block", **({"codes": _codes(error)} if given.get("codes") else {})}
    codes = list(verdict.codes) if isinstance(verdict, Decision) else []
    if isinstance(verdict, Decision):
        verdict = verdict.outcome
    elif isinstance(verdict, dict):
        verdict = verdict.get("outcome", verdict.get("decision"))
    return {"outcome": verdict, **({"codes": codes} if given.get("codes") else {})}


def written(student: Any, given: Given) -> Seen:
    """What was written is data: a schema, a list of rows, a list of fixtures."""
    if isinstance(student, list):
        return {"written": [{"id": one.id, **one.as_dict()} if isinstance(one, Fixture) else one for one in student]}
    return {"written": student}


def _codes(error: GateError) -> list[str]:
    return sorted(str(found.code) for found in error.findings)


Observer = Callable[[Any, Given], Seen]
OBSERVERS: dict[str, Observer] = {
    "call": called, "validate": validated, "gate": gated, "data": written, "memory": memories.remembered,
    "fence": fences.fenced, "interleaved": fences.interleaved, "wrap": wrapped.wrapped, "judge": wrapped.judged,
}  # fmt: skip
