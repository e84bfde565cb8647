"""How a board looks, as text and as HTML: red rows first, the first of them in full with what to do next.

No times, no addresses, no ids of this run: the same rows give the same page, so that stored outputs can be compared.

Not here: what is red and why (`board`, `rules`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from gate.errors import clip
from gate.lab.attacks import wrote
from gate.lab.rules import Row

_GIVEN = 100
_SHORT = 8  # rows that are all shown
_HEADS = ("", "rule", "given", "expected", "got")
_RED, _GREEN = "var(--jp-error-color1, #b71c1c)", "var(--jp-success-color1, #1b5e20)"
_LEFT = "text-align: left; vertical-align: top"


def as_text(title: str, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Return a board as text that reads well in a terminal and aloud."""
    lines = [_counts(title, rows)]
    for row in _red_first(rows):
        if row.green:
            lines.append(f"green  {row.rule.id}: {row.rule.words}")
            continue
        lines.append(f"RED    {row.rule.id}: {row.rule.words}")
        details = {"given": _given(row, rows), "expected": _expected(row), "got": row.got.words}
        details["next"] = _next(row, rows)
        lines += [f"       {name:9} {text}" for name, text in details.items() if text]
    return "\n".join([*lines, *notes])


def as_html(title: str, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Return a board as HTML: the rows to work on as a table, the others folded where the board is long."""
    colour = _GREEN if all(row.green for row in rows) else _RED
    counts = f"<b>{escape(_counts(title, rows))}</b>"
    shown, folded, about = _folded(rows)
    if shown:
        top = _html_table(shown, rows, f'<caption style="text-align: left; color: {colour}">{counts}</caption>')
    else:  # a table without rows would be as narrow as its longest word
        top = f'<p style="color: {colour}">{counts}</p>'
    more = f"<details><summary>{about}</summary>{_html_table(folded, rows)}</details>" if folded else ""
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"{top}{more}{below}"


def _folded(rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row], str]:
    """Return the rows to show, those to fold away, and what these are: nobody reads thirty rows to find the red one."""
    if len(rows) <= _SHORT:
        return _red_first(rows), (), ""
    if all(row.got.outcome == "unwritten" for row in rows):
        return rows[:1], rows[1:], f"{len(rows) - 1} more rules, waiting for the same"
    green = [row for row in rows if row.green]
    return [row for row in rows if not row.green], green, f"{len(green)} green"


def _html_table(some: Sequence[Row], rows: Sequence[Row], caption: str = "") -> str:
    head = "".join(f'<th scope="col" style="{_LEFT}">{name}</th>' for name in _HEADS)
    body = "".join(_html_row(row, rows) for row in some)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_row(row: Row, rows: Sequence[Row]) -> str:
    colour, mark = (_GREEN, "✓ green") if row.green else (_RED, "✗ red")
    advice = _next(row, rows)
    got = escape(row.got.words) + (f"<br><b>Next:</b> {escape(advice)}" if advice else "")
    given = f"<code>{escape(_given(row, rows))}</code>" if row.rule.given else escape(_given(row, rows))
    cells = (f"{escape(row.rule.words)}<br><small>{escape(row.rule.id)}</small>", given, escape(_expected(row)), got)
    return (
        f'<tr><td style="{_LEFT}; color: {colour}; white-space: nowrap"><b>{mark}</b></td>'
        + "".join(f'<td style="{_LEFT}; min-width: 6em">{cell}</td>' for cell in cells)
        + "</tr>"
    )


def _counts(title: str, rows: Sequence[Row]) -> str:
    red = sum(not row.green for row in rows)
    return f"{title}: {len(rows) - red} of {len(rows)} green" + (f", {red} red" if red else "")


def _red_first(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row.green)


def _given(row: Row, rows: Sequence[Row]) -> str:
    """Return what was handed over: ASCII, so that a look-alike and an invisible character show themselves."""
    rule = row.rule
    other = f"from {wrote(rule.tool)}: " if rule.tool != rows[0].rule.tool else ""
    if not rule.given:
        return rule.case.replace("_", " ")
    plain = rule.given.encode("ascii", "backslashreplace").decode()
    plain = "".join(letter if letter >= " " else json.dumps(letter)[1:-1] for letter in plain)
    return other + ("as text: " if rule.form == "text" else "") + clip(plain, _GIVEN)


def _expected(row: Row) -> str:
    expected = "it holds" if row.rule.expect == "hold" else row.rule.expect
    return expected + (f" ({', '.join(row.rule.codes)})" if row.rule.codes else "")


def _next(row: Row, rows: Sequence[Row]) -> str:
    """Return what to do about the first red row; one thing at a time."""
    first = next((one for one in rows if not one.green), None)
    return row.rule.next if row is first else ""
