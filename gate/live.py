"""A live planner: any OpenAI-compatible endpoint, asked with the tools' contracts as their definitions.

The same three variables as the semantic gate, and the same bounded exchange: one wall clock, a byte cap, no proxy, no
redirect, the key in no message.

Not here: other providers; a planner is any function from messages to a `Reply`, and `adapters` has their shapes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from gate.adapters.openai import from_openai, openai_tools, to_openai
from gate.calls.reply import Message, Planner, Reply
from gate.calls.tools import Tools
from gate.errors import Finding, GateError
from gate.exchange import post
from gate.payload import read
from gate.semantic import endpoint

MAX_REPLY_BYTES = 1_000_000


def live_planner(
    tools: Tools, *, system: str = "", environ: Mapping[str, str] | None = None, seconds: float = 60.0
) -> Planner:
    """Return a planner that asks `MODEL_NAME` at `MODEL_BASE_URL`, with `system` as its first message.

    The planner raises `GateError` when no whole, well-formed reply could be had in time; `run_turn` stops there.

    >>> from gate.registry import Contracts
    >>> live_planner(Tools({}, Contracts([])), environ={})([])
    Traceback (most recent call last):
    gate.errors.GateError: the model cannot be asked: MODEL_BASE_URL is not set.
    """

    def say(messages: list[Message]) -> Reply:
        first = [{"role": "system", "content": system}] if system else []
        body: dict[str, Any] = {"messages": [*first, *to_openai(messages)]}
        defined = openai_tools(tools)
        return from_openai(complete(body | ({"tools": defined} if defined else {}), environ, seconds=seconds), tools)

    return say


def complete(
    body: dict[str, Any], environ: Mapping[str, str] | None = None, *, seconds: float = 60.0
) -> dict[str, Any]:
    """Return the chat completion that `MODEL_NAME` at `MODEL_BASE_URL` gives for a request, read strictly.

    Raises `GateError` when no whole, well-formed reply could be had in time. What the reply says is not looked at.

    >>> complete({"messages": []}, {})
    Traceback (most recent call last):
    gate.errors.GateError: the model cannot be asked: MODEL_BASE_URL is not set.
    """
    settings = endpoint(os.environ if environ is None else environ)
    if isinstance(settings, Finding):
        raise _failed(settings)
    url, key, model = settings
    request = {"model": model, "stream": False, **body}
    answer = post(url, request, key, seconds=seconds, max_bytes=MAX_REPLY_BYTES)
    reply = answer if isinstance(answer, Finding) else read(answer, max_bytes=MAX_REPLY_BYTES)
    if isinstance(reply, Finding):
        raise _failed(reply)
    return reply


def _failed(found: Finding) -> GateError:
    return GateError(found.message.replace("the judge", "the model").replace("verdict", "reply"), (found,))
