"""The front door under fire: bytes mutated from a corpus, never an exception, and one answer from both readers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import payload
from gate.errors import CODES, MAX_MESSAGE, Finding
from gate.files import HOME
from gate.payload import read
from tests.hard.budget import times

_RAW = [path.read_bytes() for path in sorted((Path(__file__).parent / "json").iterdir())]
_SENT = [line for path in sorted(HOME.glob("fixtures/**/*.jsonl")) for line in path.read_bytes().splitlines()]
CORPUS = [raw for raw in [*_RAW, *_SENT] if len(raw) < 1500] + [b"```json\n" + raw + b"\n```" for raw in _SENT[:20]]
TOKENS = [
    b"{", b"}", b"[", b"]", b":", b",", b'"', b"\\", b"\\u", b"\\ud83d", b"\\ude00", b"\\u0000", b"null", b"NaN",
    b"-", b"0", b"1e999", b"1e-999", b".5", b"9" * 310, b" ", b"\n", b"\r\n", b"\x00", b"\x0b", b"\x7f", b"\x80",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"```", b"```json\n", b"\n```", b"//", b"[" * 40,
    b'{"a":' * 40, b"true", b"\xc3",
]  # fmt: skip
MUTATIONS = 10  # of each text that hypothesis draws


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """Return a text after a few cuts, copies, swaps and insertions."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(raw) + 1)
        end = min(len(raw), start + rng.choice((0, 1, 1, 2, 8, 40)))
        other = rng.choice(CORPUS)
        token, copied, borrowed = rng.choice(TOKENS), raw[start:end] * 2, other[: rng.randint(0, 60)]
        piece = rng.choice((b"", copied, token, token, rng.randbytes(1), borrowed))
        raw = raw[:start] + piece + raw[end:]
    return raw


def answers(raw: Any, patch: pytest.MonkeyPatch) -> list[Any]:
    """Return what both readers say."""
    assert payload._fast_json is not None
    fast = read(raw)
    with patch.context() as without:
        without.setattr(payload, "_fast_json", None)
        return [fast, read(raw)]


def check(raw: bytes, patch: pytest.MonkeyPatch) -> str:
    """Hold one text against the promises of the front door; return its code, or "read"."""
    fast, slow = answers(raw, patch)
    assert repr(fast) == repr(slow), raw
    if isinstance(fast, Finding):
        assert fast.code.removeprefix("parse.") in CODES["parse"], raw
        assert all(0 < len(text) <= MAX_MESSAGE and text.isprintable() for text in (fast.message, fast.hint)), raw
        return fast.code
    assert repr(read(json.dumps(fast))) == repr(read(fast)) == repr(fast), raw
    text = raw.decode("utf-8")
    assert repr(read(text)) == repr(fast), raw
    return "read"


def test_mutated_texts_get_one_answer_from_both_readers_and_raise_nothing() -> None:
    seen: dict[str, int] = {}

    @settings(max_examples=times(150))
    @given(st.sampled_from(CORPUS), st.randoms(use_true_random=False))
    def attack(raw: bytes, rng: random.Random) -> None:
        with pytest.MonkeyPatch.context() as patch:
            for _ in range(MUTATIONS):
                code = check(mutated(raw, rng), patch)
                seen[code] = seen.get(code, 0) + 1

    attack()
    reached = {code.removeprefix("parse.") for code in seen}
    assert set(CODES["parse"]) | {"read"} == reached | {"size"}  # no text of the corpus is near the cap
