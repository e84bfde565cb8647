"""The words every station shares: the finding, its codes, and the exceptions.

A refusal is a value: a `Finding` inside a `Decision`. An exception means that the kit itself is misconfigured and
that a person has to act. The one exception of that rule is `ResultGateError`, which is raised so that a refused
memory write cannot be ignored.

    GateError
    ├── ConfigError        a file of the kit (limits, orders, responses, labs, fixtures) cannot be used
    │   └── ContractError  a contract or its lock cannot be used
    └── ResultGateError    a tool result was refused and did not enter memory

Not here: what a code makes us do next. That is `data/responses.json`.
"""

from __future__ import annotations

from json.encoder import encode_basestring_ascii
from typing import NamedTuple

MAX_MESSAGE = 300

#: Every `stage.reason` a finding may carry. `data/responses.json` has a row for each.
CODES: dict[str, tuple[str, ...]] = {
    "parse": (
        "empty", "size", "encoding", "not_json", "trailing", "fence", "duplicate_key", "non_finite", "depth",
        "not_object",
    ),
    "call": ("malformed", "unknown_tool", "duplicate_id", "incomplete"),
    "schema": (
        "unknown_field", "missing_field", "type", "enum", "range", "length", "pattern", "format", "items", "other",
    ),
    "store": ("unknown_order", "currency_mismatch", "exceeds_remaining", "not_refundable", "precision", "failed"),
    "semantic": ("refused", "malformed", "unknown_decision", "unavailable", "timeout"),
    "fence": (
        "duplicate", "key_reused", "in_progress", "unknown_outcome", "budget_exhausted", "timeout", "tool_failed",
        "second_create", "unavailable",
    ),
    "result": ("not_json", "tool_error", "no_contract", "echo_mismatch"),
    "memory": ("duplicate_call_id",),
    "run": ("too_many_errors", "too_many_steps", "planner_failed"),
}  # fmt: skip


def clip(text: str, limit: int = MAX_MESSAGE) -> str:
    """Return `text` with at most `limit` characters, the last one an ellipsis where something was cut.

    >>> clip("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "pair"), counted(3, "pair")
    ('1 pair', '3 pairs')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quote(text: object, limit: int = 40) -> str:
    """Return a short, quoted, escaped piece of what a caller sent, safe to show in a terminal or a message.

    Everything outside printable ASCII is escaped, so that a Cyrillic look-alike, a zero-width space or a terminal
    sequence shows itself. Anything that is not a string is named by its type, never shown.

    >>> quote("ord\\u0435r_id"), quote(7)
    ('"ord\\\\u0435r_id"', 'a value of type int')
    """
    if type(text) is str:
        return f'"{escape(text, limit)}"'
    return f"a value of type {escape(type_name(type(text)), limit)}"


def type_name(kind: type) -> str:
    """Return the name of a type without running code of its own: the type of that type could answer with anything.

    >>> type_name(type(ValueError("boom")))
    'ValueError'
    """
    name: str = type.__dict__["__name__"].__get__(kind)
    return name


def escape(text: str, limit: int = MAX_MESSAGE) -> str:
    """Return text as printable ASCII, everything else in it escaped, cut short with an ellipsis.

    >>> escape("a\\x1b[2J"), escape("abcdef", 4)
    ('a\\\\u001b[2J', 'abc…')
    """
    return clip(encode_basestring_ascii(text[: limit + 1])[1:-1].replace("\x7f", "\\u007f"), limit)


class Finding(NamedTuple):
    """One reason to refuse.

    `code` is `stage.reason` out of `CODES` (or `contract.reason` while a contract is vetted), `path` a JSON Pointer
    into what was judged ("" is the whole), `message` names the field and what was wrong, `hint` says what to do
    next. Both are at most 300 characters and never carry more than a short escaped piece of the input.

    >>> Finding("schema.type", "/quantity", "quantity must be an integer, got a string", "send 4, not \\"4\\"").code
    'schema.type'
    """

    code: str
    path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code}{where}: {self.message}" + (f" Next: {self.hint}" if self.hint else "")


def finding(code: str, path: str, message: str, hint: str = "") -> Finding:
    """Make a `Finding` whose texts keep their cap, whatever was put into them."""
    return Finding(code, clip(path), clip(message), clip(hint))


class GateError(Exception):
    """Base of all exceptions of the kit. `findings` holds the reasons; the text is at most a few lines."""

    def __init__(self, message: str, findings: tuple[Finding, ...] = ()) -> None:
        name = type(self).__name__
        if not isinstance(message, str):  # as the message they would be lost to whoever asks for the findings
            got = type_name(type(message))
            right = "str(error)" if isinstance(message, BaseException) else '"why", findings'
            raise TypeError(f"{name} takes a text first, got a {got}. Next: raise {name}({right}).")
        if not isinstance(findings, tuple) or not all(isinstance(found, Finding) for found in findings):
            raise TypeError(
                f'the findings of {name} are a tuple of Finding. Next: raise {name}("why", decision.findings).'
            )
        super().__init__(clip(message, 4 * MAX_MESSAGE))
        self.findings = findings


class ConfigError(GateError):
    """A file of the kit is missing, malformed or contradicts itself: nothing starts until a person mends it."""

    def _render_traceback_(self) -> list[str]:
        """Show itself in a notebook: the line for whoever can act, in red, without the kit's own code above it."""
        return [f"\x1b[31m{self}\x1b[0m"]


class ContractError(ConfigError):
    """A contract (or `contracts.lock.json`) cannot be used. `findings` carries `contract.*` codes."""


class ResultGateError(GateError):
    """A tool result was refused: it is not in memory. `findings` says why; `str(error)` names the first reasons."""
