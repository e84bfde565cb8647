"""The prompts of the small model, as data: `fixtures/recorded/prompts.json`, by kind (`refund.oneshot`).

`asked` is what the prompt is about, in the words of the tool: an answer about something else is wrong, however well
formed. Not here: what the model said (`evidence.recorded`).
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from gate.errors import ConfigError
from gate.files import locate, read_json

PROMPTS = "fixtures/recorded/prompts.json"
Request = dict[str, Any]


class Prompt(NamedTuple):
    """One prompt: its messages, the response format that was forced (or None), the sampling, and what it asks about."""

    kind: str
    messages: list[dict[str, str]]
    response_format: dict[str, Any] | None
    sampling: dict[str, Any]
    asked: dict[str, Any]

    def request(self, seed: int, *more: dict[str, str]) -> Request:
        """Return the request for one output, with `more` messages after the prompt's own.

        >>> sorted(load_prompts()["refund.oneshot"].request(7))
        ['max_tokens', 'messages', 'seed', 'temperature']
        """
        forced = {"response_format": self.response_format} if self.response_format else {}
        return {"messages": [*self.messages, *more], **self.sampling, **forced, "seed": seed}


def load_prompts(path: str | os.PathLike[str] = PROMPTS) -> dict[str, Prompt]:
    """Return the prompts by kind. Raises `ConfigError` for a file that does not hold them.

    >>> load_prompts()["inventory.oneshot"].asked
    {'sku': 'SKU-19'}
    """
    held = _held(path)
    try:
        sampling = {name: held["sampling"][name] for name in ("temperature", "max_tokens")}
        return {
            kind: Prompt(kind, item["messages"], item.get("response_format"), sampling, item.get("asked", {}))
            for kind, item in held["kinds"].items()
        }
    except (LookupError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: these are no prompts ({error}). Next: put the file back.") from error


def judge_prompts(path: str | os.PathLike[str] = PROMPTS) -> dict[str, str]:
    """Return the system prompt that the judge was recorded with, by variant (`kit_schema`).

    >>> sorted(judge_prompts())
    ['kit', 'kit_schema', 'kit_schema_swapped']
    """
    return dict(_held(path).get("judge", {}))


def _held(path: str | os.PathLike[str]) -> dict[str, Any]:
    return read_json(locate(path))
