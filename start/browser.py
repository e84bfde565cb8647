"""Is there a screen to open a browser on, and which browser can the tests drive?

Not here: opening it. JupyterLab opens its own page, the browser tests start their own.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


def has_display() -> bool:
    """Return whether a browser window can be expected to open where the person sits."""
    if os.environ.get("CI"):
        return False
    if os.environ.get("BROWSER"):
        return True  # set by a person, or by an editor that shows a remote machine's pages at home
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def find_browser() -> str | None:
    """Return the path of a Chromium-like browser: `GATE_CHROMIUM` if set, else the first found, else None."""
    named = os.environ.get("GATE_CHROMIUM")
    if named:
        return shutil.which(named)
    found = (shutil.which(name) for name in _NAMES)
    return next((path for path in found if path), next((path for path in _PLACES if Path(path).exists()), None))
