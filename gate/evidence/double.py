"""A double of a model server: small, real HTTP on this machine, with faults by path.

`http://127.0.0.1:PORT/v1` gives the answers that it is made with, `http://127.0.0.1:PORT/FAULT/v1` fails as
`judge_faults` says. It keeps no state, listens on the loopback address alone, takes any key and logs none.

Not here: what it answers. `judge_server` answers by a policy, `gate.model.replay` with what was recorded.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from gate.errors import ConfigError, quote
from gate.evidence.judge_faults import FAULTS, JSON, Fault, Headers
from gate.payload import MAX_BYTES

_TAIL = "/v1/chat/completions"
_STEP_S = 0.2  # between two bytes of a drip: about a minute for a reply, each byte well inside a time-out per read
_LATE_S = 60.0
_NO_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)

Tell = Callable[[str], None]


class Part(NamedTuple):
    """What a double plays: its name, what it says of itself, its answer to a request's body, and what no answer means.

    `answer` returns a chat completion, or None for a request that it has nothing to say to.
    """

    name: str
    says: str
    answer: Callable[[bytes], bytes | None]
    nothing: str


class Double(NamedTuple):
    """A running double: its port, its name, and the environment that points a gate or a planner at it."""

    port: int
    name: str

    def environ(self, fault: str = "") -> dict[str, str]:
        """Return MODEL_BASE_URL, MODEL_API_KEY and MODEL_NAME for the double, or for one of its faults.

        Raises `ConfigError` for a fault that does not exist.
        """
        if fault and fault not in FAULTS:
            raise ConfigError(f"{quote(fault)} is no fault of the judge. Next: see `gate judge faults`.")
        base = f"http://127.0.0.1:{self.port}" + (f"/{fault}" if fault else "") + "/v1"
        return {"MODEL_BASE_URL": base, "MODEL_API_KEY": "stand-in", "MODEL_NAME": self.name}


@contextmanager
def running(part: Part, *, port: int = 0, tell: Tell | None = None, always: str = "") -> Iterator[Double]:
    """Run a double while the block runs, on a free port unless one is given. `tell` gets one line a request.

    `always` is a fault of every answer, whatever the path: nobody can tell it from the address.

    Raises `ConfigError` when the port is taken.

    >>> with running(Part("nobody", "a double that knows nothing", lambda body: None, "ask somebody else")) as double:
    ...     double.environ()["MODEL_NAME"]
    'nobody'
    """
    try:
        server = _Server(("127.0.0.1", port), part, tell, always)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"port {port} cannot be used. Next: choose another; 0 is any free one.") from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="double", daemon=True)
    thread.start()
    try:
        yield Double(server.server_address[1], part.name)
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], part: Part, tell: Tell | None, always: str) -> None:
        self.part, self.tell, self.always = part, tell, always
        self.stopping = threading.Event()
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a caller who hangs up in the middle is what the faults are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "double", ""

    def do_GET(self) -> None:  # noqa: N802 - the name is the library's
        text = f"This is {self.server.part.says}.\nPOST to {_TAIL}, or to /FAULT{_TAIL}.\nFaults: {', '.join(FAULTS)}\n"
        self._send(200, text.encode(), (("Content-Type", "text/plain; charset=utf-8"),))

    def do_POST(self) -> None:  # noqa: N802
        request = self._body()
        name = self.server.always or self.path.removesuffix(_TAIL).removeprefix("/")
        if request is None or not self.path.endswith(_TAIL) or (name and name not in FAULTS):
            self._send_error(404, f"no such path: POST to {_TAIL} or /FAULT{_TAIL}, at most {MAX_BYTES} bytes")
        elif name:
            self._fail(FAULTS[name])
        else:
            reply = self.server.part.answer(request)
            if reply is None:
                self._send_error(400, self.server.part.nothing)
            else:
                self._send(200, reply)

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        return self.rfile.read(int(length)) if length.isdecimal() and int(length) <= MAX_BYTES else None

    def _send_error(self, status: int, message: str) -> None:
        self._send(status, json.dumps({"error": {"message": message}}).encode())

    def _send(self, status: int, body: bytes, headers: Headers = JSON) -> None:
        self.wfile.write(self._head(status, body, headers) + body)

    def _head(self, status: int, body: bytes, headers: Headers) -> bytes:
        """Return the head as bytes, unsent, so that each fault decides how it travels."""
        self.close_connection = True
        self.log_request(status)
        always = (("X-Double", self.server.part.says), ("Content-Length", str(len(body))), ("Connection", "close"))
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{k}: {v}" for k, v in (*headers, *always))]
        return "\r\n".join([*lines, "", ""]).encode()

    def _fail(self, fault: Fault) -> None:
        head, body = self._head(fault.status, fault.body, fault.headers), fault.body
        if fault.pace == "late head":
            if not self.server.stopping.wait(_LATE_S):
                self.wfile.write(head + body)
        elif fault.pace == "slow head":
            self._drip(head)
        elif fault.pace == "slow body":
            self.wfile.write(head)
            self._drip(body)
        elif fault.pace == "reset":
            self.wfile.write(head + body[: len(body) // 2])
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            socket.close(self.connection.detach())  # with nothing to linger for, closing sends a reset
        else:
            self.wfile.write(head + body)

    def _drip(self, data: bytes) -> None:
        for byte in data:
            if self.server.stopping.wait(_STEP_S):
                return
            self.wfile.write(bytes([byte]))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        if self.server.tell:
            self.server.tell(f"{quote(self.path, 60)} {args[1] if len(args) > 1 else ''}")
