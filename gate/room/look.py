"""What `gate doctor` says about places for a class: the page of `make lite`, and a JupyterHub.

Not here: building the page (`make lite`), setting up a hub (docs/hub.md). None of either is no fault; half of one is.
"""

from __future__ import annotations

from pathlib import Path

from gate.files import HOME
from gate.lab.doctor import Look


def page(site: Path = HOME / "dist" / "lite") -> Look:
    """Is the page with nothing to install built, and whole?"""
    if not site.exists():
        return Look("page", True, "not built here; make lite builds it, for students who have only a browser")
    lacks = [name for name in ("lab/index.html", "files/notebooks", "service-worker.js") if not (site / name).exists()]
    if lacks:
        return Look("page", False, f"{site} lacks {', '.join(lacks)}", "run make lite again")
    return Look("page", True, f"built, {site}")


def hub(folder: Path = HOME / ".cache" / "hub") -> Look:
    """Is a JupyterHub set up as docs/hub.md says, and whole?"""
    if not folder.exists():
        return Look("hub", True, "none set up here; docs/hub.md sets one up, for a room of browsers")
    parts = {"JupyterHub": "venv/bin/jupyterhub", "its proxy": "node_modules/.bin/configurable-http-proxy"}
    lacks = [name for name, where in parts.items() if not (folder / where).exists()]
    if lacks:
        return Look("hub", False, f"{folder} lacks {' and '.join(lacks)}", "set it up as docs/hub.md says")
    return Look("hub", True, f"set up, {folder}")
