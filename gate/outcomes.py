"""What a tool's answer, or its exception, means for the key it ran under: applied, failed or unknown.

Only a JSON object that does not say it failed is `applied`. `failed` needs proof that nothing happened; everything
else is `unknown`, because a retry under a fresh key would pay twice.

Not here: whether the result is true, or fit for memory (`memory`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from gate.brakes import State
from gate.errors import Finding, quote
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


# By name, because the HTTP client is the tool's choice: the request may have arrived although no answer came back.
_DOUBT = re.compile(r"OutcomeUnknown|Timeout|ReadError|WriteError|RemoteProtocol|Reset|Aborted|BrokenPipe|Cancelled|Interrupt")
_STATUS = ("status", "status_code", "statusCode")


def attempt(mutate: Mutate, payload: Payload, lookup: Lookup | None = None) -> Outcome:
    """Run the tool and say what it came to; with `lookup`, first ask whether it has taken effect before. Never raises.

    `lookup` returns the first result, or None when the tool never saw the key; anything else is `unknown`.

    >>> attempt(lambda payload: {"ok": True, "n": 1}, {}).state, attempt(lambda payload: None, {}).state
    ('applied', 'unknown')
    """
    try:
        seen = lookup(payload) if lookup is not None else None
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is no proof
        return Outcome("unknown", message=f"asking for the key raised {_name(error)}.", note=_text(error))
    if seen is not None:
        return judge_result(seen)
    try:
        return judge_result(mutate(payload))
    except BaseException as error:  # noqa: BLE001 - SystemExit in a tool must not leave its key pending
        state: State = "unknown" if _is_doubt(error) else "failed"
        return Outcome(state, message=f"the tool raised {_name(error)}.", note=_text(error))


def judge_result(raw: Any) -> Outcome:
    """Return what a tool's returned value means. A result that says it failed is not applied.

    >>> judge_result({"ok": False}).state, judge_result({"status": 503}).state, judge_result("done").state
    ('failed', 'unknown', 'unknown')
    """
    if inspect.iscoroutine(raw):
        raw.close()
        return Outcome("failed", message="the tool is asynchronous: nothing of it ran.")
    value = read(raw) if type(raw) is dict else raw
    if isinstance(value, Finding):
        return Outcome("unknown", message=f"the tool returned no plain JSON: {value.message}")
    if type(value) is not dict:
        return Outcome("unknown", message=f"the tool must return a JSON object, it returned {_kind(value)}.")
    if value.get("ok") is False or value.get("isError") is True or value.get("is_error") is True:
        return Outcome("failed", message="the tool says that it failed.")
    if value.get("ok", True) is not True:
        return Outcome("unknown", message="the tool's ok is neither true nor false.")
    status = max((value[key] for key in _STATUS if type(value.get(key)) is int), default=0)
    if 400 <= status < 500 and status != 408:
        return Outcome("failed", message=f"the tool answered with status {status}.")
    if status == 408 or 500 <= status < 600:
        return Outcome("unknown", message=f"the tool answered with status {status}.")
    return Outcome("applied", value)


def _is_doubt(error: BaseException) -> bool:
    return any(_DOUBT.search(kind.__name__) for kind in type(error).__mro__)


def _name(error: BaseException) -> str:
    return quote(type(error).__name__)[1:-1]


def _kind(value: Any) -> str:
    return {type(None): "None", str: "text"}.get(type(value)) or quote(value)


def _text(error: BaseException) -> str:
    try:
        return f"{_name(error)}: {quote(str(error), 200)}"
    except BaseException:  # noqa: BLE001 - an exception whose own text raises
        return _name(error)
