"""One bounded exchange with a judge: the bytes of a plain 200 reply, or the finding that says why there are none.

One wall clock covers all of it: name lookup, connecting, TLS, the first byte and every byte after it. httpx's own
time-out is per read, so one byte now and then would pass it; a name lookup has none. Therefore the exchange runs on
a thread of its own, and the caller stops waiting when the time is up and closes the connection.

Not here: what is asked and what the reply means (`semantic`). Not caught: a key sent over plain `http://` can be
read on the way; use `https://` for anything that is not this machine or your own network.
"""

from __future__ import annotations

import functools
import json
import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx

from gate.errors import Finding, finding, quote

_WAYS_TO_FAIL: tuple[tuple[type[BaseException], str, str], ...] = (
    (socket.gaierror, "its name cannot be resolved", "check the host in MODEL_BASE_URL and your DNS."),
    (ssl.SSLCertVerificationError, "its TLS certificate is not trusted", "mend the certificate; it is never ignored."),
    (ssl.SSLError, "the TLS handshake failed", "check http:// against https:// in MODEL_BASE_URL."),
    (
        ConnectionRefusedError,
        "the connection was refused",
        "start the judge, or check host and port in MODEL_BASE_URL.",
    ),
    (httpx.ConnectError, "no connection could be made", "check the network and MODEL_BASE_URL."),
    (httpx.TransportError, "the connection broke before the reply was whole", "try again; look at the judge's log."),
)


def post(url: str, body: dict[str, Any], key: str, *, seconds: float, max_bytes: int) -> bytes | Finding:
    """Send `body` as JSON with `key` as bearer and return the reply's bytes, or one `semantic.*` finding. Never raises.

    No proxy or certificate setting is taken from the environment, no redirect is followed, no encoded body is read,
    at most `max_bytes` are kept, and after `seconds` the answer is `semantic.timeout` whatever is still under way. A
    reply that repeats the key comes back with `[key]` in its place, so that no message or log can carry it on.

    >>> post("http://127.0.0.1:9/v1", {}, "k", seconds=1, max_bytes=10).code
    'semantic.unavailable'
    """
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
    }
    client = httpx.Client(verify=_tls(), trust_env=False, follow_redirects=False, timeout=seconds, headers=headers)
    deadline = time.monotonic() + seconds
    answer: queue.SimpleQueue[bytes | Finding] = queue.SimpleQueue()

    def work() -> None:
        answer.put(_exchange(client, url, json.dumps(body).encode(), deadline, max_bytes))

    threading.Thread(target=work, name="gate-judge", daemon=True).start()
    try:
        return answer.get(timeout=seconds)
    except queue.Empty:
        return _timeout()
    finally:
        client.close()


@functools.cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)  # takes some 20 ms, so made once


def _exchange(client: httpx.Client, url: str, data: bytes, deadline: float, max_bytes: int) -> bytes | Finding:
    try:
        key = client.headers["Authorization"].removeprefix("Bearer ")
        with client.stream("POST", url, content=data) as response:
            headers = {name: value.replace(key, "[key]") for name, value in response.headers.items()}
            refused = _refuse_head(response.status_code, headers)
            body = refused or _read(response, deadline, max_bytes)
            return body if isinstance(body, Finding) else body.replace(key.encode(), b"[key]")
    except httpx.TimeoutException:
        return _timeout()
    except Exception as error:  # noqa: BLE001 - any doubt is a block; the text of the error could carry the key
        return _failed(error)


def _refuse_head(status: int, headers: dict[str, str]) -> Finding | None:
    if 300 <= status < 400:
        return unavailable(f"it answered {status}, a redirect, which is not followed", "set MODEL_BASE_URL to the end.")
    if status == 429:
        wait = quote(headers["retry-after"]) if "retry-after" in headers else "not given"
        return unavailable(
            f"it answered 429, too many requests; retry-after: {wait}", "wait, then send the call again."
        )
    if 400 <= status < 500:
        return unavailable(f"it answered {status}: it refuses the request", "check MODEL_API_KEY, MODEL_NAME and path.")
    if status != 200:
        return unavailable(f"it answered {status} instead of 200", "try again later; look at the judge's log.")
    if headers.get("content-encoding", "identity") != "identity":
        return malformed(f"its body is encoded ({quote(headers['content-encoding'])}), which was not asked for")
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return malformed(f"its content type is {quote(headers.get('content-type', ''))}, not application/json")
    return None


def _read(response: httpx.Response, deadline: float, max_bytes: int) -> bytes | Finding:
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > max_bytes:
            return malformed(f"its body is larger than {max_bytes} bytes; reading stopped")
        if time.monotonic() > deadline:
            return _timeout()
    return bytes(body)


def _failed(error: BaseException) -> Finding:
    chain = tuple(_causes(error))
    for kind, what, hint in _WAYS_TO_FAIL:
        if any(isinstance(cause, kind) for cause in chain):
            return unavailable(what, hint)
    return unavailable(f"the exchange failed ({type(error).__name__})", "check MODEL_BASE_URL.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def unavailable(what: str, hint: str) -> Finding:
    """Return the finding for a judge of which no plain 200 reply could be had.

    >>> unavailable("the connection was refused", "start it.").message
    'the judge cannot be asked: the connection was refused.'
    """
    return finding("semantic.unavailable", "", f"the judge cannot be asked: {what}.", hint)


def _timeout() -> Finding:
    message = "the judge did not finish its reply within the time it was given."
    return finding("semantic.timeout", "", message, "try again, or ask a person; a slow judge is no allow.")


def malformed(what: str) -> Finding:
    """Return the finding for a reply that came but is not the one agreed shape.

    >>> malformed("it is prose").message
    'the judge gave no usable verdict: it is prose.'
    """
    hint = 'the judge must reply with one JSON object: {"decision": "allow" or "block", "rationale": "why"}.'
    return finding("semantic.malformed", "", f"the judge gave no usable verdict: {what}.", hint)
