"""Where schemas are read from: a file, a folder, standard input, or a git revision of either.

A file holds one schema, or tool definitions. What does not exist as a file is asked of git: `HEAD~1` is the folder
`schemas` of that revision, `main:tools/schemas` another folder, `v1.2:schemas/find.input.schema.json` a file.

Not here: whether a schema is fit to be a contract.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from gate.contract import Side
from gate.contracts.definitions import holds_definitions, read_definitions
from gate.errors import ConfigError, Finding, quote
from gate.files import MAX_FILE_BYTES
from gate.registry import LOCK, contract_files, file_name
from gate.strictjson import decode, loads

_UNNAMED = "schema"


class Source(NamedTuple):
    """One schema as it stands, not vetted: the tool and side that it is for, and whether its file says so."""

    tool: str
    side: Side
    schema: Any
    named: bool

    @property
    def id(self) -> str:
        """The tool and the side: `find.input`."""
        return f"{self.tool}.{self.side}"


def read_schemas(place: str) -> list[Source]:
    """Return the schemas at a place. Raises `ConfigError` when it cannot be read or holds none.

    >>> from gate.files import locate
    >>> [source.id for source in read_schemas(str(locate("schemas")))]
    ['inventory.lookup.output', 'refund_order.input', 'ticket.input']
    """
    path = Path(place)
    if place == "-" or path.is_file():
        return _from_text(place, _bytes(place))
    if path.is_dir():
        return [one for file, _, _ in contract_files(path) for one in _from_text(str(file), _bytes(str(file)))]
    return _from_git(place)


def read_document(place: str) -> Any:
    """Return the JSON in a file, or of standard input for "-", read strictly; a list is taken as well as an object.

    Raises `ConfigError` naming the place.
    """
    return _parsed(place, _bytes(place))


def _bytes(place: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if place == "-" else Path(place).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no path"
        raise ConfigError(f"{place}: cannot be read ({why}). Next: name a JSON file.") from error


def _parsed(place: str, data: bytes) -> Any:
    text = decode(data) if len(data) <= MAX_FILE_BYTES else None
    if text is None:
        raise ConfigError(f"{place}: has more than {MAX_FILE_BYTES} bytes. Next: split it.")
    value = text if isinstance(text, Finding) else loads(text)
    if isinstance(value, Finding):
        raise ConfigError(f"{place}: {value.message} Next: {value.hint}")
    return value


def _from_text(place: str, data: bytes) -> list[Source]:
    document = _parsed(place, data)
    if holds_definitions(document):
        return [Source(item.tool, item.side, item.schema, True) for item in read_definitions(document)]
    named = file_name(Path(place).name)
    tool, side = named or (_UNNAMED, "input")
    return [Source(tool, side, document, named is not None)]


def _from_git(place: str) -> list[Source]:
    """Read `REVISION` (its folder `schemas`) or `REVISION:PATH`."""
    if place.startswith("-"):
        raise ConfigError(f"{quote(place)} is no file and no git revision. Next: name one.")
    revision, colon, named = place.partition(":")
    path = named if colon else "./schemas"
    spec = f"{revision}:{path}"
    kind = (_git("cat-file", "-t", spec) or b"").decode().strip()
    if kind == "blob":
        return _from_text(spec, _blob(spec))
    listed = _git("ls-tree", "--full-tree", "-z", "--name-only", spec)  # else git looks only below this very folder
    if listed is None:
        raise _unknown(place, revision, path)
    names = [name for name in listed.decode("utf-8", "replace").split("\0") if name.endswith(".json") and name != LOCK]
    if not names:
        raise ConfigError(f"{quote(spec, 120)} holds no schema. Next: name a folder that does, as REVISION:FOLDER.")
    return [one for name in names for one in _from_text(name, _blob(f"{spec}/{name}"))]


def _unknown(place: str, revision: str, path: str) -> ConfigError:
    """Return the error for what git cannot show: is it the revision that is not there, or the path in it?"""
    if _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") is None:
        message = f"{quote(place, 120)} is neither a file nor a folder, and git knows no such revision."
        return ConfigError(f"{message} Next: name one of them.")
    message = f"the revision {quote(revision, 80)} has no {quote(path, 120)}."
    return ConfigError(f"{message} Next: name what it has, as REVISION:FOLDER, seen from the top of the repository.")


def _blob(spec: str) -> bytes:
    found = _git("cat-file", "blob", spec)
    if found is None:
        raise ConfigError(f"{quote(spec, 200)}: git cannot read it. Next: run git fsck.")
    return found


def _git(*words: str) -> bytes | None:
    """Return what git answers, None where it refuses, is not there, or cannot be asked that."""
    try:
        return subprocess.run(["git", *words], capture_output=True, check=True).stdout
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
