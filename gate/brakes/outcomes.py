"""What a tool's answer, or its exception, means for the key it ran under: applied, failed or unknown.

Only a JSON object that does not say it failed is `applied`. `failed` frees the key and gives the budget back, so it
is said of these alone:

- the tool's answer says so: `ok` or `success` false, `isError` true, or a status from 400 to 499 without 408;
- the tool is a coroutine function, which is not called at all;
- the tool raised, and neither that exception nor one behind it is a sign of doubt (`doubt`). So a tool that raises an
  ordinary exception (a ValueError, a refused connection, a 404 of its client) promises that nothing happened: one that
  cannot promise it raises `OutcomeUnknown`.

Everything else is `unknown`, because a retry would pay twice: also what goes wrong once the tool has answered.

Not here: whether the result is true, or fit for memory (`memory`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from types import CoroutineType
from typing import Any, NamedTuple

from gate.brakes.doubt import is_doubtful, refuses
from gate.brakes.rules import State
from gate.errors import Finding, escape, quote, type_name
from gate.payload import read

Payload = dict[str, Any]
Mutate = Callable[[Payload], Any]
Lookup = Callable[[Payload], Payload | None]


class OutcomeUnknown(Exception):
    """To be raised by a tool that cannot say whether it took effect."""


class Outcome(NamedTuple):
    """What a call came to. `result` is there when applied; `message` is for the model, `note` for the audit log."""

    state: State
    result: Payload | None = None
    message: str = ""
    note: str = ""


FLAGS = ("isError", "is_error")
_WELL = ("ok", "success")
_STATUS = ("status", "status_code", "statusCode")


def attempt(mutate: Mutate, payload: Payload, lookup: Lookup | None = None) -> Outcome:
    """Run the tool and say what it came to; with `lookup`, first ask whether it has taken effect before. Never raises.

    `lookup` returns the first result, or None when the tool never saw the key; anything else is `unknown`, also an
    answer that says it failed: it may be the asking that failed.

    >>> attempt(lambda payload: {"ok": True, "n": 1}, {}).state, attempt(lambda payload: None, {}).state
    ('applied', 'unknown')
    """
    try:
        seen = lookup(payload) if lookup is not None else None
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is no proof
        return Outcome("unknown", message=f"Asking for the key raised {_name(error)}.", note=_text(error))
    if seen is not None:
        found = _judge(seen)
        return found if found.state == "applied" else found._replace(state="unknown")
    if _is_asynchronous(mutate):
        return Outcome("failed", message="The tool is asynchronous: nothing of it ran.")
    try:
        answer = mutate(payload)
    except BaseException as error:  # noqa: BLE001 - SystemExit in a tool must not leave its key pending
        state: State = "unknown" if is_doubtful(error) else "failed"
        return Outcome(state, message=f"The tool raised {_name(error)}.", note=_text(error))
    return _judge(answer)


def judge_result(raw: Any) -> Outcome:
    """Return what a tool's returned value means. A result that says it failed is not applied.

    >>> judge_result({"ok": False}).state, judge_result({"status": 503}).state, judge_result("done").state
    ('failed', 'unknown', 'unknown')
    """
    if type(raw) is CoroutineType:
        with suppress(Exception):  # begun and stopped half-way, it may protest
            raw.close()
        return Outcome("unknown", message="the tool returned a coroutine: how much of it ran, nobody knows.")
    value = read(raw) if type(raw) is dict else raw
    if isinstance(value, Finding):
        return Outcome("unknown", message=f"the tool returned no plain JSON: {value.message}")
    if type(value) is not dict:
        return Outcome("unknown", message=f"the tool must return a JSON object, it returned {_kind(value)}.")
    return told(value)


def told(value: Payload) -> Outcome:
    """Return what a tool's object says of itself. What does not clearly say that nothing happened is `unknown`.

    >>> told({"error": "boom"}).state, told({"error": None}).state, told({"success": False}).state
    ('unknown', 'applied', 'failed')

    Does not catch: a failure told in other words, such as a `status` of "error".
    """
    flags = [value[name] for name in FLAGS if name in value]
    well = [value[name] for name in _WELL if name in value]
    status = max((value[name] for name in _STATUS if type(value.get(name)) is int), default=0)
    if any(flag is True for flag in flags) or any(word is False for word in well):
        return Outcome("failed", message="the tool says that it failed.")
    if any(flag is not False for flag in flags) or any(word is not True for word in well):
        return Outcome("unknown", message="a flag of the tool's answer is neither true nor false.")
    if refuses(status):
        return Outcome("failed", message=f"The tool answered with status {status}.")
    if status == 408 or 500 <= status < 600:
        return Outcome("unknown", message=f"The tool answered with status {status}.")
    if value.get("error"):
        return Outcome("unknown", message="the tool's answer holds an error.")
    return Outcome("applied", value)


def _judge(answer: Any) -> Outcome:
    try:
        return judge_result(answer)
    except BaseException as error:  # noqa: BLE001 - the tool has run by now: whatever it is, it is no proof
        return Outcome("unknown", message=f"reading the tool's answer raised {_name(error)}.", note=_text(error))


def _is_asynchronous(mutate: Mutate) -> bool:
    try:
        return inspect.iscoroutinefunction(mutate)
    except BaseException:  # noqa: BLE001 - a tool whose attributes raise
        return False


def _name(error: BaseException) -> str:
    return escape(type_name(type(error)), 40)


def _kind(value: Any) -> str:
    return "None" if value is None else "text" if type(value) is str else quote(value)


def _text(error: BaseException) -> str:
    try:
        return f"{_name(error)}: {quote(str(error), 200)}"
    except BaseException:  # noqa: BLE001 - an exception whose own text raises
        return _name(error)
