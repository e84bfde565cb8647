"""A stand-in for a judging model: it answers by the lines of a written policy, the same way each time.

It is no model. It looks for the words that the policy's `block if the reason names:` and `allow if the reason names:`
lines list, and for nothing else, so that a class, a test and a machine without a network can run the semantic gate over
a real wire. Not here: the server (`judge_server`) and its faults (`judge_faults`).

Does not catch: what words cannot show. "Not damaged at all" names damage; a model may read better, or worse.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from gate.errors import ConfigError, Finding, clip
from gate.payload import read

NAME = "stand-in-judge"
_RULE = re.compile(r"(allow|block) if the reason names:(.*)")


class Rule(NamedTuple):
    """One line of a policy: the verdict, and the words of which any one is enough."""

    decision: str
    words: tuple[str, ...]


class Verdict(NamedTuple):
    """What a judge replies: `allow` or `block`, and why."""

    decision: str
    rationale: str


def read_rules(policy: str) -> tuple[Rule, ...]:
    """Return the rules of a policy text, block lines first. Raises `ConfigError` unless it has both kinds.

    >>> read_rules("block if the reason names: a wish\\nallow if the reason names: damaged")[0]
    Rule(decision='block', words=('a wish',))
    """
    rules = [
        Rule(found[1], tuple(word.strip().casefold() for word in found[2].split(",") if word.strip()))
        for line in policy.splitlines()
        if (found := _RULE.fullmatch(line.strip()))
    ]
    if {rule.decision for rule in rules} != {"allow", "block"} or not all(rule.words for rule in rules):
        raise ConfigError(
            "the stand-in judge finds no rules in the policy. Next: write at least one line each that begins "
            '"allow if the reason names:" and "block if the reason names:", with words after it.'
        )
    return tuple(sorted(rules, key=lambda rule: rule.decision != "block"))


def decide(rules: tuple[Rule, ...], call: object) -> Verdict:
    """Return the verdict on one call, `{"tool", "arguments"}`. What is no readable refund is blocked.

    >>> rules = read_rules("block if the reason names: a wish\\nallow if the reason names: damaged")
    >>> decide(rules, {"tool": "refund_order", "arguments": {"reason": "arrived damaged"}}).decision
    'allow'
    """
    arguments = call.get("arguments") if isinstance(call, dict) and call.get("tool") == "refund_order" else None
    reason = arguments.get("reason") if isinstance(arguments, dict) else None
    if not isinstance(reason, str):
        return Verdict("block", "this policy is about the reason of a refund_order call, and there is none")
    text = reason.casefold()
    for rule in rules:
        for word in rule.words:
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                return Verdict(rule.decision, f"the reason names {word!r}; the policy says {rule.decision}")
    return Verdict("block", "the reason names no cause that the policy allows")


def answer(rules: tuple[Rule, ...], request: bytes) -> bytes | None:
    """Return the chat completion for a request body, or None when the body is no chat request with a user message.

    The call is read out of the last user message and nowhere else, as strictly as the gate reads a payload.
    """
    body = read(request)
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list):
        return None
    texts = [item.get("content") for item in messages if isinstance(item, dict) and item.get("role") == "user"]
    if not texts or not isinstance(texts[-1], str):
        return None
    call = read(texts[-1])
    verdict = decide(rules, None if isinstance(call, Finding) else call)
    return completion(json.dumps({"decision": verdict.decision, "rationale": clip(verdict.rationale)}))


def completion(content: Any, *, finish_reason: str = "stop", choices: int = 1, model: str = NAME) -> bytes:
    """Return a chat completion in the OpenAI shape whose every choice holds `content`.

    >>> completion("hello")[:42]
    b'{"id": "stand-in", "object": "chat.complet'
    """
    message = {"role": "assistant", "content": content}
    listed = [{"index": n, "message": message, "finish_reason": finish_reason} for n in range(choices)]
    reply = {"id": "stand-in", "object": "chat.completion", "created": 0, "model": model, "choices": listed}
    return json.dumps(reply).encode()
