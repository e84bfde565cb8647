"""Cutting a long text to a cap: the head, the tail, and between them a note with the count of what was left out.

Not here: what is taken out of a text before it is cut (`redact`). Cut only scrubbed text: this knows characters as a
reader sees them, not terminal sequences.
"""

from __future__ import annotations

from typing import NamedTuple

from gate.wrapping.redact import MARK


class Cut(NamedTuple):
    """A text within its cap. `total` is how many characters there were, `dropped` how many were left out (0: none)."""

    text: str
    total: int
    dropped: int


def cut(text: str, limit: int) -> Cut:
    """Return at most `limit` characters of `text`, the note included: two thirds head, one third tail.

    A character as a reader sees it (an emoji family, a letter with its accents) is kept whole or left out whole. The
    last line, where a stack trace names its error, is kept whole wherever it fits.

    >>> cut("a" * 500 + "z" * 500, 160).text[50:-20]
    'aaaaaaaaaaaa\\n[gate: 908 of 1000 characters left out; ask for a narrower range]\\nzzzzzzzzzz'
    """
    text = text.rstrip() if len(text) > limit else text
    total = len(text)
    if total <= limit:
        return Cut(text, total, 0)
    note = _note(total, limit)
    room = limit - len(note.format(total))
    last_line = total - (text.rfind("\n") + 1)
    tail = max(room // 3, last_line if last_line <= room else 0)
    head_end, tail_start = _boundary(text, room - tail), _boundary_after(text, total - tail)
    dropped = tail_start - head_end
    return Cut(text[:head_end] + note.format(dropped) + text[tail_start:], total, dropped)


def _note(total: int, limit: int) -> str:
    """Return the note with a place for the count, or a shorter one where it would take more than half the cap."""
    counted = f"{MARK} {{}} of {total} characters left out"
    notes = (f"\n{counted}; ask for a narrower range]\n", f"\n{counted}]\n")
    return next((note for note in notes if len(note.format(total)) <= limit // 2), "…"[:limit])


def _boundary(text: str, position: int) -> int:
    """Return the last place at or before `position` where no character is cut in two."""
    if not 0 < position < len(text):
        return max(0, min(position, len(text)))
    from wcwidth import grapheme_boundary_before  # takes some 40 ms, and most texts are short enough

    return int(grapheme_boundary_before(text, position + 1))


def _boundary_after(text: str, position: int) -> int:
    """Return the first place at or after `position` where no character is cut in two."""
    start = _boundary(text, position)
    if start == position:
        return start
    from wcwidth import iter_graphemes

    return start + len(next(iter_graphemes(text[start:])))
