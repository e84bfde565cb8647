"""Where a payload for a fixture comes from: a file of its own, or one place in what a run left behind.

A run leaves a quarantine, a memory, a tape, or recorded model output; which of them a file is shows in what it holds.

Not here: what becomes of the payload (`labelling`, `adding`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from gate.calls.tape import MAX_TAPE_BYTES, Tape, load_tape
from gate.contract import Side
from gate.errors import ConfigError, Finding, quote
from gate.evidence.recorded import tool_of
from gate.payload import MAX_BYTES, read
from gate.strictjson import loads_exact

_LINE_BYTES = 4 * MAX_BYTES  # a payload in its wrapping


class Picked(NamedTuple):
    """A payload, and the tool and side that it was for, where the place says so; out of several rows, which of them."""

    payload: dict[str, Any] | str
    tool: str | None = None
    side: Side | None = None
    row: int | None = None
    rows: int | None = None


def from_bytes(raw: bytes) -> Picked:
    """Return the payload in bytes: an object where they hold just that, otherwise the text as it is.

    Raises `ConfigError` for what is no UTF-8: a fixture is a text file.

    >>> from_bytes(b' {"a": 1}').payload, from_bytes(b'{"a": NaN}').payload
    ({'a': 1}, '{"a": NaN}')
    """
    try:
        return Picked(_tidy(raw.decode("utf-8")))
    except UnicodeDecodeError as error:
        raise ConfigError("the payload is no UTF-8, and a fixture is text. Next: write such a test in code.") from error


def from_run(path: str | Path, *, row: int = -1, call: str | None = None, side: Side | None = None) -> Picked:
    """Return a payload out of what a run left: by its `row` (from 1; the last by default), or on a tape by its `call`.

    On a tape the side is "input" (the arguments, by default) or "output" (what the tool returned). Raises `ConfigError`
    for a file that is none of these, a row or a call that is not there, and a payload that was not kept whole.
    """
    text = _text(path)
    whole = read(text, max_bytes=MAX_TAPE_BYTES) if call is not None else None
    if call is not None or (isinstance(whole, dict) and "replies" in whole):
        return _from_tape(path, call, side)
    lines = [line for line in text.split("\n") if line]
    if not lines or row == 0 or abs(row) > len(lines):
        raise ConfigError(f"{path} has {len(lines)} lines. Next: choose --row from 1 to {len(lines)}.")
    at = row if row > 0 else len(lines) + 1 + row
    return _from_line(path, lines[at - 1])._replace(row=at, rows=len(lines))


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path}: cannot be read. Next: name a quarantine, a memory, a tape or a record.") from error


def _from_line(path: str | Path, line: str) -> Picked:
    row = read(line, max_bytes=_LINE_BYTES, max_depth=40)
    if isinstance(row, dict) and type(row.get("raw")) is str:
        if type(row.get("tool")) is str and row.get("whole") is True:
            return Picked(_tidy(row["raw"]), row["tool"], "output")
        if type(row.get("kind")) is str and (known := tool_of(row["kind"])):
            return Picked(_tidy(row["raw"]), *known)
        if "whole" in row:
            raise ConfigError(f"{path}: that line does not hold the whole payload. Next: choose another --row.")
    if isinstance(row, dict) and row.get("role") == "tool" and type(row.get("content")) is dict:
        return Picked(row["content"], row["name"] if type(row.get("name")) is str else None, "output")
    hint = "a tape needs --call; otherwise choose another --row."
    raise ConfigError(f"{path}: that line is no payload of a quarantine, a memory or a record. Next: {hint}")


def _from_tape(path: str | Path, call: str | None, side: Side | None) -> Picked:
    tape = load_tape(path)
    found = [one for one in _calls(tape) if one.get("id") == call]
    if not found:
        ids = ", ".join(quote(one.get("id")) for one in _calls(tape)) or "none"
        raise ConfigError(f"{path}: this tape has no call {quote(call)}. Next: choose --call out of {ids}.")
    tool = found[0].get("name") if type(found[0].get("name")) is str else None
    if side == "output":
        if call not in tape.ran:
            raise ConfigError(f"{path}: the call {quote(call)} did not run. Next: take its arguments, --side input.")
        return Picked(_plain(tape.ran[call]["value"]), tool, "output")
    given = [found[0][key] for key in ("arguments", "input", "raw") if key in found[0]]
    if len(given) != 1:
        raise ConfigError(f"{path}: the call {quote(call)} has no arguments, or twice. Next: choose another --call.")
    return Picked(_plain(given[0]), tool, "input")


def _calls(tape: Tape) -> list[dict[str, Any]]:
    return [one for reply in tape.replies if reply for one in reply["calls"] if isinstance(one, dict)]


def _plain(value: Any) -> dict[str, Any] | str:
    if isinstance(value, str):
        return _tidy(value)
    return value if isinstance(value, dict) else json.dumps(value)


def _tidy(text: str) -> dict[str, Any] | str:
    """Return the object in a text that holds just that; the text itself where the text is the point."""
    value = read(text) if text.strip(" \t\r\n").startswith("{") else text
    if isinstance(value, str | Finding):
        return text
    return value if loads_exact(text) == loads_exact(json.dumps(value)) else text  # no digit may be lost
