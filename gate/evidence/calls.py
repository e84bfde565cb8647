"""A pack of labelled tool calls: one JSON object a line, read strictly, every error with its line number.

    {"id": "t01", "label": "allow", "stage": null, "arguments": {…}, "note": "…", "reviewed_by_rule": "…"}

`label` is what a person decided before any gate saw the call, `stage` where a call that is not allowed must stop, and
`raw` takes the place of `arguments` where the text itself is the point (a duplicate key, NaN, 19.000000000000001).

Not here: what the gates make of it (`scorecard`). Not caught: a label that is wrong; `reviewed_by_rule` is there so
that the next reader can check it.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from gate.errors import ConfigError, Finding, clip, finding, quote
from gate.files import locate
from gate.payload import Raw, read
from gate.strictjson import loads_exact

TOOL = "refund_order"
LABELS = ("allow", "repair", "block")
STAGES = ("parse", "schema", "store", "semantic")
MIN_ROWS = 12
_KEYS = {"id", "label", "stage", "note", "reviewed_by_rule"}
_WRITE = "write a line of JSON for each call: id, label, stage, arguments (or raw), note, reviewed_by_rule."
_ID = re.compile(r"[a-z][a-z0-9-]{0,31}")
_NUMBERED = re.compile(r"([a-z-]*)([0-9]+)")


class Call(NamedTuple):
    """One labelled call. `raw` is what goes into the gate: an object, or text. `stage` is None for an allowed call."""

    id: str
    label: str
    stage: str | None
    raw: Raw
    note: str
    reviewed_by_rule: str


def load_calls(path: str | os.PathLike[str], *, min_rows: int = MIN_ROWS) -> tuple[Call, ...]:
    """Return the calls of a pack. Raises `ConfigError` naming file and line for anything that is not one.

    Refused as a whole: fewer rows than `min_rows` (the missing ids are named where they are numbered), an id twice, a
    pack without an allowed call (blocking everything is no gate), a pack without a refused one (it proves nothing).

    >>> load_calls("fixtures/tool_calls.jsonl")[0].label
    'allow'
    """
    try:
        lines = locate(path).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no such pack. Next: {_WRITE}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: the pack cannot be read as UTF-8 text. Next: put the file back.") from error
    if lines[-1] == "":
        lines.pop()
    try:
        return read_calls(lines, min_rows=min_rows)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}", error.findings) from error


def read_calls(lines: Iterable[str], *, min_rows: int = MIN_ROWS, part: bool = False) -> tuple[Call, ...]:
    """Return the calls that stand in lines of JSON, as `load_calls` does for a file. Raises `ConfigError` as it does.

    A `part` of a pack that somebody is writing may be short, and have calls of one label alone.

    >>> line = '{"id": "a", "label": "allow", "stage": null, "arguments": {}, "note": "x", "reviewed_by_rule": "y"}'
    >>> read_calls([line, line.replace('"a"', '"b"').replace('"allow"', '"block"').replace("null", '"schema"')],
    ...            min_rows=2)[1].stage
    'schema'
    """
    calls = [_call(line, number) for number, line in enumerate(lines, start=1)]
    _vet_ids(calls)
    if not part:
        _vet_pack(calls, min_rows)
    return tuple(calls)


def _call(line: str, number: int) -> Call:
    row = read(line.removesuffix("\r"))
    fault = f"{row.message} {row.hint}" if isinstance(row, Finding) else _row_fault(row)
    if isinstance(row, Finding) or fault:
        raise ConfigError(f"line {number}: {clip(fault)}")
    if "arguments" in row and loads_exact(line)["arguments"] != loads_exact(json.dumps(row["arguments"])):
        raise ConfigError(f"line {number}: a number in arguments has more digits than Python keeps; write it as raw.")
    raw = row["raw"] if "raw" in row else row["arguments"]
    return Call(row["id"], row["label"], row["stage"], raw, row["note"], row["reviewed_by_rule"])


def _row_fault(row: dict[str, Any]) -> str:
    """Return what is wrong with one row, or nothing."""
    payload = {"arguments", "raw"} & set(row)
    if missing := sorted(_KEYS - set(row)):
        return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing. Next: {_WRITE}"
    for key in sorted(set(row) - _KEYS - payload):
        return f"{quote(key)} is no field of a call."
    if len(payload) != 1:
        return "a call needs arguments or raw, one of the two."
    if not isinstance(row["id"], str) or not _ID.fullmatch(row["id"]):
        return f"id {quote(row['id'])} must be a small letter, then small letters, digits and dashes, at most 32."
    if row["label"] not in LABELS:
        return f"label {quote(row['label'])} is not one of {', '.join(LABELS)}."
    if row["label"] == "allow" and row["stage"] is not None:
        return "stage must be null (None in Python) for an allowed call: it stops nowhere."
    if row["label"] != "allow" and row["stage"] is None:
        return f"stage is null (None in Python), but a call that must stop stops somewhere: {', '.join(STAGES)}."
    if row["label"] != "allow" and row["stage"] not in STAGES:
        return f"stage {quote(row['stage'])} is not one of {', '.join(STAGES)}."
    for key in ("note", "reviewed_by_rule"):
        if not isinstance(row[key], str) or not row[key].strip():
            return f"{key} must be a text: {'what the call shows' if key == 'note' else 'the rule behind the label'}."
    if "raw" in row and not isinstance(row["raw"], str):
        return "raw must be the text of the call."
    return ""


def _vet_ids(calls: list[Call]) -> None:
    for name, times in Counter(call.id for call in calls).items():
        if times > 1:
            raise ConfigError(f"the id {name} stands {times} times. Next: give each call an id of its own.")


def _vet_pack(calls: list[Call], min_rows: int) -> None:
    if len(calls) < min_rows:
        missing = missing_ids([call.id for call in calls], min_rows)
        named = f"; missing: {', '.join(missing)}" if missing else ""
        message = f"it holds {len(calls)} of at least {min_rows} calls{named}. Next: add them, labels first."
        raise ConfigError(message, (finding("grading.missing_rows", "", message),))
    if not any(call.label == "allow" for call in calls):
        raise ConfigError("no call of it is labelled allow. Next: add some; a gate that blocks everything is no gate.")
    if all(call.label == "allow" for call in calls):
        raise ConfigError("every call of it is labelled allow, so it proves nothing. Next: add some that must stop.")


def missing_ids(ids: Iterable[str], rows: int) -> list[str]:
    """Return the ids that a numbered pack of `rows` calls lacks; nothing where the ids are not numbered alike.

    >>> missing_ids(["t01", "t02", "t04"], 4)
    ['t03']
    """
    found = [_NUMBERED.fullmatch(name) for name in ids]
    shapes = {(match[1], len(match[2])) for match in found if match}
    if len(shapes) != 1 or not all(found):
        return []
    prefix, width = shapes.pop()
    there = {int(match[2]) for match in found if match}
    return [f"{prefix}{number:0{width}}" for number in range(1, rows + 1) if number not in there]
