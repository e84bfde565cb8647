"""Two tables side by side: a pair against another pair, and a table against what the tests say.

Not here: who is right between two pairs. The tests decide that, and the schema says it in version control.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from gate.decision import Decision
from gate.lab.sheet import Sheet

IF_FROZEN = "if the table is frozen, unfreeze it with a reason first"

Decided = Mapping[str, Mapping[str, str]]


class Comparison(NamedTuple):
    """What a comparison found: the `rows` that differ, one line in words for each, and what to do about it.

    `talk` holds a line for each row where both refuse, only in another way: that is no difference. `agreed` says
    whether no row differs. As the last line of a cell it shows itself.
    """

    heading: str
    rows: tuple[str, ...]
    lines: tuple[str, ...]
    advice: str
    talk: tuple[str, ...] = ()

    @property
    def agreed(self) -> bool:
        """Whether there is nothing to settle."""
        return not self.rows

    def __repr__(self) -> str:
        return "\n".join("\n  ".join([paragraph, *items]) for paragraph, items in self._parts())

    def _repr_html_(self) -> str:
        html = ""
        for paragraph, items in self._parts():
            listed = "".join(f"<li>{escape(item)}</li>" for item in items)
            html += f"<p>{escape(paragraph)}</p>" + (f"<ul>{listed}</ul>" if items else "")
        return html

    def _parts(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return each paragraph with the list below it."""
        parts = [(self.heading, self.lines)]
        parts += [(self.advice, ())] if self.rows else []
        parts += [("Worth a talk, nothing to correct, for both refuse:", self.talk)] if self.talk else []
        return parts


def pair_against_pair(sheet: Sheet, mine: Decided, theirs: Decided) -> Comparison:
    """Return the rows where two pairs decided differently; two reasons for one choice are no disagreement."""
    rows = [row for row in sheet.rows if mine[row.id]["choice"] != theirs[row.id]["choice"]]
    lines = [f"{row.id} ({row.title}): mine {_says(mine[row.id])}; theirs {_says(theirs[row.id])}" for row in rows]
    return Comparison(
        _heading(len(rows), len(sheet.rows), "the two pairs"),
        tuple(row.id for row in rows),
        tuple(lines),
        "Settle each of them in the schema, in version control, not in the prose: the gate reads only the schema.",
    )


def table_against_tests(sheet: Sheet, mine: Decided, judged: Mapping[str, str | Decision]) -> Comparison:
    """Return the rows where the table and the tests differ. `judged` gives each row's choice or `Decision`.

    The tests win: the line says so, with the reference reason. A row that was not judged counts as a difference.
    Repair against block counts as none where the question is what may pass: both refuse.
    """
    rows, lines, talk = [], [], []
    for row in sheet.rows:
        verdict = _verdict(sheet, judged[row.id]) if row.id in judged else ""
        table = mine[row.id]["choice"]
        says = f"{row.id} ({row.title}): your table says {table or 'nothing yet'}, the tests say {verdict}."
        if verdict and both_refuse(sheet, table, verdict):
            talk.append(f"{says} {row.why}")
        elif verdict != table or not verdict:
            rows.append(row.id)
            unjudged = f"{row.id} ({row.title}): not judged. Next: run the tests on this row too."
            lines.append(f"{says} The tests win. {row.why}" if verdict else unjudged)
    return Comparison(
        _heading(len(rows), len(sheet.rows), "table and tests"),
        tuple(rows),
        tuple(lines),
        f"Next: correct the row; {IF_FROZEN}. If the tests are wrong, change the rule behind them, with a reviewer.",
        tuple(talk),
    )


def both_refuse(sheet: Sheet, table: str, verdict: str) -> bool:
    """Say whether two choices differ only in how they refuse. A sheet without `allow` asks just that."""
    return "allow" in sheet.choice_ids() and {table, verdict} == {"repair", "block"}


def _verdict(sheet: Sheet, judged: str | Decision) -> str:
    """Return what was judged in the sheet's own words: the outcome, or the stage where the sheet asks for the stage."""
    if isinstance(judged, str):
        return judged
    return judged.stage if not judged and judged.stage in sheet.choice_ids() else judged.outcome


def _says(row: Mapping[str, str]) -> str:
    if not row["choice"]:
        return "say nothing yet"
    return f"say {row['choice']}" + (f" ({row['reason']})" if row["reason"] else "")


def _heading(differ: int, count: int, who: str) -> str:
    return f"{who} agree on all {count} rows." if not differ else f"{who} differ on {differ} of {count} rows."
