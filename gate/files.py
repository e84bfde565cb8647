"""Where the kit's files lie, how one is read strictly, and how one is written whole.

Not here: what the files mean. `read_json` refuses what is not one strict JSON object; the callers vet the rest.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gate.errors import ConfigError, Finding, quote
from gate.payload import read

HOME = Path(__file__).resolve().parent.parent


def locate(name: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder: as given if it exists from here, otherwise the kit's own.

    A notebook's kernel runs in the notebook's folder, so `schemas` there means the kit's `schemas`.

    >>> locate("schemas").name
    'schemas'
    """
    path = Path(name)
    return path if path.is_absolute() or path.exists() else HOME / path


def read_json(path: str | os.PathLike[str], *, max_bytes: int = 4_000_000) -> dict[str, Any]:
    """Return the one JSON object in a file, read as strictly as a payload.

    Raises `ConfigError` naming the file, for a missing or unreadable file, a duplicate key, NaN, bad UTF-8 and all
    else the front door refuses.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}). Next: put the file back.") from error
    value = read(raw, max_bytes=max_bytes)
    if isinstance(value, Finding):
        raise ConfigError(f"{path}: {value.message} Next: {value.hint}", (value,))
    return value


def write_whole(path: str | os.PathLike[str], text: str | bytes) -> None:
    """Write a file (text as UTF-8) so that a reader sees the old or the new one, never a half: beside, then renamed.

    Raises `ConfigError` when the folder cannot be written; the old file is then untouched.
    """
    import tempfile  # heavy, and a loop that only judges writes nothing

    target = Path(path)
    beside = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8") if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except (OSError, UnicodeError) as error:
        if beside:
            Path(beside).unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or "the text is not valid UTF-8"
        raise ConfigError(f"{quote(str(path), 200)}: cannot be written ({reason}). Nothing was changed.") from error
