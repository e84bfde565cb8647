"""The lock file of the browser's Python: Pyodide's own head, and our packages in the place of its hundreds.

Everything in it is loaded when a kernel starts, so no cell waits for a package, no dependency is looked for, and
nothing but this site is asked.

Not here: where the wheels come from (`parts`, `wheel`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def package_name(wheel: Path) -> str:
    """Return the name of a wheel's package, as lock files spell it.

    >>> package_name(Path("typing_extensions-4.16.0-py3-none-any.whl"))
    'typing-extensions'
    """
    return wheel.name.split("-")[0].lower().replace("_", "-").replace(".", "-")


def lock(pyodides: Path, wheels: Iterable[Path]) -> dict[str, Any]:
    """Return the lock file for these wheels, with the head of Pyodide's own."""
    head = json.loads(pyodides.read_text(encoding="utf-8"))
    return {**head, "packages": {package_name(wheel): _entry(wheel) for wheel in sorted(wheels)}}


def _entry(wheel: Path) -> dict[str, Any]:
    return {
        "name": package_name(wheel),
        "version": wheel.name.split("-")[1],
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "install_dir": "site",
        "package_type": "package",
        "imports": [],
        "depends": [],
        "unvendored_tests": False,
    }
