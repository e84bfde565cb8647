"""Texts with exactly one fault of the front door: each `parse.*` reason, made from a payload that is fine.

Not here: faults inside a well-formed object (`nearmiss`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from gate.strictjson import MAX_DEPTH

_Make = Callable[[str, str, random.Random], list[str | bytes]]


def faulty_texts(reason: str, value: dict[str, Any], max_bytes: int, rng: random.Random) -> list[str | bytes]:
    """Return texts of a payload that must be refused with `parse.<reason>`.

    >>> faulty_texts("non_finite", {"n": 4}, 1000, random.Random(0))[0]
    '{"n": NaN}'
    """
    value = value or {"n": 0}  # {} has no text to spoil; the front door comes first, so any object does
    text = json.dumps(value)
    if reason == "size":
        return [text + " " * max_bytes]
    name = rng.choice(sorted(value))
    return _TEXTS[reason](text, name, rng) if reason != "non_finite" else _non_finite(value, name)


def _non_finite(value: dict[str, Any], name: str) -> list[str | bytes]:
    texts = [json.dumps(value | {name: number}) for number in (float("nan"), float("inf"), float("-inf"))]
    return [*texts, texts[0].replace(": NaN", ": 1e999", 1), texts[0].replace(": NaN", f": {'9' * 400}", 1)]


def _encoding(text: str, *_: Any) -> list[str | bytes]:
    at = text.index('"') + 1
    half = text[:at] + "\\ud83d" + text[at:]
    return ["\ufeff" + text, text[:at].encode() + b"\xff" + text[at:].encode(), half, text.encode("utf-16")]


def _not_json(text: str, *_: Any) -> list[str | bytes]:
    bare, printed = text[:-1], str(json.loads(text))  # as Python prints it: single quotes, True, None
    return [bare, bare + ",}", printed, text.replace(":", "", 1), "// note\n" + text, "Sure! " + text]


def _trailing(text: str, _: str, rng: random.Random) -> list[str | bytes]:
    return [text + rng.choice(("\n", " ", "")) + more for more in ("}", "ok", text, ",", "// note")]


def _fence(text: str, *_: Any) -> list[str | bytes]:
    block = f"```json\n{text}\n```"
    others = [f"{mark}\n{text}\n```" for mark in ("```", "```JSON", "```json5", "~~~json")]
    return [*others, block[:-4], f"{block}\n{block}", f"{block}\nDone."]


def _duplicate(text: str, name: str, rng: random.Random) -> list[str | bytes]:
    first = f"{json.dumps(name)}: {rng.choice(('null', '1', json.dumps(name)))}"
    return [f"{{{first}, {text[1:]}"]


def _depth(text: str, *_: Any) -> list[str | bytes]:
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    return ['{"a": ' + deep + ", " + text[1:]]


def _not_object(text: str, *_: Any) -> list[str | bytes]:
    return [f"[{text}]", json.dumps(text), "null", "7", "true", '"noop"', "[]"]


_TEXTS: dict[str, _Make] = {
    "empty": lambda *_: ["", " ", "\n\t"],
    "encoding": _encoding,
    "not_json": _not_json,
    "trailing": _trailing,
    "fence": _fence,
    "duplicate_key": _duplicate,
    "depth": _depth,
    "not_object": _not_object,
}
