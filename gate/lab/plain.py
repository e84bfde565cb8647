"""A decision table as plain text and as plain HTML, for places without a widget front end.

The same table gives the same text, today and tomorrow: no times and no ids in it, so that a stored output can be
compared.

Not here: the live table (`table.js`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from html import escape

from gate.lab.sheet import Sheet

Decided = Mapping[str, Mapping[str, str]]
_WIDTH = 110


def as_text(sheet: Sheet, rows: Decided, status: str, notes: Sequence[str]) -> str:
    """Return the table as text that reads well in a terminal and aloud."""
    lines = [sheet.title, sheet.question, ""]
    for row in sheet.rows:
        mine = rows[row.id]
        lines += [f"{row.id}  {row.title}: {mine['choice'] or 'open'}"]
        lines += _indent(f"{row.tool}: {row.given}")
        lines += _indent(f"because {mine['reason']}") if mine["reason"] else []
    lines += ["", *(f"{choice.id}: {choice.means}" for choice in sheet.choices), "", status, *notes]
    return "\n".join(lines)


def as_html(sheet: Sheet, rows: Decided, status: str, notes: Sequence[str]) -> str:
    """Return the table as one HTML table with its status below."""
    labels = {choice.id: choice.label for choice in sheet.choices}
    body = "".join(
        f'<tr><th scope="row">{escape(row.id)}</th><td>{escape(row.title)}</td>'
        f"<td>{escape(row.tool)}<br><code>{escape(row.given)}</code></td>"
        f"<td>{escape(labels.get(rows[row.id]['choice'], 'open'))}</td><td>{escape(rows[row.id]['reason'])}</td></tr>"
        for row in sheet.rows
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("row", "case", "given", "choice", "reason"))
    below = "".join(f"<p>{escape(line)}</p>" for line in (status, *notes))
    caption = f"<caption><b>{escape(sheet.title)}</b> {escape(sheet.question)}</caption>"
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def _indent(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="       ", subsequent_indent="       ", break_on_hyphens=False)
