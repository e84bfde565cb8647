"""Labelled calls that a student wrote: is the call there that a row asks for, whatever its label says?

Not whether a label is right: a label is what a person says before any gate has seen the call, and a board that judged
it would be that gate.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gate.errors import ConfigError, escape
from gate.evidence.calls import read_calls
from gate.lab.attacks import HELD, Got, wrote

_AT_LINE = re.compile(r"line ([0-9]+): ")


def call_named(student: Any, name: str, arguments: Any) -> Got:
    """Return `hold` if the call `name` of a student's rows holds these arguments; 5 and 5.0 are the same amount.

    The rows are those of a pack (`evidence.calls`), and are read as strictly. Who has written the first two only may
    see them green.
    """
    if not isinstance(student, list | tuple):
        return Got(
            "no pack", f"it is {wrote(student, 40)}, no list. Next: write the calls as a list, [labelled(…), …]."
        )
    rows = list(student)
    try:
        calls = read_calls([json.dumps(row) for row in rows], part=True)
    except ConfigError as error:
        return Got("no pack", _by_id(str(error), rows))
    call = next((one for one in calls if one.id == name), None)
    if call is None:
        return Got("missing", f"no call has the id {name}")
    if call.raw != arguments:
        return Got("other", f"its arguments are {wrote(call.raw, 160)}")
    return Got(HELD, f"labelled {call.label}" + (f", to stop at {call.stage}" if call.stage else ""))


def _by_id(said: str, rows: list[Any]) -> str:
    """Return what is wrong with a pack, the call named by its id: a list in a notebook has no lines."""
    at = _AT_LINE.match(said)
    if at is None:
        return said
    row = rows[int(at[1]) - 1]
    name = row.get("id") if isinstance(row, dict) else None
    which = escape(name, 40) if isinstance(name, str) else f"call {at[1]} of the list"
    wrong = said[at.end() :]
    return f"{which}: {wrong}" + ("" if "Next: " in wrong else " Next: correct it; all calls are read together.")
