"""What every refusal makes us do, decided beforehand: `data/responses.json`. A missing row refuses to start.

Not here: carrying it out (`harness`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.errors import CODES, ConfigError
from gate.files import locate, read_json

#: What we may do, from the mildest to the strongest: of several findings, the strongest response counts.
ACTIONS = {
    "allow": "go on; nothing is wrong",
    "replay_first": "hand back the first result; the tool does not run",
    "retry_same_key": "send the same call with the same key again, at most max_repairs times, then escalate",
    "repair": "refuse, tell the model what to mend, and take a corrected call at most max_repairs times, then escalate",
    "block": "refuse; the model may choose another way, this call is over",
    "escalate": "stop the run and page a person",
}

_TEXT = {"type": "string", "format": "line", "minLength": 8, "maxLength": 160}
_ROW = {
    "type": "object",
    "additionalProperties": False,
    "required": ["signal", "we_do", "we_do_not"],
    "properties": {"signal": _TEXT, "we_do": {"enum": list(ACTIONS)}, "we_do_not": _TEXT},
}
_ALL = [f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons]
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": _ALL,
    "properties": {code: {"$ref": "#/$defs/row"} for code in _ALL},
    "$defs": {"row": _ROW},
}


class Response(NamedTuple):
    """One row: the code, how it shows, what we do (one of `ACTIONS`) and what we do not do."""

    code: str
    signal: str
    we_do: str
    we_do_not: str


class Responses:
    """All rows, one for each code of the kit, in the order of `gate.errors.CODES`."""

    def __init__(self, rows: Iterable[Response]) -> None:
        self._rows = {row.code: row for row in rows}

    def __iter__(self) -> Iterator[Response]:
        return iter(self._rows.values())

    def __getitem__(self, code: str) -> Response:
        return self._rows[code]

    def action(self, codes: Iterable[str], *, tries: int = 0, max_repairs: int = 0) -> str:
        """Return what to do about findings with these codes: the strongest of their rows; "allow" when there are none.

        An unknown code is a block. After `max_repairs` tries a `repair` or `retry_same_key` becomes `escalate`.

        >>> load_responses().action(["schema.type"], tries=0, max_repairs=2)
        'repair'
        >>> load_responses().action(["schema.type"], tries=2, max_repairs=2)
        'escalate'
        """
        wanted = [self._rows[code].we_do if code in self._rows else "block" for code in codes]
        action = max(wanted, key=list(ACTIONS).index, default="allow")
        return "escalate" if action in ("repair", "retry_same_key") and tries >= max_repairs else action


def load_responses(path: str | os.PathLike[str] = "data/responses.json") -> Responses:
    """Return the rows of a file: exactly one for each code.

    Raises `ConfigError` in one line for a row that is missing, unknown, incomplete or names an action we do not have.

    Does not catch: a row that is complete and wrong. People read the page: `gate table`.
    """
    value: dict[str, Any] = read_json(locate(path))
    decision = Contract.from_schema(_SCHEMA, tool="responses").judge(value)
    if decision.value is None:
        raise ConfigError(f"{path}: {decision.findings[0]}", decision.findings)
    return Responses(Response(code, **decision.value[code]) for code in _ALL)
