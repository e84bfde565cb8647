"""The ledger: what each key came to, kept so that no call can have two effects. This is what every ledger must do.

Implementations are in `gate/ledgers/`. Whatever is wrong with one is a `LedgerError`, which the fence makes a block.

Not here: the rules (`brakes.rules`), and where the rows are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from gate.brakes.rules import Call, State, Verdict
from gate.errors import GateError, type_name

Answer = TypeVar("Answer")

#: The audit event of each act of a verdict.
EVENTS = {"run": "claimed", "ask": "claimed", "noop": "noop", "replay": "replayed", "refuse": "blocked"}


class LedgerError(GateError):
    """The ledger cannot be read or written; nothing may run on its word."""


class Event(NamedTuple):
    """One audit row: `event` is claimed, applied, failed, unknown, replayed, noop or blocked; `note` is for people."""

    run: str
    tool: str
    key: str | None
    event: str
    code: str = ""
    note: str = ""


class Ledger(Protocol):
    """What the fence needs. Every method is one transaction and raises `LedgerError` when it cannot be carried out."""

    def claim(self, call: Call) -> Verdict:
        """Decide whether the call may run (`brakes.rules.decide`) and write the decision and its audit row."""

    def settle(self, event: Event, result: str | None = None) -> None:
        """Write what the worker of a claimed key came to: `event.event` is applied, failed or unknown."""

    def doubt(self, event: Event) -> State:
        """Write that a claimed key's worker is late, unless it has settled meanwhile; return the state that stands."""

    def record(self, event: Event) -> None:
        """Write the audit row of a call that never came as far as a claim."""


def ask(method: Callable[..., Answer], *args: Any) -> Answer:
    """Ask a ledger something. Whatever it raises becomes a `LedgerError`, also where a ledger breaks its promise.

    >>> ask(int, "seven")
    Traceback (most recent call last):
    gate.ledger.LedgerError: the ledger failed (ValueError). Next: stop, and call a person.
    """
    try:
        return method(*args)
    except LedgerError:
        raise
    except Exception as error:
        raise LedgerError(f"the ledger failed ({type_name(type(error))}). Next: stop, and call a person.") from error
