"""Fixtures: one JSON file is one payload and what must become of it. Dropping a file in adds a test.

Not here: judging them (`replay`), and the packs of labelled calls (`scorecard`).
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.contract import TOOL_NAME, Side
from gate.errors import ConfigError, Finding, quote
from gate.files import MAX_FILE_BYTES, locate, read_json, write_whole
from gate.payload import read

_KEYS = {"tool", "side", "label", "codes", "payload", "raw", "note"}
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Fixture:
    """One payload with its label.

    `id` is the file's name without `.json`; `payload` the object, or text that is parsed once; `label` is "allow" or
    "block", and `codes` the exact codes of a block, in the order of its findings.
    """

    id: str
    tool: str
    side: Side
    label: str
    codes: tuple[str, ...]
    payload: dict[str, Any] | str
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fixture as its file holds it."""
        given = {"raw": self.payload} if isinstance(self.payload, str) else {"payload": self.payload}
        labelled = {"tool": self.tool, "side": self.side, "label": self.label, "codes": list(self.codes)}
        return {**labelled, **given, "note": self.note}


def strangers(tool: str) -> tuple[str, str]:
    """Return names of tools that nobody has, one that looks like `tool` first: their fixtures show who is let in.

    >>> strangers("refund_order")
    ('refund_order_x', 'another.tool')
    """
    return f"{tool[:62]}_x", "another.tool"


def load_fixtures(*places: str | Path) -> list[Fixture]:
    """Return the fixtures in files and folders (searched for `*.json`), sorted by tool and id.

    Without a place: every folder below `fixtures/` that is named after a tool. Raises `ConfigError` naming file and
    field for one that cannot be used, for a place without any, and for two of one tool and id.
    """
    files = [file for place in places or _default_places() for file in _files(Path(place))]
    found = [load_fixture(file) for file in dict.fromkeys(files)]
    seen: set[tuple[str, str]] = set()
    for fixture in found:
        if (fixture.tool, fixture.id) in seen:
            raise ConfigError(f"two fixtures of {fixture.tool} are named {fixture.id}. Next: rename one.")
        seen.add((fixture.tool, fixture.id))
    return sorted(found, key=lambda fixture: (fixture.tool, fixture.id))


def load_fixture(path: Path) -> Fixture:
    """Return the fixture in one file. Raises `ConfigError` naming file and field."""
    return vet_fixture(path, read_json(path))


def vet_fixture(path: Path, data: dict[str, Any]) -> Fixture:
    """Return the fixture that is in `data`, named after the file. Raises `ConfigError` naming file and field."""
    odd = data.keys() - _KEYS
    if odd:
        raise _refusal(path, f"has no field {quote(min(odd))}", f"use {', '.join(sorted(_KEYS))}")
    tool, side, label = data.get("tool"), data.get("side", "output"), data.get("label")
    codes, note = data.get("codes", []), data.get("note", "")
    if type(tool) is not str or not tool:
        raise _refusal(path, "names no tool", 'give it "tool"')
    if side not in ("input", "output"):
        raise _refusal(path, f"has the side {quote(side)}", 'use "input" or "output"')
    if label not in ("allow", "block"):
        fault = f"has the label {quote(label)}" if "label" in data else "has no label"
        raise _refusal(path, fault, 'use "allow" or "block"')
    if type(codes) is not list or not all(type(code) is str for code in codes) or bool(codes) != (label == "block"):
        raise _refusal(path, "does not name the codes of its refusal", "list them for a block, none for an allow")
    if type(note) is not str:
        raise _refusal(path, "has a note that is no text", "write why this payload is here")
    return Fixture(
        path.stem, tool, "input" if side == "input" else "output", label, tuple(codes), _given(path, data), note
    )


def save_fixture(fixture: Fixture, folder: str | Path = "fixtures") -> Path:
    """Write a fixture to `<folder>/<tool>/<id>.json` and return the path.

    Raises `ConfigError` for a name that could not be a file of its own in that folder, and for what could not be loaded
    again as it is: a payload that is not of plain JSON types, a block without codes.

    >>> from tempfile import mkdtemp
    >>> save_fixture(Fixture("valid", "inventory.lookup", "output", "allow", (), {"n": 1}), mkdtemp()).name
    'valid.json'
    """
    path, data = fixture_file(fixture, folder)
    write_whole(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    return path


def fixture_file(fixture: Fixture, folder: str | Path = "fixtures") -> tuple[Path, dict[str, Any]]:
    """Return where `save_fixture` writes a fixture, and what; raises `ConfigError` for what it refuses."""
    if not _NAME.fullmatch(fixture.id):
        raise ConfigError(f"{quote(fixture.id)} cannot name a fixture. Next: use a-z, 0-9, dash and underscore.")
    if not TOOL_NAME.fullmatch(fixture.tool):
        raise ConfigError(f"{quote(fixture.tool)} cannot name a folder of fixtures. Next: correct the tool's name.")
    path = Path(folder) / fixture.tool / f"{fixture.id}.json"
    data = read(fixture.as_dict(), max_bytes=MAX_FILE_BYTES)
    if isinstance(data, Finding):
        raise _refusal(path, f"is no JSON: {data.message[:-1]}", "hand its text in as raw")
    vet_fixture(path, data)
    return path, data


def _given(path: Path, data: dict[str, Any]) -> dict[str, Any] | str:
    given = [key for key in ("payload", "raw") if key in data]
    if len(given) != 1:
        raise _refusal(path, f"has {' and '.join(given) or 'no payload'}", 'give it "payload" or "raw", not both')
    value = data[given[0]]
    wanted = dict if given[0] == "payload" else str
    if type(value) is not wanted:
        raise _refusal(path, f"has a {given[0]} that is {quote(value)}", "payload is an object, raw is text")
    chosen: dict[str, Any] | str = value
    return chosen


def _default_places() -> list[Path]:
    """Return the folders of fixtures: those named after a tool."""
    home = locate("fixtures")
    return sorted({file.parent for file in _files(home)}) or [home]


def _files(place: Path) -> list[Path]:
    """Return the fixtures at a place. A folder named `recorded` holds model output, which has no label."""
    found = sorted(file for file in place.glob("**/*.json") if file.parent.name != "recorded")
    files = [place] if os.path.isfile(place) else found
    if not files:
        raise ConfigError(f"{quote(str(place), 200)} holds no fixture. Next: name a JSON file or a folder of them.")
    return files


def _refusal(path: Path, fault: str, hint: str) -> ConfigError:
    return ConfigError(f"{path}: the fixture {fault}. Next: {hint}.")
