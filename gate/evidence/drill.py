"""The drill: one pack behind the healthy stand-in judge and behind each of its faults. Nothing may slip through.

Not here: the faults (`judge_faults`). Not caught: a fault that nobody listed; a judge that is well-formed and
wrong.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gate.decision import Decision
from gate.evidence.calls import Call
from gate.evidence.judge_faults import FAULTS
from gate.evidence.judge_server import running_judge
from gate.evidence.scorecard import Scorecard, score
from gate.payload import Raw
from gate.pipeline import Pipeline
from gate.registry import Contracts
from gate.semantic import SemanticGate

_PATIENT_S = 10.0  # behind a fault that is not slow, a busy machine must not look like one


class Drilled(NamedTuple):
    """One fault ("" is none): the semantic codes that were found, the code that had to be, the scorecard, the time."""

    fault: str
    found: tuple[str, ...]
    expected: str
    card: Scorecard
    seconds: float

    @property
    def as_expected(self) -> bool:
        """No false allow; behind a fault nothing allowed and the one right code, without a fault all as labelled."""
        if not self.fault:
            return self.card.passed
        return self.card.false_allow == self.card.true_allow == 0 and self.found == (self.expected,)


class _Listening:
    """A pipeline that remembers which codes its semantic stage gave."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.codes: set[str] = set()

    def judge(self, tool: str, raw: Raw) -> Decision:
        decision = self._pipeline.judge(tool, raw)
        if decision.stage == "semantic":
            self.codes.update(decision.codes)
        return decision


def drill(
    calls: Iterable[Call], contracts: Contracts, *, seconds: float = 0.5, faults: Iterable[str] = ("", *FAULTS)
) -> Iterator[Drilled]:
    """Judge the calls behind each fault, one after the other. `seconds` is the wall clock behind the slow ones.

    >>> from gate.evidence.calls import load_calls
    >>> from gate.registry import load_contracts
    >>> [row] = drill(load_calls("fixtures/tool_calls.jsonl"), load_contracts(), faults=["fenced"])
    >>> row.found, row.card.false_allow
    (('semantic.malformed',), 0)
    """
    pack = tuple(calls)
    with running_judge() as judge:
        for fault in faults:
            slow = fault in FAULTS and FAULTS[fault].slow
            gate = SemanticGate(environ=judge.environ(fault), timeout=seconds if slow else _PATIENT_S)
            gates = _Listening(Pipeline(contracts, semantic=gate))
            begin = time.monotonic()
            card = score(pack, gates)
            expected = FAULTS[fault].code if fault else "semantic.refused"
            yield Drilled(fault, tuple(sorted(gates.codes)), expected, card, time.monotonic() - begin)
