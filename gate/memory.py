"""An agent's memory that only the gate writes: tool results as canonical JSON, with the contract that accepted them.

Not here: what a contract accepts (`results`), how the file is kept whole (`journal`), user and model messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import Any

from gate.decision import Decision, block
from gate.engine.formats import is_line
from gate.errors import ConfigError, Finding, ResultGateError, finding, quote
from gate.journal import Journal
from gate.payload import MAX_BYTES, Raw, read
from gate.plain import copy_plain, sketch
from gate.registry import Contracts, load_contracts
from gate.results import judge_result, refused
from gate.strictjson import MAX_DEPTH

Event = dict[str, Any]
_EVENT = {"role", "name", "tool_use_id", "content", "contract", "version", "sha256"}
_ID = 128  # characters of a call id, as in a call
_NAME = 200  # characters of a refused call's tool and id that quarantine keeps
_KEPT = 2000  # characters of a refused payload that quarantine keeps where it has no file


class AgentMemory:
    """Tool results that a frozen contract accepted, in order, each call id once.

    `contracts` are the kit's own by default. `path` makes it durable: one line of JSON an event, written and synced
    before `append_tool_result` returns, and judged again when it is loaded, so that a changed contract cannot smuggle
    old state back in. `quarantine` is the file that refused payloads go to; they never reach the transcript.

    >>> memory = AgentMemory()
    >>> memory.append_tool_result("inventory.lookup", {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}, "call-1")
    {'quantity': 4, 'sku': 'SKU-19', 'warehouse': 'sfo'}
    >>> memory.events[0]["contract"], memory.events[0]["version"]
    ('inventory.lookup.output', '1')

    Raises `ConfigError` when a file cannot be read or written. Safe across threads, and across processes on one file.
    """

    def __init__(
        self,
        contracts: Contracts | None = None,
        path: str | Path | None = None,
        quarantine: str | Path | None = None,
    ) -> None:
        self._contracts = load_contracts() if contracts is None else contracts
        self._lines: list[str] = []
        self._ids: set[str] = set()
        self._refused: list[Event] = []
        self._lock = RLock()
        self._quarantine = Journal(quarantine) if quarantine is not None else None
        self._journal = Journal(path) if path is not None else None
        if self._journal and self._quarantine and self._journal.path == self._quarantine.path:
            raise ConfigError(f"memory and quarantine are one file, {quote(str(path), 200)}. Next: name two files.")
        if self._journal is not None:
            with self._journal.locked():
                self._take_in(self._journal.unread())

    @property
    def events(self) -> tuple[Event, ...]:
        """A fresh copy of all events: changing it changes nothing.

        Each has role, name, tool_use_id, content, contract, version and sha256.
        """
        with self._lock:
            return tuple(json.loads(line) for line in self._lines)

    @property
    def quarantined(self) -> tuple[Event, ...]:
        """A fresh copy of what this memory refused: tool, tool_use_id, codes, and the raw payload as text."""
        with self._lock:
            return tuple({**row, "codes": list(row["codes"])} for row in self._refused)

    def append_tool_result(self, tool: object, payload: Raw, tool_use_id: str | None = None) -> dict[str, Any]:
        """Judge a tool result and append the canonical copy; return another copy of it.

        Raises `ResultGateError` if it is refused: a call id that has a result already (`memory.duplicate_call_id`), no
        contract, or anything the contract refuses. Memory is then unchanged and the raw payload is in quarantine.
        """
        with self._lock:
            if self._journal is None:
                return self._append(tool, payload, tool_use_id)
            with self._journal.locked():
                self._take_in(self._journal.unread())  # what another process appended meanwhile counts
                return self._append(tool, payload, tool_use_id)

    def put_aside(self, tool: object, payload: object, tool_use_id: object, findings: tuple[Finding, ...]) -> None:
        """Put a result into quarantine that was refused outside memory, by its echo for one. Memory is unchanged."""
        with self._lock:
            self._put_aside(tool, payload, tool_use_id, block("result", findings))

    def _append(self, tool: object, payload: Raw, tool_use_id: str | None) -> dict[str, Any]:
        line = self._accept(tool, payload, tool_use_id)
        if self._journal is not None:
            self._journal.append(line)
        self._keep(line, tool_use_id)
        content: dict[str, Any] = json.loads(line)["content"]
        return content

    def _accept(self, tool: object, payload: Raw, tool_use_id: object, *, again: bool = False) -> str:
        """Return the event as canonical JSON, or put the payload aside and raise. `again`: it comes from the file."""
        decision = self._judge(tool, payload, tool_use_id)
        contract = self._contracts.output(tool)
        if decision.value is None or contract is None:
            self._put_aside(tool, payload, tool_use_id, decision, again=again)
            raise refused(tool, decision)
        event = {
            "role": "tool", "name": tool, "tool_use_id": tool_use_id, "content": decision.value,
            "contract": contract.id, "version": contract.version, "sha256": contract.sha256,
        }  # fmt: skip
        return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    def _judge(self, tool: object, payload: Raw, tool_use_id: object) -> Decision:
        if tool_use_id is None:
            return judge_result(self._contracts, tool, payload)
        if type(tool_use_id) is not str or not is_line(tool_use_id) or len(tool_use_id) > _ID:
            message = f"the call id is {quote(tool_use_id)}, not one printable line of at most {_ID} characters."
            return block("call", [finding("call.malformed", "/tool_use_id", message, "hand in the id of the call.")])
        if tool_use_id in self._ids:
            message = f"the call {quote(tool_use_id)} has a result already."
            hint = "keep the first: one call has one result."
            return block("memory", [finding("memory.duplicate_call_id", "", message, hint)])
        return judge_result(self._contracts, tool, payload)

    def _keep(self, line: str, tool_use_id: str | None) -> None:
        self._lines.append(line)
        if tool_use_id is not None:
            self._ids.add(tool_use_id)

    def _put_aside(
        self, tool: object, payload: object, tool_use_id: object, decision: Decision, *, again: bool = False
    ) -> None:
        raw, whole = _as_text(payload)
        name = tool[:_NAME] if type(tool) is str else quote(tool)
        identity = tool_use_id[:_NAME] if type(tool_use_id) is str else None
        row = {"tool": name, "tool_use_id": identity, "codes": list(decision.codes), "raw": raw, "whole": whole}
        if self._quarantine is not None:
            with self._quarantine.locked():
                list(self._quarantine.unread())  # nothing to take in; a half line is cut off
                line = json.dumps(row, sort_keys=True)
                if not (again and self._quarantine.holds(line)):  # each load would put the same line aside once more
                    self._quarantine.append(line)
        self._refused.append({**row, "raw": raw[:_KEPT], "whole": whole and len(raw) <= _KEPT})

    def _take_in(self, lines: Iterable[str]) -> None:
        """Judge loaded events again, by today's contracts, and keep what they still accept, as they accept it."""
        for line in lines:
            # As large and as deep as what was accepted may be, in its wrapping: nothing that was written is lost.
            event = read(line, max_bytes=4 * len(line), max_depth=MAX_DEPTH + 1)
            if isinstance(event, Finding) or not _is_event(event):
                message = "a line of the memory file is no event of this memory."
                odd = finding("parse.not_json", "", message, "look at it in quarantine.")
                self._put_aside("", line, None, block("parse", [odd]), again=True)
                continue
            identity = event["tool_use_id"]
            with suppress(ResultGateError):  # it is in quarantine by now
                self._keep(self._accept(event["name"], event["content"], identity, again=True), identity)


def _is_event(event: Event) -> bool:
    return event.keys() == _EVENT and event["role"] == "tool" and type(event["content"]) is dict


def _as_text(payload: object) -> tuple[str, bool]:
    """Return a refused payload as text, and whether it is all of it. What is no JSON is named by its type."""
    if type(payload) is str:
        return payload.encode("utf-8", "backslashreplace").decode(), True
    if type(payload) is bytes:
        return payload.decode("utf-8", "backslashreplace"), True
    if type(payload) is dict:
        copied = copy_plain(payload, MAX_BYTES)
        if not isinstance(copied, Finding):
            return json.dumps(copied), True
    return json.dumps(sketch(payload, MAX_BYTES)), False
