"""The class as one page for the projector or the instructor's second screen, and the page for the debrief.

No pair is ranked by speed: the one that is stuck longest stands first, because somebody should walk over.

Not here: the frame of a page (`webpage`), how often it is written (the command `gate class`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gate.errors import counted
from gate.room.minutes import SectionTook
from gate.room.overview import Overview, PairAt, RowAt
from gate.webpage import Html, page, table, tag


def class_page(seen: Overview, at: str, refresh: int) -> str:
    """Return the page of a class that is at work; the browser reads it again every `refresh` seconds."""
    return page(f"{seen.lab.title}: the class", _class_parts(seen, at), refresh=refresh)


def debrief_page(seen: Overview, took: Sequence[SectionTook], patch: str) -> str:
    """Return the page to talk about afterwards: the rows that were argued, and the minutes it took."""
    return page(f"{seen.lab.title}: debrief", _debrief_parts(seen, took, patch))


def _class_parts(seen: Overview, at: str) -> Iterator[Html]:
    stuck = [pair for pair in seen.pairs if pair.stuck]
    there = f"{counted(len(seen.pairs), 'pair')}, {len(stuck)} stuck, at {at}. Who is stuck longest stands first."
    yield tag("p", seen.empty or there, class_="quiet")
    heads = ("pair", "where", "nothing new for", *(name.split(".")[1] for name in seen.boards), "rows decided")
    yield table("Pairs", heads, (_pair(seen, pair) for pair in seen.pairs), "scores")
    if seen.rows:
        yield tag("h2", "Where pairs disagree")
        yield from _rows(seen.disputed, "Nobody disagrees with anybody so far.", answers=False)
    notes = [(pair.pair, note) for pair in seen.pairs for note in pair.notes]
    if notes:
        yield tag("h2", "Files that could not be read")
        yield table("Files that could not be read", ("pair", "what"), notes)


def _pair(seen: Overview, pair: PairAt) -> list[str | Html]:
    place = (
        f"{pair.place} of {len(seen.lab.sections)} {pair.section[3:].replace('_', ' ')}" if pair.place else "not begun"
    )
    idle = "" if pair.idle is None else f"{pair.idle} min" + (", stuck" if pair.stuck else "")
    boards = [_mark(mark) for mark in pair.boards]
    return [pair.pair, place, tag("span", idle, class_="fail") if pair.stuck else idle, *boards, pair.rows]


def _mark(mark: str) -> str | Html:
    if not mark:
        return ""
    green, rows = mark.split("/")
    return tag("span", f"✓ {mark}" if green == rows else f"✗ {mark}", class_="pass" if green == rows else "fail")


def _rows(rows: Sequence[RowAt], otherwise: str, *, answers: bool = True) -> Iterator[Html]:
    """Yield the rows as bars; a page that the class may see while it decides does not mark the answers."""
    if not rows:
        yield tag("p", otherwise)
        return
    shown = [
        (f"{row.row} {row.title}", _bar(row, answers), f"{row.agreement:.0%}" if row.chosen else "", str(row.open))
        for row in rows
    ]
    yield table("Rows of the decision table", ("row", "who chose what", "agree", "open"), shown)


def _bar(row: RowAt, answers: bool) -> Html:
    parts = [
        tag(
            "span",
            f"{choice} {count}",
            style=f"flex: {count}",
            class_="answer" if answers and choice == row.answer else "other",
        )
        for choice, count in row.chosen.items()
    ]
    return tag("div", *parts, class_="bar")


def _debrief_parts(seen: Overview, took: Sequence[SectionTook], patch: str) -> Iterator[Html]:
    if seen.rows:
        yield tag("h2", "The rows to discuss")
        yield from _rows(seen.to_discuss, "Every pair that chose, chose as the reference does. Ask why.")
        yield tag("h2", "Agreement on every row")
        yield tag("p", "Shaded: what the reference says.", class_="quiet")
        yield from _rows(seen.rows, "")
    yield tag("h2", "Planned and actual minutes")
    minutes = [
        (one.title, str(one.planned), "" if one.took is None else f"{one.took:.0f}", str(one.pairs), str(one.proposed))
        for one in took
    ]
    yield table("Minutes", ("section", "planned", "took", "pairs", "next time"), minutes)
    if patch:
        yield tag(
            "p", "The last column as a patch: git apply labs.patch. Nothing applies it by itself.", class_="quiet"
        )
        yield tag("pre", tag("code", patch))
