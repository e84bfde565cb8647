"""How often a run may be refused before it is over: repairs in a row, and errors in all.

Not here: what a code makes us do (`data/responses.json`), and carrying it out (`loop`).
"""

from __future__ import annotations

from gate.calls.step import Step
from gate.responses import Responses

_MENDABLE = ("repair", "retry_same_key")


class Patience:
    """Says what to do about each step of a run, and when the run is over.

    A reply with something to mend is one try, however many of its calls are refused; `max_repairs` tries in a row are
    allowed. Errors of every kind, blocked calls included, count over the whole run; more than `max_errors` end it.
    """

    def __init__(self, responses: Responses, max_repairs: int, max_errors: int) -> None:
        self._responses = responses
        self._max_repairs = max_repairs
        self._max_errors = max_errors
        self._tries = 0
        self._errors = 0
        self._to_mend = False

    def next_reply(self) -> None:
        """Begin with the calls of the next reply."""
        self._tries = self._tries + 1 if self._to_mend else 0
        self._to_mend = False

    def after(self, step: Step) -> tuple[str, str]:
        """Return what to do about a step (a word of `gate.responses.ACTIONS`) and, if the run is over, the code why."""
        if not step.codes:
            return ("replay_first" if step.ran is not None and step.ran.replayed else "allow"), ""
        self._errors += 1
        action = self._action(step)
        if action == "escalate":
            return action, next(code for code in step.codes if self._responses.action([code]) == "escalate")
        self._to_mend = self._to_mend or action in _MENDABLE
        spent = action in _MENDABLE and self._tries >= self._max_repairs
        if spent or self._errors > self._max_errors:
            return "escalate", "run.too_many_errors"
        return action, ""

    def _action(self, step: Step) -> str:
        """Return the response to a step. A model can mend its call, never what a tool gave back."""
        action = self._responses.action(step.codes, tries=0, max_repairs=1)
        of_the_call = step.ran is None or any(code.startswith("fence.") for code in step.codes)
        return action if of_the_call or action not in _MENDABLE else "block"
