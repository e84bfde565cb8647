"""The small model as a judge: the kit's own question, its two words in either order, with or without a forced schema.

A constant judge and swapped words come before trust: a verdict that flips with the order of two words was about the
prompt. Not here: the gate that asks a judge (`semantic`), and a judge that keeps a policy (`evidence.judge`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gate.errors import ConfigError, Finding
from gate.files import locate
from gate.live import complete
from gate.payload import read
from gate.semantic import load_policy, question, read_reply

JUDGED = "fixtures/recorded/judge.jsonl"
CALL = {"order_id": "ord_1842", "amount": 19.0, "currency": "USD"}
Words = tuple[str, str]
ALLOW_FIRST, BLOCK_FIRST = ("allow", "block"), ("block", "allow")
#: The kit's own prompt, as recorded: the order of the words, and whether a JSON schema was forced.
VARIANTS: dict[str, tuple[Words, bool]] = {
    "kit": (ALLOW_FIRST, False),
    "kit_schema": (ALLOW_FIRST, True),
    "kit_schema_swapped": (BLOCK_FIRST, True),
}


class Judged(NamedTuple):
    """One recorded verdict: the variant of the prompt, the reason it was asked about, what is right, and the text."""

    variant: str
    reason: str
    want: str
    raw: str
    finish_reason: str


def load_judged(path: str = JUDGED) -> list[Judged]:
    """Return the recorded verdicts. Raises `ConfigError` naming the line that is none.

    >>> load_judged()[0].variant
    'seed_verbatim'
    """
    try:
        lines = locate(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path}: cannot be read. Next: put the file back.") from error
    return [_judged(path, number, read(line)) for number, line in enumerate(lines, start=1)]


def _judged(path: str, number: int, row: dict[str, Any] | Finding) -> Judged:
    if isinstance(row, Finding) or not all(type(row.get(name)) is str for name in ("variant", "reason", "want", "raw")):
        raise ConfigError(f"{path} line {number}: needs variant, reason, want, raw. Next: put the file back.")
    return Judged(row["variant"], row["reason"], row["want"], row["raw"], row.get("finish_reason", "stop"))


def cases() -> dict[str, str]:
    """Return the eight reasons, each with the verdict that the policy gives it.

    >>> list(cases().values()).count("allow")
    4
    """
    return {row.reason: row.want for row in load_judged()}


def ask_for_verdict(reason: str, words: Words = ALLOW_FIRST, *, forced: bool = True) -> dict[str, Any]:
    """Return the request that asks for a verdict on a refund for this reason."""
    request = question("", load_policy(), "refund_order", {**CALL, "reason": reason}, words)
    del request["model"]  # whoever sends it knows the name
    return request | ({"response_format": _schema(words)} if forced else {})


def verdicts(
    environ: Mapping[str, str], words: Words = ALLOW_FIRST, reasons: Iterable[str] | None = None
) -> Iterator[str]:
    """Yield the verdict on each of the eight reasons: `allow` for a well-formed one, `block` for all else.

    Raises `GateError` when the judge cannot be asked at all.
    """
    for reason in cases() if reasons is None else reasons:
        reply = complete(ask_for_verdict(reason, words), environ)
        yield "block" if read_reply(json.dumps(reply)) else "allow"


def _schema(words: Words) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": 160}
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["decision", "rationale"],
        "properties": {"decision": {"enum": list(words)}, "rationale": text},
    }
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
