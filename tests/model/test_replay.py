"""The recorded model: word for word what was once said, over a real connection, with every fault of a double."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.errors import GateError
from gate.evidence.recorded import load_recorded
from gate.live import complete
from gate.model.judging import (
    ALLOW_FIRST,
    BLOCK_FIRST,
    CALL,
    VARIANTS,
    ask_for_verdict,
    cases,
    load_judged,
    verdicts,
)  # fmt: skip
from gate.model.prompts import judge_prompts, load_prompts
from gate.model.replay import NAME, NOTHING, answer, load_tape, running_replay
from gate.semantic import SemanticGate

TAPE = load_tape()
PROMPTS = load_prompts()


def told(request: dict[str, Any]) -> tuple[str, str]:
    reply = answer(TAPE, json.dumps(request).encode())
    assert reply is not None
    [choice] = json.loads(reply)["choices"]
    return choice["message"]["content"], choice["finish_reason"]


def test_every_recorded_output_comes_back_word_for_word_for_its_prompt_and_seed() -> None:
    rows = load_recorded()
    assert len(rows) == 476
    for row in rows:
        assert told(PROMPTS[row.kind].request(int(row.id[-3:]))) == (row.raw, row.finish_reason), row.id


def test_the_same_request_gets_the_same_answer() -> None:
    request = PROMPTS["refund.oneshot"].request(4)
    assert len({told(request) for _ in range(3)}) == 1


def test_a_planner_that_tries_again_gets_the_next_answer() -> None:
    rows = [row for row in load_recorded() if row.kind == "refund.oneshot"]
    request = PROMPTS["refund.oneshot"].request(99_999)
    for row in rows[:3]:
        raw, _ = told(request)
        assert raw == row.raw
        request["messages"] += [{"role": "assistant", "content": raw}, {"role": "user", "content": "refused"}]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"messages": "x"}',
        b'{"messages": []}',
        b'{"messages": [1]}',
        b'{"messages":[],"messages":[]}',
        b'{"messages": [{"role": "user", "content": "hello"}]}',
    ],
)
def test_nothing_is_made_up_for_a_request_that_was_not_recorded(body: bytes) -> None:
    assert answer(TAPE, body) is None


def test_another_response_format_is_another_request() -> None:
    request = PROMPTS["refund.oneshot"].request(1) | {"response_format": {"type": "text"}}
    assert answer(TAPE, json.dumps(request).encode()) is None


def test_answers_over_a_real_connection_and_fails_in_every_way_of_a_double() -> None:
    request = PROMPTS["inventory.oneshot"].request(1)
    with running_replay() as double:
        reply = complete(request, double.environ())
        assert (reply["model"], reply["choices"][0]["message"]["content"]) == (NAME, told(request)[0])
        with pytest.raises(GateError, match="it answered 500"):
            complete(request, double.environ("server-error"))
        with pytest.raises(GateError, match="did not finish its reply within the time"):
            complete(request, double.environ("drip"), seconds=0.1)
        with pytest.raises(GateError, match="it answered 400: it refuses the request"):
            complete({"messages": [{"role": "user", "content": "hello"}]}, double.environ())


def test_says_what_it_does_not_know() -> None:
    assert "nothing was recorded for this request" in NOTHING


# --- As a judge ------------------------------------------------------------------------------------------------------


def test_the_recorded_judge_allows_all_or_blocks_all_by_the_order_of_two_words() -> None:
    with running_replay() as double:
        assert list(verdicts(double.environ(), ALLOW_FIRST)) == ["allow"] * 8
        assert list(verdicts(double.environ(), BLOCK_FIRST)) == ["block"] * 8
        assert set(verdicts(double.environ("cut-off"), ALLOW_FIRST)) == {"block"}


def test_a_constant_judge_is_right_on_half_of_the_cases() -> None:
    assert sorted(cases().values()) == ["allow"] * 4 + ["block"] * 4


def test_the_semantic_gate_blocks_on_the_noise_of_the_recorded_judge() -> None:
    with running_replay() as double:
        gate = SemanticGate(environ=double.environ())
        for reason in cases():
            assert [item.code for item in gate.judge("refund_order", {**CALL, "reason": reason})] == [
                "semantic.malformed"
            ]


def test_the_judge_was_recorded_with_today_s_question_and_policy() -> None:
    for variant, (words, forced) in VARIANTS.items():
        system = ask_for_verdict("x", words, forced=forced)["messages"][0]["content"]
        assert system == judge_prompts()[variant], "the policy or the question changed. Next: record the judge anew"
    assert {row.variant for row in load_judged()} >= set(VARIANTS)


def test_the_swapped_question_differs_in_the_order_of_two_words_alone() -> None:
    one, other = (ask_for_verdict("x", words)["messages"][0]["content"] for words in (ALLOW_FIRST, BLOCK_FIRST))
    assert one.replace('"allow" or "block"', '"block" or "allow"') == other != one
