"""The live planner, over a real connection to a small server that speaks the OpenAI shape."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from gate.calls.tools import Tools
from gate.live import live_planner
from gate.loop import run_turn
from gate.registry import Contracts
from tests.call_kit import CONTRACTS, FOUND, Counting

KEY = "local-key-0001"
Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[dict[str, str], list[dict[str, Any]]]]:
    """Serve chat completions; gives the environment that points there, and what was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
            status, data = answer(body)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        base = f"http://127.0.0.1:{server.server_port}/v1"
        yield {"MODEL_BASE_URL": base, "MODEL_API_KEY": KEY, "MODEL_NAME": "small"}, asked
    finally:
        server.shutdown()
        server.server_close()


def completion(message: dict[str, Any], reason: str) -> tuple[int, bytes]:
    return 200, json.dumps({"choices": [{"finish_reason": reason, "message": message}]}).encode()


def model(body: dict[str, Any]) -> tuple[int, bytes]:
    """Answer as a model would: look the stock up, then tell what was found."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return completion({"content": f"found {json.loads(last['content'])['quantity']}"}, "stop")
    call = {"function": {"name": "inventory_lookup", "arguments": '{"sku": "SKU-19"}'}, "id": "c1", "type": "function"}
    return completion({"content": None, "tool_calls": [call]}, "tool_calls")


def tools() -> Tools:
    return Tools({"inventory.lookup": Counting()}, CONTRACTS)


def test_a_turn_over_a_real_connection() -> None:
    with serving(model) as (environ, asked):
        turn = run_turn("how many?", live_planner(tools(), system="You look up stock.", environ=environ), tools())
    assert (turn.status, turn.text) == ("done", "found 4")
    assert asked[0]["path"] == "/v1/chat/completions"
    assert asked[0]["key"] == f"Bearer {KEY}"
    assert asked[0]["model"] == "small"
    assert asked[0]["messages"] == [
        {"role": "system", "content": "You look up stock."}, {"role": "user", "content": "how many?"},
    ]  # fmt: skip
    assert [tool["function"]["name"] for tool in asked[0]["tools"]] == ["inventory_lookup"]
    assert asked[1]["messages"][-1] == {"role": "tool", "tool_call_id": "c1", "content": json.dumps(FOUND)}


def test_without_tools_none_are_sent() -> None:
    with serving(lambda body: completion({"content": "hello"}, "stop")) as (environ, asked):
        nothing = Tools({}, Contracts([]))
        assert run_turn("hi", live_planner(nothing, environ=environ), nothing).text == "hello"
    assert "tools" not in asked[0]


FAULTS: dict[str, tuple[Answer, str]] = {
    "500": (lambda body: (500, b"{}"), "it answered 500"),
    "prose": (lambda body: (200, b"Sure! Here you go"), "not JSON"),
    "duplicate key": (lambda body: (200, b'{"choices": [], "choices": []}'), "stands twice"),
    "two choices": (lambda body: (200, b'{"choices": [{}, {}]}'), "exactly one choice"),
    "too large": (lambda body: (200, b" " * 2_000_000), "larger than"),
}


@pytest.mark.parametrize(("answer", "why"), FAULTS.values(), ids=FAULTS)
def test_a_reply_that_cannot_be_used_stops_the_turn(answer: Answer, why: str) -> None:
    with serving(answer) as (environ, _):
        turn = run_turn("x", live_planner(tools(), environ=environ), tools())
    assert (turn.status, turn.code) == ("stopped", "run.planner_failed")
    assert why in turn.text
    assert "judge" not in turn.text and KEY not in turn.text


def test_a_model_that_is_too_slow_stops_the_turn() -> None:
    free = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        free.wait(30)
        return model(body)

    with serving(slow) as (environ, _):
        turn = run_turn("x", live_planner(tools(), environ=environ, seconds=0.1), tools())
        free.set()
    assert turn.code == "run.planner_failed"
    assert "the model did not finish its reply within the time" in turn.text


def test_a_cut_off_reply_runs_nothing() -> None:
    def cut_off(body: dict[str, Any]) -> tuple[int, bytes]:
        status, data = model(body)
        return status, data.replace(b'"tool_calls", "message"', b'"length", "message"')

    tool = Counting()
    with serving(cut_off) as (environ, _):
        turn = run_turn("x", live_planner(tools(), environ=environ), Tools({"inventory.lookup": tool}, CONTRACTS))
    assert turn.transcript[0]["codes"] == ["call.incomplete"]
    assert tool.runs == 0


@pytest.mark.parametrize("missing", ["MODEL_BASE_URL", "MODEL_API_KEY", "MODEL_NAME"])
def test_a_variable_that_is_not_set_is_named(missing: str) -> None:
    environ = {"MODEL_BASE_URL": "http://127.0.0.1:9/v1", "MODEL_API_KEY": KEY, "MODEL_NAME": "small", missing: ""}
    assert f"{missing} is not set" in run_turn("x", live_planner(tools(), environ=environ), tools()).text
