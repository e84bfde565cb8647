"""Where the kit's files lie, how one is read strictly, and how one is written whole.

Not here: what the files mean. `read_json` refuses what is not one strict JSON object; the callers vet the rest.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gate.errors import ConfigError, Finding, escape, finding, quote
from gate.payload import read

HOME = Path(__file__).resolve().parent.parent
MAX_FILE_BYTES = 4_000_000


def locate(name: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder: the kit's own if it exists there and not from here, otherwise as given.

    A notebook's kernel runs in the notebook's folder, so `schemas` there means the kit's `schemas`. What exists nowhere
    yet is made here.

    >>> locate("schemas").name
    'schemas'
    """
    return Path(name) if os.path.exists(name) or not os.path.exists(HOME / name) else HOME / name


def read_json(path: str | os.PathLike[str], *, max_bytes: int = MAX_FILE_BYTES) -> dict[str, Any]:
    """Return the one JSON object in a file, read as strictly as a payload, and bare: a model may fence it, no file.

    Raises `ConfigError` naming the file, for a missing or unreadable file, a duplicate key, NaN, bad UTF-8 and all
    else the front door refuses.
    """
    try:
        with open(path, "rb") as file:
            raw = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: what can be no path
        raise ConfigError(f"{path}: cannot be read ({_reason(error)}). Next: put the file back.") from error
    value = read(raw, max_bytes=max_bytes)
    if isinstance(value, dict) and raw.lstrip().startswith(b"`"):
        value = finding("parse.fence", "", "the file holds a code fence around its JSON.", "take the fence away.")
    if isinstance(value, Finding):
        raise ConfigError(f"{path}: {value.message} Next: {value.hint}", (value,))
    return value


def read_text(path: str | os.PathLike[str], *, max_bytes: int = MAX_FILE_BYTES) -> str:
    """Return a text that people wrote, odd bytes marked. Raises `ConfigError` if it cannot be read or is too large."""
    try:
        with open(path, "rb") as file:
            raw = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{quote(str(path), 200)}: cannot be read ({_reason(error)}). Next: name a text file."
        ) from error
    if len(raw) > max_bytes:
        raise ConfigError(f"{quote(str(path), 200)}: more than {max_bytes} bytes. Next: name a smaller file.")
    return raw.decode("utf-8", "replace")


def write_whole(path: str | os.PathLike[str], text: str | bytes) -> None:
    """Write a file (text as UTF-8) so that a reader sees the old or the new one, never a half: beside, then renamed.

    A new file gets the rights that `open` would give it, an old one keeps its own. A link stays, what it points to is
    written. A device or a pipe (`/dev/null`) is written to as it stands: renamed over, it would be gone for everybody.
    Raises `ConfigError` when the folder cannot be written or the text is not Unicode; the old file is then untouched.
    """
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
        target = Path(path)
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)
            return
        target = Path(os.path.realpath(target))
        beside = target.parent / f".{target.name}.{os.urandom(6).hex()}"
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write_new(beside, data)
            if target.exists():
                os.chmod(beside, target.stat().st_mode & 0o777)
            os.replace(beside, target)
        finally:  # after the rename it is not there any more
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:  # ValueError: what can be no path, or half a surrogate pair in the text
        shown = quote(str(path), 200)
        raise ConfigError(f"{shown}: cannot be written ({_reason(error)}). Nothing was changed.") from error


def _write_new(path: Path, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "the text is not valid UTF-8"
    return getattr(error, "strerror", None) or escape(str(error), 80)
