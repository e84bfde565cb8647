"""A class on a real JupyterHub on this machine: everybody comes in, runs the first notebook and fills a row.

    HUB_VENV/bin/python benchmarks/hub.py --users 10 --proxy node_modules/.bin/configurable-http-proxy

It starts the hub of docs/jupyterhub_config.py on free ports, with homes in a folder of its own. Every user logs in by the form,
starts a server, runs each code cell of the learner's notebook in a kernel, and decides the first row of the table. Then
`gate class` looks at the homes. Printed are the seconds and the memory a user; exit 1 when anything is not as it should be.

Not here: what a browser does with it (`--stay` leaves the hub open for one).
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil
import websocket

KIT = Path(__file__).resolve().parent.parent
NOTEBOOK = "notebooks/memory/01_reproduce_the_leak.ipynb"
ROW = "from gate.lab import table\ntable('memory').choose('row-1', 'allow', 'all three keys, and nothing else')"
PASSWORD = secrets.token_hex(8)
WAIT = 300.0


class Took(NamedTuple):
    """What one user waited for, in seconds, and how many code cells ran."""

    user: str
    login: float
    server: float
    kernel: float
    cells: int
    running: float


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
        _until(lambda: self.process.poll() is not None or _answers(f"{self.url}/hub/health"), "the hub")

    def stop(self) -> None:
        """Stop the hub; it stops its proxy and all servers."""
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            for one in [*psutil.Process(self.process.pid).children(recursive=True), self.process]:
                one.kill()


def take_part(hub: Hub, user: str) -> Took:
    """Be one student: log in, start the server, run the notebook, decide a row. Raises when a cell does."""
    begun = time.monotonic()
    with httpx.Client(base_url=hub.url, timeout=WAIT, follow_redirects=True) as web:
        token = _logged_in(web, user)
        web.headers["Authorization"] = f"token {token}"
        web.cookies.clear()
        login = time.monotonic()
        web.post(f"/hub/api/users/{user}/server").raise_for_status()
        _until(lambda: web.get(f"/user/{user}/api/status").status_code == 200, f"the server of {user}")
        server = time.monotonic()
        place = f"/user/{user}/api"
        asked = {"path": NOTEBOOK, "name": NOTEBOOK, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = web.post(f"{place}/sessions", json=asked).raise_for_status().json()["kernel"]["id"]
        book = web.get(f"{place}/contents/{NOTEBOOK}").raise_for_status().json()["content"]
    address = f"{hub.url.replace('http', 'ws', 1)}{place}/kernels/{kernel}/channels"
    line = websocket.create_connection(address, timeout=WAIT, header=[f"Authorization: token {token}"])
    _run(line, "pass")
    ready = time.monotonic()
    cells = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "code"]
    for source in [*cells, ROW]:
        _run(line, source)
    line.close()
    return Took(user, login - begun, server - login, ready - server, len(cells), time.monotonic() - ready)


def _logged_in(web: httpx.Client, user: str) -> str:
    """Return a token of a user who came in by the form."""
    web.get("/hub/login").raise_for_status()
    form = {"username": user, "password": PASSWORD, "_xsrf": _xsrf(web)}
    came = web.post("/hub/login?next=/hub/token", data=form).raise_for_status()
    if came.url.path != "/hub/token":
        raise RuntimeError(f"{user} was not let in, but sent to {came.url}")
    made = web.post(f"/hub/api/users/{user}/tokens", headers={"X-XSRFToken": _xsrf(web)}, json={})
    return str(made.raise_for_status().json()["token"])


def _xsrf(web: httpx.Client) -> str:
    return [cookie.value for cookie in web.cookies.jar if cookie.name == "_xsrf"][-1] or ""


def _run(line: websocket.WebSocket, source: str) -> None:
    """Run one cell to its end. Raises `RuntimeError` with the error that it ended with."""
    asked = uuid.uuid4().hex
    header = {"msg_id": asked, "msg_type": "execute_request", "username": "", "session": asked, "version": "5.3"}
    content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
    line.send(
        json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"})
    )
    while True:
        told = json.loads(line.recv())
        if told["msg_type"] == "execute_reply" and told["parent_header"].get("msg_id") == asked:
            if told["content"]["status"] != "ok":
                raise RuntimeError(f"{source.splitlines()[0]} ... {told['content'].get('evalue')}")
            return


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
    parser.add_argument("--stay", action="store_true", help="leave the hub open until Enter is pressed")
    args = parser.parse_args()
    names = [f"pair-{number:02}" for number in range(1, args.users + 1)]
    with tempfile.TemporaryDirectory(prefix="gate-hub-") as folder:
        hub = Hub(Path(folder), args.proxy)
        try:
            with ThreadPoolExecutor(len(names)) as room:
                took = list(room.map(lambda name: take_part(hub, name), names))
            used, seen = memory(hub), seen_by_class(hub)
            _print(took, used)
            if args.stay:
                input(f"{hub.url} password {PASSWORD}, homes {hub.homes}. Enter ends it. ")
        except Exception:
            print(hub.log.read_text(encoding="utf-8", errors="replace")[-6000:], file=sys.stderr)
            raise
        finally:
            hub.stop()
    return _verdict(names, seen)


def _print(took: list[Took], used: dict[str, float]) -> None:
    print(f"{len(took)} users at once, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}; {took[0].cells} cells each")
    for what in ("login", "server", "kernel", "running"):
        values = [getattr(one, what) for one in took]
        print(f"{what:8} median {statistics.median(values):6.1f} s   slowest {max(values):6.1f} s")
    print("MB: " + ", ".join(f"{kind} {size:.0f}" for kind, size in used.items()))
    print(f"MB a user, server and kernel: {(used['servers'] + used['kernels']) / len(took):.0f}")


def _verdict(names: list[str], seen: dict[str, Any]) -> int:
    pairs = {pair["pair"]: pair for pair in seen["pairs"]}
    wrong = sorted(set(pairs) ^ {f"{name}/gate-lab" for name in names})
    wrong += [name for name, pair in pairs.items() if pair["filled"] != 1 or pair["place"] != 1 or pair["notes"]]
    print(f"gate class sees {len(pairs)} pairs, each in section 1 with one row decided" if not wrong else f"not as it should be: {wrong}")
    return 1 if wrong else 0


def _until(ready: Any, what: str) -> None:
    deadline = time.monotonic() + WAIT
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} was not there after {WAIT:.0f} s")
        time.sleep(0.25)


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
