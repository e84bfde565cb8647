"""Signs of doubt: which exceptions of a tool leave open whether it took effect."""

from __future__ import annotations

import errno
import http.client
import json
import ssl
import urllib.error
from collections.abc import Callable
from email.message import Message
from http import HTTPStatus
from types import SimpleNamespace

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.brakes.doubt import is_doubtful
from gate.brakes.outcomes import OutcomeUnknown, attempt
from tests.hostile import Raising, unnamed_error


def caught(work: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as raised:
        work()
    return raised.value


def named(name: str, base: type[Exception] = Exception) -> Exception:
    error: Exception = type(name, (base,), {})()
    return error


def with_status(status: object, **more: object) -> Exception:
    error = Exception()
    error.__dict__.update(more, status_code=status)
    return error


def answered(status: int) -> BaseException:
    return caught(httpx.Response(status, request=httpx.Request("POST", "http://shop")).raise_for_status)


def http_error(status: int) -> Exception:
    return urllib.error.HTTPError("http://shop", status, "no", Message(), None)


def chained(first: BaseException, *, shown: bool) -> BaseException:
    def work() -> None:
        try:
            raise first
        except BaseException as error:
            raise ValueError("the refund failed") from (error if shown else None)

    return caught(work)


class Asked(Exception):
    @property
    def response(self) -> object:
        raise RuntimeError("no request was made")


def circle() -> Exception:
    one, two = ValueError(), ValueError()
    one.__cause__, two.__cause__ = two, one
    return one


def long_chain(length: int) -> BaseException:
    error: BaseException = ValueError()
    for _ in range(length):
        outer = ValueError()
        outer.__cause__, error = error, outer
    return error


DOUBTFUL = {
    "time-out": TimeoutError(),
    "says so": OutcomeUnknown(),
    "connection": ConnectionError("aborted"),
    "reset": ConnectionResetError(),
    "aborted": ConnectionAbortedError(),
    "broken pipe": BrokenPipeError(),
    "of another client": named("APIConnectionError"),
    "subclass": named("Lost", type(named("ServerDisconnectedError"))),
    "closed": named("ConnectionClosedError"),
    "protocol": httpx.RemoteProtocolError("closed"),
    "read": httpx.ReadError("lost"),
    "incomplete": http.client.IncompleteRead(b""),
    "disconnected": http.client.RemoteDisconnected("gone"),
    "status line": http.client.BadStatusLine("?"),
    "chunked": named("ChunkedEncodingError"),
    "mcp": named("McpError"),
    "rpc": named("AioRpcError", type(named("RpcError"))),
    "answer is no JSON": caught(lambda: json.loads("<html>")),
    "answer is no UTF-8": caught(lambda: b"\xff".decode("utf-8")),
    "TLS": ssl.SSLEOFError(),
    "end of file": EOFError(),
    "input and output": OSError(errno.EIO, "io"),
    "disk full": OSError(errno.ENOSPC, "full"),
    "memory": MemoryError(),
    "recursion": RecursionError(),
    "exit": SystemExit(0),
    "generator exit": GeneratorExit(),
    "interrupt": KeyboardInterrupt(),
    "cause": chained(TimeoutError(), shown=True),
    "hidden context": chained(TimeoutError(), shown=False),
    "group": ExceptionGroup("both", [ValueError(), ExceptionGroup("in it", [TimeoutError()])]),
    "reason": urllib.error.URLError(ConnectionResetError()),
    "argument": Exception("aborted", ConnectionResetError()),
    "status 503 of httpx": answered(503),
    "status 502 of urllib": http_error(502),
    "status 408": answered(408),
    "status 200": with_status(200),
    "status as an enum": with_status(HTTPStatus.BAD_GATEWAY),
    "status of the response": with_status(None, response=SimpleNamespace(status=500)),
    "two statuses": with_status(404, code=504),
    "refusal after a time-out": chained(http_error(503), shown=True),
    "too long a chain": long_chain(1000),
    "attribute that raises": Asked(),
    "hostile response": with_status(404, response=Raising()),
}
PLAIN = {
    "ordinary": ValueError("no such order"),
    "refused": ConnectionRefusedError(),
    "refused, wrapped": chained(ConnectionRefusedError(), shown=True),
    "reason refused": urllib.error.URLError(ConnectionRefusedError()),
    "connect": httpx.ConnectError("no host"),
    "no file": FileNotFoundError(errno.ENOENT, "gone"),
    "group": ExceptionGroup("both", [ValueError(), KeyError()]),
    "status 404 of httpx": answered(404),
    "status 409 of urllib": http_error(409),
    "code that is no status": with_status(None, code="E12"),
    "exit code": with_status(None, code=2),
    "circle": circle(),
}


@pytest.mark.parametrize("error", DOUBTFUL.values(), ids=DOUBTFUL.keys())
def test_a_sign_of_doubt_anywhere_leaves_the_outcome_open(error: BaseException) -> None:
    assert is_doubtful(error)


@pytest.mark.parametrize("error", PLAIN.values(), ids=PLAIN.keys())
def test_an_exception_without_a_sign_of_doubt_is_a_failure(error: BaseException) -> None:
    assert not is_doubtful(error)


@pytest.mark.parametrize(("error", "state"), [(answered(503), "unknown"), (answered(404), "failed")])
def test_what_a_tool_raises_decides_what_its_call_came_to(error: BaseException, state: str) -> None:
    def tool(payload: object) -> None:
        raise error

    assert attempt(tool, {}).state == state


def test_an_exception_whose_type_answers_nothing_is_a_failure() -> None:
    def tool(payload: object) -> None:
        raise unnamed_error()

    assert not is_doubtful(unnamed_error())
    assert attempt(tool, {}).state == "failed"


@given(status=st.integers(100, 599))
def test_an_exception_with_a_status_follows_the_rule_for_an_answer_with_it(status: int) -> None:
    answer = attempt(lambda payload: {"status": status}, {}).state
    assert is_doubtful(with_status(status)) == (answer != "failed")
