"""A planner for a model that writes its call as text: the recorded prompt, asked again after each refusal.

Small models ignore `tools` in a request without a word. So the prompt says what to write, the reply's whole text goes
to the front door as the arguments of one call, and the gates say the rest.

Not here: models that make tool calls (`live.live_planner`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.calls.reply import Message, Planner, Reply
from gate.errors import GateError
from gate.live import complete
from gate.model.prompts import Prompt


def text_planner(
    prompt: Prompt, tool: str, environ: Mapping[str, str], seeds: Sequence[int] = (1, 2, 3), *, seconds: float = 60.0
) -> Planner:
    """Return a planner that writes the arguments of `tool` as text, one try a seed, and is done after an answer.

    It raises `GateError` when no reply could be had in time; `run_turn` stops there.
    """

    def say(messages: list[Message]) -> Reply:
        told = messages[1:]  # the first is the task; the prompt is the same, in the words that were recorded
        tries = sum(1 for message in told if message["role"] == "assistant")
        if tries == len(seeds) or (told and not _refused(told[-1])):
            return Reply("done" if tries < len(seeds) or not _refused(told[-1]) else "no seed is left")
        seed = seeds[tries]
        raw, reason = said(complete(prompt.request(seed, *map(_wired, told)), environ, seconds=seconds))
        return Reply(calls=({"id": f"{seed:03}", "name": tool, "raw": raw},), finish_reason=reason)

    return say


def said(reply: dict[str, Any]) -> tuple[str, str]:
    """Return the text and the finish reason of a completion's one choice. Raises `GateError` when it has no text.

    >>> said({"choices": [{"finish_reason": "stop", "message": {"content": "{}"}}]})
    ('{}', 'stop')
    """
    try:
        (choice,) = reply["choices"]
        raw, reason = choice["message"]["content"], choice["finish_reason"]
    except (LookupError, TypeError, ValueError):
        raw = reason = None
    if type(raw) is not str or type(reason) is not str:
        raise GateError("the model's reply is no chat completion with exactly one choice of text.")
    return raw, reason


def _refused(message: Message) -> bool:
    return any(item.get("is_error", True) for item in message["content"])


def _wired(message: Message) -> dict[str, str]:
    if message["role"] == "assistant":
        return {"role": "assistant", "content": "".join(str(call["raw"]) for call in message["calls"])}
    texts = [str(item.get("content", item.get("text"))) for item in message["content"]]
    return {"role": "user", "content": "\n".join(texts)}
