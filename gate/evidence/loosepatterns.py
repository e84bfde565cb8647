"""Patterns made loose, as they are when somebody forgets one piece: an anchor, the last newline, a count.

Not here: whether a text that tells the two apart exists (`killing`). Not made loose: character classes, alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gate.engine.patterns import to_python

_PIECE = re.compile(r"\\(?:x..|u....|.)|\[\^?(?:\\.|[^\]\\])*\]|(?P<count>\+|\{[0-9]+(?:,[0-9]*)?\})|.", re.DOTALL)


def loose_patterns(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield each looser pattern after what was loosened, in words.

    >>> for told, loose in loose_patterns("^a{2,3}$"):
    ...     print(loose, told)
    a{2,3}$ not tied to the start
    ^a{2,3} not tied to the end
    ^a{2,3}\\n?$ takes a last newline
    ^a{1,3}$ {1,3} for {2,3}
    ^a{2,4}$ {2,4} for {2,3}
    """
    for told, loose in _loose(pattern):
        if _reads(loose):
            yield told, loose


def _loose(pattern: str) -> Iterator[tuple[str, str]]:
    if pattern.startswith("^"):
        yield "not tied to the start", pattern[1:]
    if pattern.endswith("$") and not pattern.endswith("\\$"):
        yield "not tied to the end", pattern[:-1]
        yield "takes a last newline", pattern[:-1] + "\\n?$"
    for piece in _PIECE.finditer(pattern):
        count = piece["count"]
        for other in _stepped(count) if count else ():
            yield f"{other} for {count}", pattern[: piece.start()] + other + pattern[piece.end() :]


def _stepped(count: str) -> Iterator[str]:
    """Yield a count that begins one lower, and one that ends one higher."""
    if count == "+":
        yield "*"
        return
    low, _, high = count[1:-1].partition(",")
    last = f",{high}" if "," in count else f",{low}"
    if int(low):
        yield f"{{{int(low) - 1}{last}}}"
    if high or "," not in count:
        yield f"{{{low},{int(high or low) + 1}}}"


def _reads(pattern: str) -> bool:
    try:
        to_python(pattern)
    except ValueError:
        return False
    return True
