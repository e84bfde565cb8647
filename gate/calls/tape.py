"""The tape of a turn: what the planner said and what each tool came to, so that the turn can be judged again.

A tape is raw: it holds what the gates refused. Keep it where quarantine is kept, never in a prompt.

Not here: playing it (`loop.replay_turn`).
"""

from __future__ import annotations

import json
import os
from typing import Any, get_args

from gate.calls.reply import Planner, Reply
from gate.calls.running import Ran, State
from gate.errors import ConfigError, Finding, GateError, finding
from gate.files import read_json, write_whole
from gate.payload import read
from gate.wrapping.blocks import judge_blocks

MAX_TAPE_BYTES = 64_000_000
_REPLY = {"text": str, "calls": list, "finish_reason": (str, type(None))}
_RAN = {"state": str, "value": object, "content": (list, type(None)), "findings": list, "detail": str, "replayed": bool}


class Tape:
    """The `task`, the `replies` in order, and what each call that ran came to, by call id. All plain JSON.

    A reply that is not JSON (a planner that made objects of its own) is kept as None; a replay ends there.
    """

    def __init__(self, task: str, replies: list[Any] | None = None, ran: dict[str, Any] | None = None) -> None:
        self.task = task
        self.replies: list[dict[str, Any] | None] = replies or []
        self.ran: dict[str, dict[str, Any]] = ran or {}

    def hear(self, reply: Reply) -> None:
        """Add a reply."""
        copied = read({**reply._asdict(), "calls": list(reply.calls)}, max_bytes=MAX_TAPE_BYTES)
        self.replies.append(None if isinstance(copied, Finding) else copied)

    def note(self, call_id: str, ran: Ran) -> None:
        """Add what a call came to."""
        self.ran[call_id] = {**ran._asdict(), "findings": [found._asdict() for found in ran.findings]}

    def planner(self) -> Planner:
        """Return a planner that says the recorded replies again, in order."""
        left = iter(self.replies)

        def say(_: object) -> Reply:
            fields = next(left, None)
            if fields is None:
                raise GateError("the tape ends here: the planner failed then, or its reply was not JSON")
            return Reply(fields["text"], tuple(fields["calls"]), fields["finish_reason"])

        return say

    def came_to(self, call_id: str) -> Ran:
        """Return what a call came to; a call that was not run then is not run now."""
        fields = self.ran.get(call_id)
        if fields is None:
            message = "this call was refused when the tape was made, so there is no result of it."
            return Ran("refused", findings=(finding("result.tool_error", "", message, "run it live."),))
        return Ran(**{**fields, "findings": tuple(Finding(**found) for found in fields["findings"])})


def save_tape(path: str | os.PathLike[str], tape: Tape) -> None:
    """Write a tape as one JSON file, whole or not at all. Raises `ConfigError` where that cannot be done."""
    write_whole(path, json.dumps({"task": tape.task, "replies": tape.replies, "ran": tape.ran}, indent=1) + "\n")


def load_tape(path: str | os.PathLike[str]) -> Tape:
    """Return the tape in a file. Raises `ConfigError` for one that is damaged."""
    value = read_json(path, max_bytes=MAX_TAPE_BYTES)
    if (
        not _fits(value, {"task": str, "replies": list, "ran": dict})
        or not all(reply is None or _fits(reply, _REPLY) for reply in value["replies"])
        or not all(map(_is_ran, value["ran"].values()))
    ):
        raise ConfigError(f"{path}: this is no tape of a turn. Next: save one with save_tape(path, turn.tape).")
    return Tape(value["task"], value["replies"], value["ran"])


def _fits(value: Any, shape: dict[str, Any]) -> bool:
    return isinstance(value, dict) and value.keys() == shape.keys() and all(
        isinstance(value[key], kind) for key, kind in shape.items()
    )  # fmt: skip


def _is_ran(value: Any) -> bool:
    return (
        _fits(value, _RAN)
        and value["state"] in get_args(State)
        and (value["content"] is None or isinstance(judge_blocks(value["content"]), list))
        and all(map(_is_finding, value["findings"]))
    )


def _is_finding(value: Any) -> bool:
    return _fits(value, dict.fromkeys(Finding._fields, str))
