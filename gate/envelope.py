"""The envelope: what a tool gave back, as the one message the model gets for one call.

Not here: whether the result may enter memory (`memory`), and what ran (`harness`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gate.engine.formats import is_line
from gate.errors import ConfigError, Finding, clip, finding, quote, type_name
from gate.payload import read
from gate.wrapping.blocks import Block, is_blocks, judge_blocks, with_words, words
from gate.wrapping.cut import Cut, cut
from gate.wrapping.redact import redact, scrub

MAX_CHARS = 2000
_NAMED_PROBLEMS = 8
_SEARCHED = 2_000_000  # characters of an error's text: half a second of search, in which nothing else can run


class ToolResult(dict[str, Any]):
    """A plain dict of `type`, `tool_use_id`, `content`, `is_error`, as the wire wants it, which also remembers its cut.

    `total` is how many characters its texts had, `dropped` how many of them were left out. They are apart from the
    text, so that no tool can forge them.
    """

    total: int = 0
    dropped: int = 0


def tool_result(tool_use_id: str, content: Any, is_error: bool = False, limit: int = MAX_CHARS) -> ToolResult:
    """Return the result of one call for the model; its texts are at most `limit` characters, the note included.

    `content` is text, content blocks, an exception, or any JSON value, which becomes JSON text. Head and tail are kept
    (`cut`), terminal sequences and invisible characters are taken out (`scrub`), and from errors what looks like a
    secret (`redact`). What is no JSON becomes an error result, never a `repr`.

    >>> tool_result("call-1", {"quantity": 4})
    {'type': 'tool_result', 'tool_use_id': 'call-1', 'content': '{"quantity": 4}', 'is_error': False}

    Raises `ConfigError` when `tool_use_id` is not one printable line or `limit` is no positive integer.
    Does not catch: an untrue result, or instructions in plain words.
    """
    if type(tool_use_id) is not str or not is_line(tool_use_id):
        raise ConfigError(f"a tool result needs its call's id, got {quote(tool_use_id)}. Next: hand in call['id'].")
    if type(limit) is not int or limit < 1:
        raise ConfigError(f"the limit of a tool result is {limit!r:.40}. Next: give a positive number of characters.")
    raised = issubclass(type(content), BaseException)  # not isinstance, which asks the content for its class
    failed = is_error is not False or raised
    if is_blocks(content):
        blocks = judge_blocks(content)
        if isinstance(blocks, list):
            return _of_blocks(tool_use_id, blocks, failed, limit)
        content, failed = problems("The tool returned content that cannot be passed on.", blocks), True
    text = exception_text(content) if raised else as_text(content)
    if isinstance(text, Finding):
        text, failed = problems("The tool returned something that cannot be passed on.", (text,)), True
    piece = cut(clean(text, failed), limit)
    return _made(tool_use_id, piece.text, failed, [piece])


def clean(text: str, failed: bool) -> str:
    """Return `text` as it may be shown: scrubbed and, where it tells of a failure, redacted, or not shown at all."""
    if failed and len(text) > _SEARCHED:
        return f"a text of {len(text)} characters: too long to be searched for secrets, so nothing of it is shown."
    return redact(scrub(text)) if failed else scrub(text)


def as_text(value: Any) -> str | Finding:
    """Return text as it is and any other JSON value as JSON text, or the finding for what is no JSON. Never raises.

    >>> as_text({"x": None}), as_text({4}).code
    ('{"x": null}', 'result.not_json')
    """
    plain = plain_json(value)
    return plain if isinstance(plain, (str, Finding)) else json.dumps(plain, ensure_ascii=False)


def plain_json(value: Any) -> Any | Finding:
    """Return a copy of `value` in exact JSON types, or the finding that says why there is none. Never raises.

    >>> plain_json([1, "a"]), plain_json(object()).code, plain_json(float("nan")).code
    ([1, 'a'], 'result.not_json', 'parse.non_finite')
    """
    if type(value) is str:
        return value
    copied = read({"value": value})
    if not isinstance(copied, Finding):
        return copied["value"]
    if copied.code != "parse.not_json":
        return copied
    message = f"the tool returned {quote(value)}, which is not JSON." if _is_foreign(value) else copied.message
    return finding("result.not_json", "", message, "return text, numbers, lists and objects with text keys.")


def _is_foreign(value: Any) -> bool:
    return type(value) is not dict and type(value) is not list  # no ==, which a type of types may define


def exception_text(error: BaseException) -> str:
    """Return the class and the text of an exception, whatever its own code does. Not yet cleaned.

    >>> exception_text(ValueError("boom"))
    'ValueError: boom'
    """
    name = clip(type_name(type(error)), 60)
    try:
        text = str.__str__(str(error))
    except KeyboardInterrupt:  # a person
        raise
    except BaseException as broken:  # noqa: BLE001 - its own text raises: say so, that is all there is
        return f"{name} (its text cannot be read: {clip(type_name(type(broken)), 60)})"
    return f"{name}: {text}" if text else name


def problems(headline: str, findings: Iterable[Finding]) -> str:
    """Return one message with all problems of a call, the first ones in words.

    >>> print(problems("refund_order was not run.", [Finding("schema.type", "/amount", "amount must be a number.")]))
    refund_order was not run.
    - /amount (schema.type) amount must be a number.
    """
    listed = list(findings)
    lines = [headline]
    for found in listed[:_NAMED_PROBLEMS]:
        hint = f" Next: {found.hint}" if found.hint else ""
        lines.append(f"- {found.path + ' ' if found.path else ''}({found.code}) {found.message}{hint}")
    if len(listed) > _NAMED_PROBLEMS:
        lines.append(f"- and {len(listed) - _NAMED_PROBLEMS} more problems of this kind.")
    return "\n".join(lines)


def _of_blocks(tool_use_id: str, blocks: list[Block], failed: bool, limit: int) -> ToolResult:
    """Return a result of content blocks whose texts share the limit evenly where they are too long together."""
    texts = [clean(text, failed) for text in map(words, blocks) if text is not None]
    share = limit if sum(map(len, texts)) <= limit else limit // len(texts)
    pieces = [cut(text, share) for text in texts]
    written = iter(pieces)
    content = [block if words(block) is None else with_words(block, next(written).text) for block in blocks]
    return _made(tool_use_id, [block for block in content if words(block) != ""], failed, pieces)


def _made(tool_use_id: str, content: Any, failed: bool, pieces: list[Cut]) -> ToolResult:
    result = ToolResult(type="tool_result", tool_use_id=tool_use_id, content=content, is_error=failed)
    result.total = sum(piece.total for piece in pieces)
    result.dropped = sum(piece.dropped for piece in pieces)
    return result
