"""The patterns a contract may use, and how they read in Python, so that both engines match the same texts.

The deciding engine matches in linear time with the rules of ECMA 262. Python's `re` backtracks and differs: `$` also
matches before a last newline, `.` matches a carriage return, `a++` means something else. So a contract may use only
what means the same in both, and `to_python` writes the few differences out.

Not here: whether a pattern says what its author meant.
"""

from __future__ import annotations

import re

_SPACES = r"\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_TOKEN = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)"  # an escape
    r"|\[\^?"  # a class begins
    r"|\(\?:|\(\?|[()]"  # a group
    r"|(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})[+?]*"  # a repetition, with what follows it
    r"|.",
    re.DOTALL,
)
_ESCAPES = set("dDwWnrtfv")
_PUNCTUATION = set(r"\^$.|?*+()[]{}/-_%:@#&~=!,;'\"` ")


def to_python(pattern: str) -> str:
    """Return the pattern as Python's `re` must be given it (with `re.ASCII`) to match what the fast engine matches.

    Raises ValueError saying which piece is not allowed and why: look-around, back references, named groups, flags,
    possessive and lazy-possessive repetition, nested classes, word boundaries, escapes with two meanings.

    >>> to_python("^ord_[0-9]{4}$")
    '^ord_[0-9]{4}\\\\Z'
    """
    out: list[str] = []
    tokens = _TOKEN.finditer(pattern)
    for match in tokens:
        token = match[0]
        if token in ("[", "[^"):
            start = match.end()
            out.append(token + _class(pattern, start))
            end = start + _class_length(pattern, start)
            while match.end() < end:
                match = next(tokens)
        else:
            out.append(_outside(token))
    text = "".join(out)
    try:
        re.compile(text, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"is not a regular expression ({error})") from error
    return text


def is_anchored(pattern: str) -> bool:
    """Say whether a pattern is tied to both ends of the string, in every alternative.

    >>> is_anchored("^a$"), is_anchored("^a|b$")
    (True, False)
    """
    depth = 0
    in_class = False
    tokens = re.findall(r"\\.|.", pattern, re.DOTALL)
    for token in tokens:
        in_class = (in_class or token == "[") and token != "]"
        if not in_class:
            depth += (token == "(") - (token == ")")
            if token == "|" and depth == 0:
                return False
    return tokens[:1] == ["^"] and tokens[-1:] == ["$"]


def _outside(token: str) -> str:
    if token[0] == "\\":
        return _escape(token)
    if token == "$":
        return r"\Z"
    if token == ".":
        return r"[^\n\r\u2028\u2029]"
    if token == "(?":
        raise ValueError("uses a group other than ( ) and (?: )")
    if token in ("]", "{", "}"):
        raise ValueError(f"has a lone {token}: write \\{token}")
    if len(token) > 1 and (token.endswith("+") or token[1:].count("?") > 1):
        raise ValueError(f"repeats a repetition: {token}")
    return token


def _escape(token: str, *, in_class: bool = False) -> str:
    letter = token[1:2]
    if letter == "s" or (letter == "S" and not in_class):
        spaces = _SPACES if letter == "s" else "^" + _SPACES
        return spaces if in_class else f"[{spaces}]"
    if letter == "u" and token[2:3] in ("d", "D") and token[3:4] in "89abcdefABCDEF":
        raise ValueError(f"has {token}, half of a surrogate pair: write the character itself")
    if letter in _ESCAPES or token[1:2] in ("x", "u") and len(token) > 2:
        return token
    if letter in _PUNCTUATION and letter:
        return re.escape(letter)
    raise ValueError(f"has the escape {token}, which the engines read in different ways")


def _class_length(pattern: str, start: int) -> int:
    """Return the length of a class from behind its opening bracket to its closing one, that one included."""
    position = start
    while position < len(pattern) and pattern[position] != "]":
        position += 2 if pattern[position] == "\\" else 1
    if position >= len(pattern) or position == start:
        raise ValueError("has a class that is empty or not closed")
    return position + 1 - start


def _class(pattern: str, start: int) -> str:
    body = pattern[start : start + _class_length(pattern, start) - 1]
    if "[" in re.sub(r"\\.", "", body) or re.search(r"&&|--|~~|\|\|", body):
        raise ValueError("has a class inside a class or a set operation")
    return re.sub(r"\\(?:x..|u....|.)", lambda found: _escape(found[0], in_class=True), body, flags=re.DOTALL) + "]"
