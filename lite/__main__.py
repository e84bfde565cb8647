"""`make lite`: build the site; `--serve` shows it here, `--check` drives it in a real browser.

Not here: how it is built (`site`).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from lite.serve import FIRST, serving
from lite.site import build
from start.browser import find_browser
from start.install import Problem, describe
from start.place import ROOT


def main(arguments: list[str]) -> int:
    """Build, and do what is asked. Return 0, what the check returned, or 2 with one line for what is to be mended."""
    asked = _arguments(arguments)
    out = Path(asked.out).absolute()
    try:
        build(out)
        megabytes = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1_000_000
        print(f"The site is in {out} ({megabytes:.0f} MB). Serve it over https; its first page is {FIRST}")
        if asked.check:
            return _check(out)
        if asked.serve:
            _show(out, asked.port)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    except OSError as error:
        print(describe(error), file=sys.stderr)
        return 2
    return 0


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make lite", description="Build the lab as a page with nothing to install.")
    parser.add_argument("--out", default=str(ROOT / "dist" / "lite"), help="where to (default: dist/lite)")
    parser.add_argument("--serve", action="store_true", help="show it on this machine until Ctrl-C")
    parser.add_argument("--port", type=int, default=8000, help="for --serve (default: 8000)")
    parser.add_argument("--check", action="store_true", help="run tests/lite on it in a real browser")
    return parser.parse_args(arguments)


def _show(site: Path, port: int) -> None:
    with serving(site, port) as server:
        print(f"The lab is at {server.url}{FIRST} (Ctrl-C stops it)", flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            print("Stopped.")


def _check(site: Path) -> int:
    browser = find_browser()
    if browser is None:
        raise Problem("No Chromium, Chrome or Edge was found. Next: install one, or set GATE_CHROMIUM to its path.")
    command = [sys.executable, "-m", "pytest", str(ROOT / "tests" / "lite"), "-n", "0"]
    env = {**os.environ, "GATE_CHROMIUM": browser, "GATE_LITE_SITE": str(site)}
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
