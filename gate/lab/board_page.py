"""How a board looks, as text and as HTML: red rows first, the first of them in full with what to do next.

No times, no addresses, no ids of this run: the same rows give the same page, so that stored outputs can be compared.

Not here: what is red and why (`board`, `rules`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from gate.errors import clip
from gate.lab.attacks import wrote
from gate.lab.rules import Row

_GIVEN, _CALL = 130, 400  # characters of a payload; of a whole call, whose numbers a student may have to follow
_SHORT = 8  # rows that are all shown
_WAITING = (
    "unwritten",
    "untried",
    "no pack",
    "no contract",
    "unclear",
)  # not tried, or not to be judged: something else comes first
_SAID_ONCE = (*_WAITING, "crash", "endless")
_AGAIN = "the same as above"
_LONG = 50  # characters of a text among the arguments of a call, as it is written; of what is said once
_WORD = 30  # characters of a word; a longer one may be broken, for it would push its column out of sight
#: Kinds of board whose rules hold the arguments of a call, and those in which only `ResultGateError` refuses.
_CALLS, _RAISES = ("call", "text", "cap"), ("validate", "memory")
#: What to do where nothing was tried yet; what a rule advises is for an answer that failed it.
_WRITE = 'write it in the cell that says "your turn", run that cell, and then this one.'
_CRASHED = ', which is a crash. To refuse: raise ResultGateError("why")'
#: What a rule that expects "hold" waits for, by kind of board.
_HOLDS = {"schema": "nothing is open", "pack": "noticed", "calls": "this call, labelled"}
_WIDTHS = {"rule": 12, "given": 11, "expected": 6, "got": 12}  # at least, in em: a squeezed column is a column of words
_RED, _GREEN = "var(--jp-error-color1, #b71c1c)", "var(--jp-success-color1, #1b5e20)"
_LEFT = "text-align: left; vertical-align: top"


class _Line(NamedTuple):
    """What is shown of one row. `waits`: it was not tried, for the reason that the row above has too."""

    row: Row
    given: str
    expected: str
    got: str
    next: str
    waits: bool


def as_text(title: str, kind: str, rows: Sequence[Row], notes: Sequence[str], name: str = "f") -> str:
    """Return a board as text that reads well in a terminal and aloud.

    `kind` is how its rules are tried, `name` that of the function they call.
    """
    shown = [_counts(title, rows)]
    for line in _lines(kind, rows, name):
        rule = line.row.rule
        if line.row.green:
            shown.append(f"green  {rule.id}: {rule.words}")
            continue
        shown.append(f"RED    {rule.id}: {rule.words}")
        details = {"given": line.given, "expected": line.expected, "got": line.got, "next": line.next}
        shown += [f"       {name:9} {text}" for name, text in details.items() if text]
    return "\n".join([*shown, *notes])


def as_html(title: str, kind: str, rows: Sequence[Row], notes: Sequence[str], name: str = "f") -> str:
    """Return a board as HTML: the rows to work on as a table, the others folded where the board is long."""
    colour = _GREEN if all(row.green for row in rows) else _RED
    counts = f"<b>{escape(_counts(title, rows))}</b>"
    shown, folded, about = _folded(_lines(kind, rows, name))
    if shown:
        top = _html_table(shown, f'<caption style="text-align: left; color: {colour}">{counts}</caption>')
    else:  # a table without rows would be as narrow as its longest word
        top = f'<p style="color: {colour}">{counts}</p>'
    more = f"<details><summary>{about}</summary>{_html_table(folded)}</details>" if folded else ""
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"{top}{more}{below}"


def _lines(kind: str, rows: Sequence[Row], name: str) -> list[_Line]:
    """Return what is shown, red rows first. What stopped one row after another is said at the first of them."""
    lines: list[_Line] = []
    before = ""
    stopped = all(row.got == rows[0].got for row in rows) and rows[0].got.outcome == "crash"
    refusals = [row for row in rows if row.rule.expect == "block" and row.got.outcome == "crash"]
    crashed = refusals[0] if refusals and kind in _RAISES and not stopped else None
    for row in sorted(rows, key=lambda row: row.green):
        again = bool(lines) and row.got.outcome in _SAID_ONCE and row.got == lines[-1].row.got
        told = "Next: " in row.got.words  # what was found says itself what to do
        got = _AGAIN if again else row.got.words + (_CRASHED if row is crashed and not told else "")
        advice = row.rule.next if row.got.outcome != "unwritten" else _WRITE
        advice = "" if lines or row.green or told else advice  # of the first red row: one thing at a time
        waits = again and (stopped or row.got.outcome in _WAITING)
        given = _given(kind, row, rows, name)
        alike = lines and len(given) > _LONG and given == before and row.rule.given == lines[-1].row.rule.given
        lines.append(_Line(row, _AGAIN if alike else given, _expected(kind, row, given), got, advice, waits))
        before = given
    return lines


def _folded(lines: Sequence[_Line]) -> tuple[Sequence[_Line], Sequence[_Line], str]:
    """Return the lines to show, those to fold away, and what these are: nobody reads thirty to find the red one."""
    if len(lines) <= _SHORT:
        return lines, (), ""
    green, waiting = [line for line in lines if line.row.green], [line for line in lines if line.waits]
    about = [f"{len(waiting)} more rules, waiting for the same"] if waiting else []
    about += [f"{len(green)} green"] if green else []
    shown = [line for line in lines if not line.row.green and not line.waits]
    return shown, [*waiting, *green], ", ".join(about)


def _html_table(lines: Sequence[_Line], caption: str = "") -> str:
    """Return a table. A column in which no line says anything is left out."""
    cells = [_cells(line) for line in lines]
    names = [name for name in _WIDTHS if any(said[name] for said in cells)]
    head = "".join(f'<th scope="col" style="{_LEFT}">{name}</th>' for name in ("", *names))
    rows = (
        f"<tr>{_mark(line)}"
        + "".join(f'<td style="{_LEFT}; min-width: {_WIDTHS[name]}em">{said[name]}</td>' for name in names)
        + "</tr>"
        for line, said in zip(lines, cells, strict=True)
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _mark(line: _Line) -> str:
    colour, mark = (_GREEN, "✓ green") if line.row.green else (_RED, "✗ red")
    return f'<td style="{_LEFT}; color: {colour}; white-space: nowrap"><b>{mark}</b></td>'


def _cells(line: _Line) -> dict[str, str]:
    """Return what stands in each column, as HTML."""
    rule = line.row.rule
    got = escape(line.got) + (f"<br><b>Next:</b> {escape(line.next)}" if line.next else "")
    code = rule.given and line.given != _AGAIN
    given = f'<code style="overflow-wrap: anywhere">{escape(line.given)}</code>' if code else escape(line.given)
    if any(len(word) > _WORD for word in line.got.split()):
        got = f'<span style="overflow-wrap: anywhere">{got}</span>'
    words = f"{escape(rule.words)}<br><small>{escape(rule.id)}</small>"
    return {"rule": words, "given": given, "expected": escape(line.expected), "got": got}


def _counts(title: str, rows: Sequence[Row]) -> str:
    red = sum(not row.green for row in rows)
    return f"{title}: {len(rows) - red} of {len(rows)} green" + (f", {red} red" if red else "")


def _given(kind: str, row: Row, rows: Sequence[Row], name: str) -> str:
    """Return what was handed over, a call as one writes it; nothing where the rule's words say it.

    It is ASCII, so that a look-alike and an invisible character show themselves.
    """
    rule = row.rule
    other = f"from {wrote(rule.tool)}: " if rule.tool != rows[0].rule.tool else ""
    if not rule.given:
        return "vetting" if kind == "schema" else ""
    if kind in _CALLS:
        return clip(f"{name}({', '.join(map(_written, rule.handed()))})", _CALL)
    plain = rule.given.encode("ascii", "backslashreplace").decode()
    plain = "".join(letter if letter >= " " else json.dumps(letter)[1:-1] for letter in plain)
    does = f"the tool {rule.case.replace('_', ' ')}: " if kind == "wrap" and rule.case else ""
    return does + other + ("as text: " if rule.form == "text" else "") + clip(plain, _GIVEN)


def _written(value: Any) -> str:
    """Return a value as one writes it in Python, a long text in it cut short, so that what follows stays in sight."""
    match value:
        case str():
            kept = value[:_LONG]
            while len(json.dumps(kept)) > _LONG + 2:  # with escapes a few characters are long
                kept = kept[:-1]
            return json.dumps(value if kept == value else f"{kept}...")
        case list():
            return f"[{', '.join(map(_written, value))}]"
        case dict():
            return f"{{{', '.join(f'{json.dumps(key)}: {_written(part)}' for key, part in value.items())}}}"
    return repr(value)


def _expected(kind: str, row: Row, given: str) -> str:
    if row.rule.expect == "hold" and not given and kind not in _HOLDS:
        return ""  # its words say all
    expected = _HOLDS.get(kind, "it holds") if row.rule.expect == "hold" else row.rule.expect
    return expected + (f" ({', '.join(row.rule.codes)})" if row.rule.codes else "")
