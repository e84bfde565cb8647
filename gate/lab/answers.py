"""The answers store: small JSON documents in `work/` that survive restarts, reloads and two kernels at once.

A document is saved whole and under a lock, with the version of its format. Whatever is in the way, nothing is lost:
a broken file is kept beside under a new name, a file of another version is copied before it is written over, what
cannot be saved stays in this kernel until it can, and a file that is gone comes back with what this kernel knew of it.
`notes` says in words what happened.

Not here: what a document means (`table`, `clock`, `board`).
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate.errors import ConfigError, quote
from gate.files import HOME, read_json, write_whole

Document = dict[str, Any]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,80}")
LOCK_SECONDS = 5.0


def work_folder() -> Path:
    """Return the folder of all answers: `$GATE_WORK` if set, otherwise `work/` in the kit."""
    return Path(os.environ.get("GATE_WORK") or HOME / "work").expanduser().absolute()


def merge_keys(known: Document, mine: Document) -> Document:
    """Return both documents in one; where both have a key, mine counts.

    >>> merge_keys({"rule-1": "red"}, {"rule-2": "green"})
    {'rule-1': 'red', 'rule-2': 'green'}
    """
    return {**known, **mine}


def nothing_wrong(document: Document) -> str:
    """Return "": any JSON object will do."""
    return ""


class Answers:
    """One document in the answers store: `work/<name>.json`.

    `vet` says in words what is wrong with a document that was read ("" when nothing is): a document it refuses is
    kept beside, like a file that is not JSON at all. `merge` joins what is on disk with what could not be saved
    earlier. The key "version" belongs to the store. Raises `ConfigError` for a name that is no plain file name.

    >>> Answers("progress-memory").path.name
    'progress-memory.json'

    Does not catch: two answers to the same question a moment apart; the later one counts.
    """

    def __init__(
        self,
        name: str,
        *,
        version: int = 1,
        vet: Callable[[Document], str] = nothing_wrong,
        merge: Callable[[Document, Document], Document] = merge_keys,
    ) -> None:
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{quote(name)} cannot name an answers file. Next: use a to z, 0 to 9, dot, dash.")
        self.path = work_folder() / f"{name}.json"
        self._version, self._vet, self._merge = version, vet, merge
        self._unsaved: Document | None = None
        self._seen: Document = {}  # what was in the file when it was last read or written
        self._trouble = ""
        self._happened: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened to the file, in words for its owner: empty as long as all is well."""
        return (*self._happened, *([self._trouble] if self._trouble else []))

    @property
    def saved(self) -> bool:
        """Whether the last change is in the file."""
        return self._unsaved is None

    def load(self) -> Document:
        """Return the document (without its version), `{}` if there is none yet. Never raises, never writes over it."""
        if not self.path.exists() and self._unsaved is None and not self._seen:
            return {}
        with contextlib.ExitStack() as stack:
            _lock(self.path, stack)
            known, unreadable = self._known()
        if self._unsaved is None:
            self._trouble = unreadable
        return known

    def save(self, document: Document) -> Document:
        """Merge `document` into the saved one and return the result; `notes` says so if it could not be saved."""
        return self.update(lambda known: self._merge(known, document))

    def update(self, change: Callable[[Document], Document]) -> Document:
        """Read, change and write in one go under the lock, so that another kernel's answers are never overwritten.

        `change` gets a copy of the newest document and returns the one to save; if it raises, nothing is saved and
        the exception goes on to the caller.
        """
        with contextlib.ExitStack() as stack:
            trouble = _lock(self.path, stack)
            known, unreadable = self._known()
            wanted = change(copy.deepcopy(known))
            trouble = trouble or unreadable or self._write(wanted)
        self._unsaved = copy.deepcopy(wanted) if trouble else None
        self._seen = self._seen if trouble else copy.deepcopy(wanted)
        self._trouble = f"Not saved: {trouble} Your answers are kept here until this kernel stops." if trouble else ""
        return wanted

    def _known(self) -> tuple[Document, str]:
        """Return what is on disk merged with what could not be saved, and why it could not be read ("" if it was)."""
        saved, trouble = self._read()
        self._seen = self._seen if trouble else copy.deepcopy(saved)
        return (saved if self._unsaved is None else self._merge(saved, self._unsaved)), trouble

    def _read(self) -> tuple[Document, str]:
        if not self.path.exists():
            return self._still_known(), ""
        try:
            document = read_json(self.path)
            version = document.pop("version", None)
            wrong = self._vet(document)
        except ConfigError as error:
            if not error.findings:  # the disk refuses, not the text: what is in the file may be good
                return {}, str(error)
            document, version, wrong = {}, None, error.findings[0].message
        if wrong:
            return copy.deepcopy(self._seen), self._set_aside(wrong)
        return document, "" if version == self._version else self._keep_version(version)

    def _still_known(self) -> Document:
        """Return what was in the file that is gone now, `{}` if it was never there."""
        if self._seen:
            self._say(f"{self.path.name} was gone. With the next answer all that this kernel knew is in it again.")
        return copy.deepcopy(self._seen)

    def _set_aside(self, wrong: str) -> str:
        """Give the broken file a new name; return why that could not be done ("" if it was)."""
        aside = _free_name(self.path, "broken")
        try:
            os.replace(self.path, aside)
        except OSError as error:
            return f"{self.path} is broken ({wrong}) and cannot be renamed ({error.strerror})."
        reason = wrong.rstrip(".")
        self._say(f"{self.path.name} could not be used ({reason}). It is kept as {aside.name}; a fresh one was begun.")
        return ""

    def _keep_version(self, version: object) -> str:
        """Copy a file of another version beside; return why that could not be done ("" if it was)."""
        label = f"version-{version}" if type(version) is int else "version-unknown"
        try:
            text = self.path.read_text(encoding="utf-8")
            copies = self.path.parent.glob(f"{self.path.stem}.{label}-*.json")
            if all(kept.read_text(encoding="utf-8") != text for kept in copies):
                beside = _free_name(self.path, label)
                write_whole(beside, text)
                self._say(
                    f"{self.path.name} was written by another version of the kit. It is kept as {beside.name}; what "
                    "this version understands was taken over."
                )
        except (OSError, ConfigError) as error:
            return f"{self.path} is of another version and cannot be copied ({error})."
        return ""

    def _write(self, document: Document) -> str:
        """Write the document; return why that could not be done ("" if it was)."""
        try:
            if self.path.exists() and not self.path.stat().st_mode & stat.S_IWUSR:
                return f"{self.path} is read-only. Next: make it writable and change any answer."
            whole = {"version": self._version, **document}
            write_whole(self.path, json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        except (OSError, ConfigError) as error:
            return str(error)
        return ""

    def _say(self, note: str) -> None:
        if note not in self._happened:
            self._happened.append(note)


def _lock(path: Path, stack: contextlib.ExitStack) -> str:
    """Hold the lock of a file until `stack` closes; return why that could not be done ("" if it was)."""
    from filelock import FileLock, Timeout  # here, because only a save or a load needs it

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stack.enter_context(FileLock(path.with_name(f".{path.stem}.lock"), timeout=LOCK_SECONDS))
    except Timeout:
        return f"another kernel is holding {path.name}. Next: stop it, or change any answer to try again."
    except OSError as error:
        return f"{path.parent} cannot be written ({error.strerror}). Next: make it writable and change any answer."
    return ""


def _free_name(path: Path, label: str) -> Path:
    numbers = range(1, 10_000)
    return next(free for n in numbers if not (free := path.with_name(f"{path.stem}.{label}-{n}.json")).exists())
