"""Observes a memory that a student wrote: a list of steps is done to it, and after each what it holds is written down.

Not here: which steps (`probes.memories`), what is right.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from gate.errors import GateError
from gate.lab.attacks import FailsHalfway, Interrupted, narrower

Step = list[Any]


def remembered(student: Any, given: dict[str, Any]) -> Any:
    """Do the steps to a memory made by `student()`: for each, how an append went, and what the memory then holds."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        watched = _Watched(student, given["tool"], Path(folder) / "memory.jsonl", given.get("file", False))
        return {"steps": [watched.do(step) for step in given["steps"]]}


class _Watched:
    """A memory, what was last sent to it, and what it returned."""

    def __init__(self, student: Any, tool: str, path: Path, file: bool) -> None:
        self._student, self._tool, self._path = student, tool, path
        self._memory = student(path=path) if file else student()
        self._sent: Any = None
        self._returned: Any = None

    def do(self, step: Step) -> list[Any]:
        went = getattr(self, f"_{step[0]}")(*step[1:])
        return [went, self._contents()]

    def _append(self, payload: str, tool_use_id: str | None = None) -> str:
        self._sent = json.loads(payload)
        return self._appended(self._sent, tool_use_id)

    def _append_failing(self, payload: str, tool_use_id: str) -> str:
        try:
            return self._appended(FailsHalfway(json.loads(payload)), tool_use_id)
        except Interrupted:
            return "refused"

    def _appended(self, payload: Any, tool_use_id: str | None) -> str:
        arguments = (self._tool, payload) if tool_use_id is None else (self._tool, payload, tool_use_id)
        try:
            self._returned = self._memory.append_tool_result(*arguments)
        except GateError:
            return "refused"
        return "kept"

    def _change_sent(self, name: str, value: Any) -> None:
        self._sent[name] = value

    def _change_returned(self, name: str, value: Any) -> None:
        if isinstance(self._returned, dict):
            self._returned[name] = value
            for inner in [one for one in self._returned.values() if isinstance(one, dict)]:
                inner[name] = value

    def _write_event(self, payload: str) -> None:
        with contextlib.suppress(AttributeError, TypeError):
            self._memory.events.append({"role": "tool", "name": self._tool, "content": json.loads(payload)})

    def _change_event(self, number: int, name: str, value: Any) -> None:
        with contextlib.suppress(AttributeError, TypeError):
            event = self._memory.events[number]
            event["content"][name] = value
            event["name"] = value

    def _look_in_quarantine(self, *words: str) -> list[str]:
        kept = json.dumps(list(self._memory.quarantined), default=str)
        return [word for word in words if word in kept]

    def _reload(self, most: int) -> None:
        self._memory = self._student(contracts=narrower(self._tool, most), path=self._path)

    def _contents(self) -> Any:
        return [[event["name"], _content(event["content"])] for event in self._memory.events]


def _content(content: Any) -> Any:
    """Return a content as data, also where it is kept as text."""
    return json.loads(content) if isinstance(content, str) else content
