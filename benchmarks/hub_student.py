"""One student of `hub.py`: comes in by the form, runs the learner's first notebook, decides a row.

By the server's own interfaces (`take_part`), or in a browser, and then without the row (`browse`).

Not here: the hub, the class as a whole and what is printed (`hub`).
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import websocket

NOTEBOOK = "notebooks/memory/01_reproduce_the_leak.ipynb"
ROW = "from gate.lab import table\ntable('memory').choose('row-1', 'allow', 'all three keys, and nothing else')"
WAIT = 300.0
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]  # fmt: skip


class Took(NamedTuple):
    """What one user waited for, in seconds, and how many code cells ran."""

    user: str
    login: float
    server: float
    kernel: float
    cells: int
    running: float


def take_part(url: str, password: str, user: str) -> Took:
    """Be one student: log in, start the server, run the notebook, decide a row. Raises when a cell does."""
    begun = time.monotonic()
    with httpx.Client(base_url=url, timeout=WAIT, follow_redirects=True) as web:
        token = _logged_in(web, user, password)
        web.headers["Authorization"] = f"token {token}"
        web.cookies.clear()
        login = time.monotonic()
        web.post(f"/hub/api/users/{user}/server").raise_for_status()
        until(lambda: web.get(f"/user/{user}/api/status").status_code == 200, f"the server of {user}")
        server = time.monotonic()
        place = f"/user/{user}/api"
        asked = {"path": NOTEBOOK, "name": NOTEBOOK, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = web.post(f"{place}/sessions", json=asked).raise_for_status().json()["kernel"]["id"]
        book = web.get(f"{place}/contents/{NOTEBOOK}").raise_for_status().json()["content"]
    address = f"{url.replace('http', 'ws', 1)}{place}/kernels/{kernel}/channels"
    line = websocket.create_connection(address, timeout=WAIT, header=[f"Authorization: token {token}"])
    _run(line, "pass")
    ready = time.monotonic()
    cells = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "code"]
    for source in [*cells, ROW]:
        _run(line, source)
    line.close()
    return Took(user, login - begun, server - login, ready - server, len(cells), time.monotonic() - ready)


def _logged_in(web: httpx.Client, user: str, password: str) -> str:
    """Return a token of a user who came in by the form."""
    web.get("/hub/login").raise_for_status()
    form = {"username": user, "password": password, "_xsrf": _xsrf(web)}
    came = web.post("/hub/login?next=/hub/token", data=form).raise_for_status()
    if came.url.path != "/hub/token":
        raise RuntimeError(f"{user} was not let in, but sent to {came.url}")
    made = web.post(f"/hub/api/users/{user}/tokens", headers={"X-XSRFToken": _xsrf(web)}, json={})
    return str(made.raise_for_status().json()["token"])


def _xsrf(web: httpx.Client) -> str:
    """Return the newest token that the hub wants to see again in whatever changes something."""
    return [cookie.value for cookie in web.cookies.jar if cookie.name == "_xsrf"][-1] or ""


def _run(line: websocket.WebSocket, source: str) -> None:
    """Run one cell to its end. Raises `RuntimeError` with the error that it ended with."""
    asked = uuid.uuid4().hex
    header = {"msg_id": asked, "msg_type": "execute_request", "username": "", "session": asked, "version": "5.3"}
    content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
    request = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    line.send(json.dumps(request))
    while True:
        told = json.loads(line.recv())
        if told["msg_type"] == "execute_reply" and told["parent_header"].get("msg_id") == asked:
            if told["content"]["status"] != "ok":
                raise RuntimeError(f"{source.splitlines()[0]} ... {told['content'].get('evalue')}")
            return


def browse(url: str, password: str, user: str, work: Path, chromium: str) -> list[str]:
    """Be one student in a real browser, until `work` holds a board. Return the requests to elsewhere."""
    from playwright.sync_api import sync_playwright

    outside: list[str] = []
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=chromium, args=_FLAGS).new_page()
        page.set_default_timeout(WAIT * 1000)
        page.on("request", lambda asked: None if _inside(asked.url, url) else outside.append(asked.url))
        page.goto(url)
        page.fill("#username_input", user)
        page.fill("#password_input", password)
        page.click("#login_submit")
        page.wait_for_url(f"**/user/{user}/lab**")
        _run_all(page)
        until(lambda: "memory.invented" in _saved(work / "boards.json"), "a board")
    return outside


def _run_all(page: Any) -> None:
    """Run every cell of the notebook in front, from the menu, when its kernel is there."""
    page.wait_for_selector("#jp-main-statusbar :text-matches('ipykernel.*\\\\| Idle')")
    page.get_by_role("menuitem", name="Run", exact=True).first.click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).first.click()


def _inside(address: str, url: str) -> bool:
    return address.startswith((url, "data:", "blob:", "about:"))


def _saved(path: Path) -> dict[str, Any]:
    """Return what is saved in a file of a work folder, {} while there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def until(ready: Callable[[], bool], what: str) -> None:
    """Wait. Raises `TimeoutError` after five minutes."""
    deadline = time.monotonic() + WAIT
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} was not there after {WAIT:.0f} s")
        time.sleep(0.25)
