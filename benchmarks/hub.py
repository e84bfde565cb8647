"""A class on a real JupyterHub on this machine: everybody comes in, runs the first notebook and fills a row.

    HUB_VENV/bin/python benchmarks/hub.py --users 10 --proxy node_modules/.bin/configurable-http-proxy

It starts the hub of docs/jupyterhub_config.py on free ports, with homes in a folder of its own. Every user logs in by
the form, starts a server, runs each code cell of the learner's notebook in a kernel, and decides the first row of the
table. Then `gate class` looks at the homes. Printed are seconds and megabytes; exit 1 when a pair is not as it should.

With `--browser /usr/bin/chromium` one more student comes, in a real browser, and decides nothing.

Not here: what one student does (`hub_student`).
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
from hub_student import Took, browse, take_part, until

KIT = Path(__file__).resolve().parent.parent
IN_A_BROWSER = "in-a-browser"
PASSWORD = secrets.token_hex(8)


class Hub:
    """A JupyterHub with its proxy, on free ports of this machine, its homes below `folder`; gone with `stop`."""

    def __init__(self, folder: Path, proxy: str) -> None:
        port, inner, api = _free_ports(3)
        self.url, self.homes, self.log = f"http://127.0.0.1:{port}", folder / "homes", folder / "hub.log"
        env = {**os.environ, "GATE_HUB_HOMES": str(self.homes), "GATE_HUB_PASSWORD": PASSWORD, "GATE_HUB_PROXY": proxy}
        env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", os.defpath)])
        command = [
            sys.executable, "-m", "jupyterhub", "-f", str(KIT / "docs" / "jupyterhub_config.py"),
            f"--JupyterHub.bind_url={self.url}", f"--JupyterHub.hub_bind_url=http://127.0.0.1:{inner}",
            f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{api}",
        ]  # fmt: skip
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
        until(lambda: self.process.poll() is not None or _answers(f"{self.url}/hub/health"), "the hub")

    def stop(self) -> None:
        """Stop the hub; it stops its proxy and all servers."""
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            for one in [*psutil.Process(self.process.pid).children(recursive=True), self.process]:
                one.kill()


def memory(hub: Hub) -> dict[str, float]:
    """Return the megabytes of the hub, its proxy, and of all servers and all kernels; a shared page counts once."""
    found = dict.fromkeys(("hub", "proxy", "servers", "kernels"), 0.0)
    for process in [psutil.Process(hub.process.pid), *psutil.Process(hub.process.pid).children(recursive=True)]:
        words = " ".join(process.cmdline())
        kind = "kernels" if "ipykernel" in words else "servers" if "singleuser" in words else ""
        kind = kind or ("proxy" if "proxy" in words and process.pid != hub.process.pid else "hub")
        usage = process.memory_full_info()
        found[kind] += getattr(usage, "pss", usage.uss) / 1e6
    return found


def seen_by_class(hub: Hub) -> dict[str, Any]:
    """Return what `gate class` says of the homes."""
    command = [sys.executable, "-m", "gate", "class", str(hub.homes), "--json"]
    done = subprocess.run(command, cwd=KIT, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main() -> int:
    """Hold one class and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--proxy", default="configurable-http-proxy", help="the program of that name, from npm")
    parser.add_argument("--browser", metavar="PATH", help="a Chromium, for one more student")
    args = parser.parse_args()
    proxy = shutil.which(args.proxy)
    if not proxy:
        parser.error(f"there is no program {args.proxy}. Next: install it as docs/hub.md says")
    names = [f"pair-{number:02}" for number in range(1, args.users + 1)]
    with tempfile.TemporaryDirectory(prefix="gate-hub-") as folder:
        hub = Hub(Path(folder), os.path.abspath(proxy))  # the hub runs in a folder of its own
        try:
            with ThreadPoolExecutor(len(names)) as room:
                took = list(room.map(lambda name: take_part(hub.url, PASSWORD, name), names))
            _print(took, memory(hub))
            if args.browser:
                begun = time.monotonic()
                work = hub.homes / IN_A_BROWSER / "gate-lab" / "work"
                outside = browse(hub.url, PASSWORD, IN_A_BROWSER, work, args.browser)
                lasted = time.monotonic() - begun
                print(
                    f"{IN_A_BROWSER}: {lasted:.0f} s from the form to a board; asked elsewhere: {outside or 'nothing'}"
                )
            seen = seen_by_class(hub)
        except Exception:
            print(hub.log.read_text(encoding="utf-8", errors="replace")[-6000:], file=sys.stderr)
            raise
        finally:
            hub.stop()
    return _verdict([*names, IN_A_BROWSER] if args.browser else names, seen)


def _print(took: list[Took], used: dict[str, float]) -> None:
    print(
        f"{len(took)} users at once, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}; {took[0].cells} cells each"
    )
    for what in ("login", "server", "kernel", "running"):
        values = [getattr(one, what) for one in took]
        print(f"{what:8} median {statistics.median(values):6.1f} s   slowest {max(values):6.1f} s")
    print("MB: " + ", ".join(f"{kind} {size:.0f}" for kind, size in used.items()))
    print(f"MB a user, server and kernel: {(used['servers'] + used['kernels']) / len(took):.0f}")


def _verdict(names: list[str], seen: dict[str, Any]) -> int:
    pairs = {pair["pair"]: pair for pair in seen["pairs"]}
    wrong = sorted(set(pairs) ^ {f"{name}/gate-lab" for name in names})
    for name, pair in pairs.items():
        rows = 0 if name.startswith(IN_A_BROWSER) else 1
        if (pair["filled"], pair["place"], pair["notes"]) != (rows, 1 + rows, []):  # the table is in the second section
            wrong.append(name)
    good = f"gate class sees {len(pairs)} pairs, each with its section, and its row decided"
    print(f"not as it should be: {wrong}" if wrong else good)
    return 1 if wrong else 0


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on at this moment."""
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


if __name__ == "__main__":
    sys.exit(main())
