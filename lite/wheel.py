"""Packs wheels for the browser's Python: the kit with the data it reads, and stand-ins for what is not there.

`gate.files.HOME` is the folder above `gate`. Inside the browser that is `site-packages`, so the kit's data folders go
there too, under the names that they have here.

Not here: installing them (`lock` names them, the kernel loads them).
"""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from start.place import ROOT

_KIT = ("gate/**/*.*", "schemas/*.json", "fixtures/**/*.json*", "data/**/*.*", "notebooks/solutions/memory/*.ipynb")
_DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
BROWSER = ROOT / "lite" / "browser"
STARTUP = "gate_browser_startup.py"


def pack_kit(folder: Path) -> Path:
    """Write the wheel of the kit into a folder and return its path."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    files = {path.relative_to(ROOT).as_posix(): path for path in _kit_files()}
    files.update({"gate_browser.py": BROWSER / "gate_browser.py", STARTUP: BROWSER / "startup.py"})
    return _pack(folder, project["name"], project["version"], files)


def pack_stand_ins(folder: Path) -> list[Path]:
    """Write the wheels that take the places of packages the browser cannot have, or does not need.

    The kernel insists on the names `micropip` and `jedi`, and does without what is in them.
    """
    piplite = {f"piplite/{path.name}": path for path in (BROWSER / "piplite").glob("*.py")}
    contents: dict[str, dict[str, Path]] = {
        "rpds-py": {"rpds.py": BROWSER / "rpds.py"},
        "piplite": piplite,
        "micropip": {},
        "jedi": {},
    }
    return [_pack(folder, name, "0", files) for name, files in contents.items()]


def _kit_files() -> Iterator[Path]:
    for pattern in _KIT:
        yield from (path for path in ROOT.glob(pattern) if path.is_file() and "__pycache__" not in path.parts)


def _pack(folder: Path, name: str, version: str, files: dict[str, Path]) -> Path:
    """Write a wheel of these files, by their names in it, and return its path."""
    safe = name.replace("-", "_")
    info = f"{safe}-{version}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: lite\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{inside},,\n" for inside in sorted([*files, *texts, f"{info}/RECORD"]))
    contents = {inside: path.read_bytes() for inside, path in files.items()}
    contents.update({inside: text.encode() for inside, text in {**texts, f"{info}/RECORD": record}.items()})
    wheel = folder / f"{safe}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside in sorted(contents):
            archive.writestr(zipfile.ZipInfo(inside, _DATE), contents[inside], zipfile.ZIP_DEFLATED)
    return wheel
