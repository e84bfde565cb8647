"""A pair's standing as a short code to paste into any chat, for a class without a shared folder.

    gate-1K7Q0-8ZD4M-0H2TX-…     groups of five, no letter that looks like a digit, case does not matter

The code is one number in mixed radix: each field takes as much room as it has values. It begins with the mark of the
kit's boards and tables, so that a code from another version is named and never guessed at, and ends with a checksum.

Not here: what is in a standing (`standing`), names: a code says which pair only by its tag.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gate.errors import GateError
from gate.lab.plan import Lab
from gate.room.standing import Standing, boards_of, sheet_of

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without I, L, O, U
_LOOKS_LIKE = str.maketrans("ILO", "110")
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")  # what programs make of a hyphen
_CODE = re.compile(r"\bgate-((?:[0-9a-z]{1,5}-)+[0-9a-z]{1,5})\b", re.IGNORECASE)
_GROUP, _CHECKSUM = 5, 4  # characters
_MARK, _MINUTES, TAGS = 2**12, 2**30, 32**4  # a minute since 1970 fits until the year 4011


class CodeError(GateError):
    """A code that cannot be read; the text says why, and what to do."""


class Field(NamedTuple):
    """One field of a code: a value out of `size` values."""

    value: int
    size: int


def encode(standing: Standing, labs: dict[str, Lab]) -> str:
    """Return the code of a standing. The pair's name must be a tag (`tag`).

    >>> from gate.lab.plan import load_plan
    >>> fresh = Standing("7KQ2", "results", "", 0, {}, {})
    >>> decode(encode(fresh, load_plan()), load_plan()).pair
    '7KQ2'
    """
    number = 0
    for value, size in reversed([*_head(standing, labs), *_body(standing, labs)]):
        number = number * size + value
    digits = _in_digits(number)
    return "gate-" + "-".join(_groups(digits + _checksum(digits)))


def decode(code: str, labs: dict[str, Lab]) -> Standing:
    """Return the standing in a code. Raises `CodeError` for one that was torn, mistyped or made by another version."""
    found = _CODE.fullmatch(code.strip())
    if not found:
        raise CodeError("this is no code. Next: paste the whole of what gate progress printed.")
    text = found[1].replace("-", "").upper().translate(_LOOKS_LIKE)
    digits, checksum = text[:-_CHECKSUM], text[-_CHECKSUM:]
    if not digits or not set(digits) <= set(_DIGITS) or _checksum(digits) != checksum:
        raise CodeError("the code is torn or mistyped. Next: copy and paste the whole of it, not by hand.")
    reader = _Reader(digits)
    if reader.take(_MARK) != mark(labs):
        raise CodeError("another version of the kit made this code. Next: let all have the same one.")
    return _standing(reader, labs)


def codes_in(text: str) -> list[str]:
    """Return everything in a pasted chat that looks like a code, in its order.

    >>> codes_in("ana: gate-ABCDE-12345\\nben: what is a gate-keeper?")
    ['gate-ABCDE-12345']
    """
    found_in = _CODE.finditer(text.translate(_DASHES))
    return [found[0] for found in found_in if sum(map(str.isalnum, found[1])) > _GROUP + _CHECKSUM]


def tag(number: int) -> str:
    """Return the name of a pair without a name: four characters.

    >>> tag(0), tag(TAGS - 1)
    ('0000', 'ZZZZ')
    """
    return _in_digits(number % TAGS).rjust(4, "0")


def mark(labs: dict[str, Lab]) -> int:
    """Return the mark of the labs, boards and tables that a code is about: another kit has another."""
    known = [
        (lab.id, [section.id for section in lab.sections], boards_of(lab.id), _sheet(lab.id)) for lab in labs.values()
    ]
    return int.from_bytes(hashlib.sha256(repr(known).encode()).digest()[:4]) % _MARK


def _head(standing: Standing, labs: dict[str, Lab]) -> Iterator[Field]:
    sections = ["", *(section.id for section in labs[standing.lab].sections)]
    yield Field(mark(labs), _MARK)
    yield Field([*labs].index(standing.lab), len(labs))
    yield Field(_number(standing.pair), TAGS)
    yield Field(sections.index(standing.section), len(sections))
    yield Field(standing.changed // 60, _MINUTES)


def _body(standing: Standing, labs: dict[str, Lab]) -> Iterator[Field]:
    for name, (_, rows) in boards_of(standing.lab).items():
        green = standing.green.get(name)
        yield Field(0 if green is None else green + 1, rows + 2)
    asked, choices = _sheet(standing.lab)
    for row in asked:
        yield Field(choices.index(standing.choices.get(row, "")), len(choices))


def _standing(reader: _Reader, labs: dict[str, Lab]) -> Standing:
    lab = [*labs.values()][reader.take(len(labs))]
    pair = tag(reader.take(TAGS))
    sections = ["", *(section.id for section in lab.sections)]
    section, changed = sections[reader.take(len(sections))], reader.take(_MINUTES) * 60
    green = {name: reader.take(rows + 2) - 1 for name, (_, rows) in boards_of(lab.id).items()}
    asked, choices = _sheet(lab.id)
    chosen = {row: choices[reader.take(len(choices))] for row in asked}
    run = {name: None if count < 0 else count for name, count in green.items()}
    return Standing(pair, lab.id, section, changed, run, chosen)


class _Reader:
    """Takes one field after the other out of a number."""

    def __init__(self, digits: str) -> None:
        self._number = _number(digits)

    def take(self, size: int) -> int:
        self._number, value = divmod(self._number, size)
        return value


def _sheet(lab: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    sheet = sheet_of(lab)
    return (sheet.row_ids(), ("", *sheet.choice_ids())) if sheet else ((), ("",))


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return number


def _in_digits(number: int) -> str:
    digits = ""
    while number:
        number, last = divmod(number, len(_DIGITS))
        digits = _DIGITS[last] + digits
    return digits or _DIGITS[0]


def _checksum(digits: str) -> str:
    return _in_digits(zlib.crc32(digits.encode()) % len(_DIGITS) ** _CHECKSUM).rjust(_CHECKSUM, _DIGITS[0])


def _groups(digits: str) -> Iterable[str]:
    return (digits[start : start + _GROUP] for start in range(0, len(digits), _GROUP))
