"""The stand-in judge as a real server on this machine: `judge`'s answers, given by a `double` with all its faults.

Not here: what it answers (`judge`), and how answers and faults travel (`double`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from gate.evidence.double import Double, Part, Tell, running
from gate.evidence.judge import NAME, answer, read_rules
from gate.semantic import load_policy

STAND_IN = "a stand-in judge on this machine: it matches words of a written policy and is no model"


def running_judge(
    policy: str | None = None, *, port: int = 0, tell: Tell | None = None, always: str = ""
) -> AbstractContextManager[Double]:
    """Run the stand-in while the block runs, on a free port unless one is given. `tell` gets one line a request.

    `always` is a fault of every answer, whatever the path: nobody can tell it from the address.

    Raises `ConfigError` when the policy has no rules for it or the port is taken.

    >>> from gate.semantic import SemanticGate
    >>> with running_judge() as judge:
    ...     SemanticGate(environ=judge.environ("prose")).judge("refund_order", {"reason": "arrived damaged"})[0].code
    'semantic.malformed'
    """
    rules = read_rules(load_policy() if policy is None else policy)
    nothing = "not a chat request with a user message"
    return running(Part(NAME, STAND_IN, lambda body: answer(rules, body), nothing), port=port, tell=tell, always=always)
