"""What a model is told, tried: a wrapped result, a message, a cut text. Each function says in a `Got` what came of it.

    wrap       one call and a tool that misbehaves: is there one well-formed result, with the call's own id?
    say        a message: does it say what it must, nothing that it must not, within its length?
    cap        a long text: head, tail, and between them a note with the true count of what is missing?

Not here: the words of a good message; a board asks for facts in it (`says`), never for a wording.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from gate.engine.faults import same
from gate.errors import Finding, clip
from gate.lab.attacks import HELD, Got, wrote
from gate.payload import read

ANSWER = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}
NOTE = re.compile(r"\n\[gate: (\d+) of (\d+) characters left out\]\n")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
_FIELDS = {"type", "tool_use_id", "content", "is_error"}
_SECRET = "POST https://api.example/v1?api_key=sk-live-SECRET123 failed"


class Unreadable(Exception):
    """An exception whose own text cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


def _raise(error: BaseException) -> Any:
    raise error


async def _answers_later() -> dict[str, Any]:
    return dict(ANSWER)


#: What a tool may do: the name is the `case` of a rule.
BEHAVIOURS: dict[str, Callable[[], Any]] = {
    "answers": lambda: dict(ANSWER),
    "raises": lambda: _raise(ConnectionError(_SECRET)),
    "raises_without_a_text": lambda: _raise(Unreadable()),
    "exits": lambda: _raise(SystemExit(1)),
    "returns_a_coroutine": _answers_later,
    "returns_a_set": lambda: {4},
    "returns_nan": lambda: {**ANSWER, "quantity": float("nan")},
}


def wrap(student: Any, call: Any, tool: str, case: str) -> tuple[Got, str]:
    """Call `student(call, tools)` with a tool that does what `case` says; without one it must not be run at all.

    Returns `answer` for a result that is the tool's answer as JSON text, `error` for an error result, both under the
    call's id, and the result's content.
    """
    asked: list[Any] = []
    returned: list[Any] = []

    def run(**arguments: Any) -> Any:
        asked.append(arguments)
        returned.append(BEHAVIOURS[case or "answers"]())
        return returned[-1]

    try:
        result = student(call, {tool: run})
    finally:
        for value in returned:
            if hasattr(value, "close"):  # a coroutine that nobody awaited
                value.close()
    shape = _shape(result, call)
    if shape:
        return Got("unclear", shape), ""
    content = result["content"]
    if asked and not case:
        return Got("ran", "the tool ran, and it should never have seen this call"), content
    if result["is_error"]:
        return Got("error", f"an error: {wrote(content, 120)}"), content
    return _answer(content, asked == [call.get("input")]), content


def _answer(content: str, asked: bool) -> Got:
    value = read(content)
    if isinstance(value, Finding):
        return Got("no JSON", f"content is no JSON text: {_ADDRESS.sub('0x…', wrote(content))}")
    if not asked:
        return Got("other call", "the tool was not called once, with the arguments that were judged")
    if not same(value, ANSWER):
        return Got("changed", f"content is not what the tool returned: {wrote(content)}")
    return Got("answer", "the tool's answer as JSON text")


def _shape(result: Any, call: Any) -> str:
    """Return what keeps `result` from being the tool result of `call`, or ""."""
    if not isinstance(result, dict):
        return f"returned {wrote(result)}, no tool result"
    if result.keys() != _FIELDS:
        odd = sorted(map(str, result.keys() ^ _FIELDS))
        return f"a tool result has type, tool_use_id, content, is_error; look at {', '.join(odd)}"
    if result["type"] != "tool_result":
        return f"its type is {wrote(result['type'])}, not tool_result"
    if result["tool_use_id"] != call.get("id"):
        return f"its tool_use_id is {wrote(result['tool_use_id'])}, the call's id is {wrote(call.get('id'))}"
    if type(result["is_error"]) is not bool:
        return f"its is_error is {wrote(result['is_error'])}, neither true nor false"
    if type(result["content"]) is not str or not result["content"]:
        return f"its content is {wrote(result['content'])}: the model needs a text"
    return ""


def say(text: Any, says: Sequence[str], never: Sequence[str], limit: int) -> Got:
    """Return `hold` for a text of at most `limit` characters (0: any) with all of `says` and none of `never` in it.

    Upper and lower case are the same.
    """
    if type(text) is not str:
        return Got("unclear", f"returned {wrote(text)}, no text")
    if limit and len(text) > limit:
        return Got("long", f"{len(text)} characters, the limit is {limit}")
    for piece in never:
        if piece.casefold() in text.casefold():
            return Got("echo", f"it has {wrote(piece)} in it: {wrote(text, 160)}")
    for piece in says:
        if piece.casefold() not in text.casefold():
            return Got("silent", f"it does not say {wrote(piece)}: {wrote(text, 160)}")
    return Got(HELD, wrote(text, 160))


def cap(shown: Any, text: str, limit: int) -> Got:
    """Return `hold` if `shown` is `text` cut to `limit`: head, `NOTE` with the true count, tail, last line whole."""
    if type(shown) is not str:
        return Got("unclear", f"returned {wrote(shown)}, no text")
    if len(shown) > limit:
        return Got("long", f"{len(shown)} characters, the limit is {limit}, the note included")
    if len(text) <= limit:
        return Got(HELD, "unchanged") if shown == text else Got("changed", f"it fits, and became {wrote(shown)}")
    notes = list(NOTE.finditer(shown))
    if len(notes) != 1:
        return Got("no note", f"{len(notes)} notes in it, 1 is right: {wrote(shown, 160)}")
    return _cut(shown[: notes[0].start()], shown[notes[0].end() :], notes[0], text, limit)


def _cut(head: str, tail: str, note: re.Match[str], text: str, limit: int) -> Got:
    from wcwidth import grapheme_boundary_before

    if not text.startswith(head) or not text.endswith(tail):
        return Got("changed", "what stands before and after the note is not the text's own beginning and end")
    start, room = len(text) - len(tail), limit - len(note[0])
    if len(head) < room // 5 or len(tail) < room // 5:
        return Got("one-sided", f"{len(head)} characters of the head, {len(tail)} of the tail: keep both")
    counts = f"{start - len(head)} of {len(text)}"
    if f"{note[1]} of {note[2]}" != counts:
        return Got("miscounted", f"{counts} characters are missing; the note says {note[1]} of {note[2]}")
    if len(head) + len(tail) < room * 3 // 4:
        return Got("short", f"only {len(head) + len(tail)} characters of the text, and there is room for {room}")
    for place in (len(head), start):
        if grapheme_boundary_before(text, place + 1) != place:
            return Got("halved", f"a character is cut in two: {wrote(text[max(0, place - 2) : place + 2])}")
    last = text[text.rfind("\n") + 1 :]
    if len(last) <= room // 2 and len(tail) < len(last):
        return Got("no last line", f"of the last line only this is left: {wrote(tail)}")
    return Got(HELD, clip(f"{len(head)} characters, the note, {len(tail)} characters"))
