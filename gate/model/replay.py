"""The recorded model: a double with the wire format of a real one, which answers with what the real one once said.

It knows the prompts that were recorded and nothing else. The `seed` of a request chooses the row that was recorded
with it; without one, or with one that was not recorded, the number of replies already given does. So the same request
gets the same answer, and a planner that tries again gets the next one.

Not here: how answers and faults travel (`evidence.double`). Not caught: what the model would have said to a refusal;
each row was its answer to the prompt alone.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from gate.errors import Finding
from gate.evidence.double import Double, Part, Tell, running
from gate.evidence.judge import completion
from gate.evidence.recorded import load_recorded
from gate.model.judging import VARIANTS, ask_for_verdict, load_judged
from gate.model.prompts import judge_prompts, load_prompts
from gate.payload import read

NAME = "recorded-smollm2"
SAYS = "a replay of what SmolLM2-135M-Instruct once said, and no model"
NOTHING = "nothing was recorded for this request: it must begin with a prompt of fixtures/recorded/prompts.json"


class Said(NamedTuple):
    """One recorded answer."""

    seed: int | None
    raw: str
    finish_reason: str


Tape = dict[str, list[Said]]


def load_tape() -> Tape:
    """Return every recorded answer, by the request it was an answer to.

    >>> len(load_tape()[_key(load_prompts()["refund.oneshot"].request(1))])
    40
    """
    tape: Tape = {}
    prompts = load_prompts()
    for row in load_recorded():
        seed = int(row.id[-3:])
        tape.setdefault(_key(prompts[row.kind].request(seed)), []).append(Said(seed, row.raw, row.finish_reason))
    systems = judge_prompts()
    for verdict in load_judged():
        if verdict.variant in VARIANTS:
            words, forced = VARIANTS[verdict.variant]
            request = ask_for_verdict(verdict.reason, words, forced=forced)
            request["messages"][0]["content"] = systems[verdict.variant]  # as it was, whatever the policy says today
            tape.setdefault(_key(request), []).append(Said(None, verdict.raw, verdict.finish_reason))
    return tape


def answer(tape: Tape, request: bytes) -> bytes | None:
    """Return the chat completion for a request's body, or None where nothing was recorded for it."""
    body = read(request)
    if isinstance(body, Finding) or not isinstance(body.get("messages"), list):
        return None
    messages = body["messages"]
    for length in range(len(messages), 0, -1):
        rows = tape.get(_key({**body, "messages": messages[:length]}))
        if rows:
            tries = sum(1 for item in messages[length:] if isinstance(item, dict) and item.get("role") == "assistant")
            chosen = next((row for row in rows if row.seed == body.get("seed")), rows[tries % len(rows)])
            return completion(chosen.raw, finish_reason=chosen.finish_reason, model=NAME)
    return None


def running_replay(*, port: int = 0, tell: Tell | None = None) -> AbstractContextManager[Double]:
    """Run the replay while the block runs, on a free port unless one is given. `tell` gets one line a request.

    >>> from gate.live import complete
    >>> with running_replay() as double:
    ...     complete(load_prompts()["refund.oneshot"].request(2), double.environ())["choices"][0]["finish_reason"]
    'stop'
    """
    tape = load_tape()
    return running(Part(NAME, SAYS, lambda body: answer(tape, body), NOTHING), port=port, tell=tell)


def _key(request: dict[str, Any]) -> str:
    return json.dumps([request["messages"], request.get("response_format")], sort_keys=True)
