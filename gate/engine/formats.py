"""The string formats of the kit, one small predicate each, used by both engines so that they cannot differ.

`line` and `text` are ours; the others are those of JSON Schema that tools use. A format that is not in `FORMATS` is
refused when a contract is loaded, because an unknown format checks nothing.

Not here: whether a well-formed address, date or id exists or is the right one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date, datetime

# What prints as nothing although Python counts it as printable: blank letters and symbols, and the marks that only
# change how the character before them looks. Text can be hidden in those, one after another.
_LOOKS_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U00016fe4\U000e0100-\U000e01ef]"
)

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
_DATE_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]" + _TIME)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOSTNAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_EMAIL = re.compile(
    rf"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~-]+)*@{_LABEL}(?:\.{_LABEL})+"
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=])+")


def is_line(text: str) -> bool:
    """Say whether `text` is one printable line: not blank, no blank at either end, nothing invisible in it.

    Refused: control characters, line ends, zero-width and bidirectional marks, every space but U+0020, and the
    variation selectors in which text can be hidden (so an emoji that needs one is refused, too).

    >>> is_line("damaged on delivery"), is_line("SKU-19\\n"), is_line("SKU\\u200b19")
    (True, False, False)

    Does not catch: look-alike letters, or instructions written in plain words.
    """
    return (
        text.isprintable()
        and text != ""
        and text == text.strip(" ")
        and (text.isascii() or not _LOOKS_BLANK.search(text))
    )


def is_text(text: str) -> bool:
    """Say whether `text` is lines (`is_line`) joined by newlines; empty lines may stand between them, not at the ends.

    >>> is_text("first\\n\\nsecond"), is_text("first\\n"), is_text("a\\tb")
    (True, False, False)
    """
    if "\n" not in text:
        return is_line(text)
    lines = text.split("\n")
    return bool(lines[0] and lines[-1]) and all(part == "" or is_line(part) for part in lines)


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None and _parses(date.fromisoformat, text)


def _is_date_time(text: str) -> bool:
    return _DATE_TIME.fullmatch(text) is not None and _parses(datetime.fromisoformat, text.upper())


def _is_email(text: str) -> bool:
    return len(text) <= 254 and _EMAIL.fullmatch(text) is not None


def _is_hostname(text: str) -> bool:
    return len(text) <= 253 and _HOSTNAME.fullmatch(text) is not None


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "line": is_line,
    "text": is_text,
    "date": _is_date,
    "date-time": _is_date_time,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": lambda text: _parses(ipaddress.IPv4Address, text),
    "ipv6": lambda text: "%" not in text and _parses(ipaddress.IPv6Address, text),
    "uri": lambda text: _URI.fullmatch(text) is not None,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
}

#: Formats whose texts have a greatest length by themselves, so that no maxLength is missing.
BOUNDED = frozenset({"date", "date-time", "email", "hostname", "ipv4", "ipv6", "uuid"})
