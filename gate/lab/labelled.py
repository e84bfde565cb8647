"""Labelled calls that a student wrote: is the call there that a row asks for, whatever its label says?

Not whether a label is right: a label is what a person says before any gate has seen the call, and a board that judged
it would be that gate.
"""

from __future__ import annotations

import json
from typing import Any

from gate.errors import ConfigError
from gate.evidence.calls import read_calls
from gate.lab.attacks import HELD, Got, wrote


def call_named(student: Any, name: str, arguments: Any) -> Got:
    """Return `hold` if the call `name` of a student's rows holds these arguments; 5 and 5.0 are the same amount.

    The rows are those of a pack (`evidence.calls`), and are read as strictly.
    """
    try:
        calls = read_calls([json.dumps(row) for row in student], min_rows=1)
    except ConfigError as error:
        return Got("no pack", str(error))
    call = next((one for one in calls if one.id == name), None)
    if call is None:
        return Got("missing", f"no call has the id {name}")
    if call.raw != arguments:
        return Got("other", f"its arguments are {wrote(call.raw, 160)}")
    return Got(HELD, f"labelled {call.label}" + (f", to stop at {call.stage}" if call.stage else ""))
