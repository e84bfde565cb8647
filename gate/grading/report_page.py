"""The frame of a report page: one file of HTML with its style in it, light and dark, read by a browser from a disk.

There is no script in it and nothing is fetched: the page forbids both itself. Whatever a student wrote is escaped.

Not here: what stands in it (`report_html`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from gate.grading.report_csv import number
from gate.grading.words import Value

_STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SIGNS = {"pass": "✓", "fail": "✗", "ungradable": "?"}


class Html(NamedTuple):
    """A piece of HTML. Text that is none gets escaped where it is put into a page."""

    html: str


def page(title: str, body: Iterable[Html]) -> str:
    """Return a whole page with the title as its heading."""
    inner = "\n".join(part.html for part in body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{_text(title)}</h1>\n{inner}\n</main>\n</body>\n</html>\n"
    )


def tag(name: str, *parts: str | Html, **attributes: str) -> Html:
    """Return one element; a trailing underscore keeps an attribute's name from being a Python word.

    >>> tag("p", "1 < 2", class_="quiet").html
    '<p class="quiet">1 &lt; 2</p>'
    """
    said = "".join(f' {_name(key)}="{_text(text)}"' for key, text in attributes.items())
    inner = "".join(part.html if isinstance(part, Html) else _text(part) for part in parts)
    return Html(f"<{name}{said}>{inner}</{name}>")


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str | Html]], kind: str = "plain") -> Html:
    """Return a table, the first cell of each row as its heading; it scrolls by itself where it is too wide.

    Who uses the keyboard can reach it to scroll, so it says what it is.
    """
    head = tag("tr", *(tag("th", text, scope="col") for text in heads))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    made = tag("table", tag("thead", head), tag("tbody", *body), class_=kind)
    return tag("div", made, class_="wide", role="region", aria_label=caption, tabindex="0")


def worth(value: Value, points: float, max_points: float) -> Html:
    """Return what something came to, by a sign, a word for screen readers and the points: never by colour alone."""
    sign = tag("span", _SIGNS[value], role="img", aria_label=value, title=value)
    return tag("span", sign, f" {number(points)}/{number(max_points)}", class_=value)


def _text(text: str) -> str:
    return escape(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text))


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
