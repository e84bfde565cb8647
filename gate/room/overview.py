"""What the class looks like: who is where, who is stuck longest, and on which rows of the table pairs disagree.

Not here: where a pair stands (`standing`), how it is shown (`terminal`, `page`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gate.lab.plan import Lab
from gate.room.standing import Standing, boards_of, sheet_of

STUCK_MINUTES = 5
EMPTY = "Nobody has begun. Next: see that this is where each pair's work/ lies, or what gate progress printed."


class PairAt(NamedTuple):
    """One line of the class: `place` of so many sections, boards in words, filled rows, `idle` minutes since a change.

    `boards` is a mark for each board: the green rows of all (`6/6`), or "" when it was never run. `rows` is a mark for
    each row of the decision table: its number when it is filled in, otherwise a dot (`12·4··`).
    """

    pair: str
    place: int
    section: str
    boards: tuple[str, ...]
    green: int
    filled: int
    rows: str
    idle: int | None
    stuck: bool
    notes: tuple[str, ...]


class RowAt(NamedTuple):
    """One row of the decision table: how many pairs chose what, how many have not, whether those who did agree."""

    row: str
    title: str
    chosen: Mapping[str, int]
    open: int
    answer: str

    @property
    def disputed(self) -> bool:
        """Whether two pairs chose differently."""
        return len(self.chosen) > 1

    @property
    def astray(self) -> bool:
        """Whether a pair chose otherwise than the reference, be it all of them."""
        return any(choice != self.answer for choice in self.chosen)

    @property
    def agreement(self) -> float:
        """The share of the most chosen among those who chose, 1.0 when nobody has."""
        return max(self.chosen.values(), default=1) / (sum(self.chosen.values()) or 1)


class Overview(NamedTuple):
    """The class in one lab at one moment: pairs, where to walk first, and the rows of the table."""

    lab: Lab
    boards: tuple[str, ...]
    pairs: tuple[PairAt, ...]
    rows: tuple[RowAt, ...]

    @property
    def empty(self) -> str:
        """What to do where no pair is seen, "" where one is."""
        return "" if self.pairs else EMPTY

    @property
    def disputed(self) -> tuple[RowAt, ...]:
        """The rows on which pairs disagree, the most disputed first."""
        return tuple(sorted((row for row in self.rows if row.disputed), key=lambda row: (row.agreement, row.row)))

    @property
    def to_discuss(self) -> tuple[RowAt, ...]:
        """The rows that a debrief begins with: first where all who chose went astray alike, then the disputed ones."""
        return (*(row for row in self.rows if row.astray and not row.disputed), *self.disputed)


def overview(lab: Lab, found: Iterable[Standing], now: int) -> Overview:
    """Return what the class looks like at a second `now`. A pair is stuck when nothing changed for five minutes.

    Who is stuck longest stands first, who has every board green last.

    >>> from gate.lab.plan import load_plan
    >>> one = Standing("7KQ2", "memory", "02_freeze_the_contract", 0, {}, {"row-1": "allow"})
    >>> two = one._replace(pair="9ZZ3", choices={"row-1": "block"})
    >>> [row.row for row in overview(load_plan()["memory"], [one, two], 600).disputed]
    ['row-1']
    """
    standings = list(found)
    boards = len(boards_of(lab.id))
    pairs = sorted(
        (_pair(lab, one, now) for one in standings),
        key=lambda one: (not one.stuck, one.green == boards, -(one.idle or 0), one.pair),
    )
    return Overview(lab, tuple(boards_of(lab.id)), tuple(pairs), _rows(lab, standings))


def _pair(lab: Lab, one: Standing, now: int) -> PairAt:
    sections = [section.id for section in lab.sections]
    boards = boards_of(lab.id)
    marks = tuple(
        "" if (green := one.green.get(name)) is None else f"{green}/{rows}" for name, (_, rows) in boards.items()
    )
    green = sum(one.green.get(name) == rows for name, (_, rows) in boards.items())
    idle = max(0, now - one.changed) // 60 if one.section else None
    stuck = idle is not None and idle >= STUCK_MINUTES and green < len(boards)
    place = sections.index(one.section) + 1 if one.section else 0
    filled = sum(bool(choice) for choice in one.choices.values())
    rows = "".join(str(number)[-1] if choice else "·" for number, choice in enumerate(one.choices.values(), start=1))
    return PairAt(one.pair, place, one.section, marks, green, filled, rows, idle, stuck, one.notes)


def _rows(lab: Lab, found: list[Standing]) -> tuple[RowAt, ...]:
    sheet = sheet_of(lab.id)
    rows = []
    for row in sheet.rows if sheet else ():
        chosen = Counter(choice for one in found if (choice := one.choices.get(row.id, "")))
        rows.append(RowAt(row.id, row.title, dict(sorted(chosen.items())), len(found) - chosen.total(), row.answer))
    return tuple(rows)
