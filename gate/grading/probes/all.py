"""Which module makes the probes of which exercise, and the right observation for each, asked of the reference.

Not here: the inputs themselves.
"""

from __future__ import annotations

import functools
import random
from dataclasses import replace

from gate.errors import ConfigError, quote
from gate.files import HOME
from gate.grading.exercises import Asked
from gate.grading.observe import observe
from gate.grading.probes import calls, data, fences, judges, memories, payloads, texts
from gate.grading.probes.words import Case, Make, Probe
from gate.lab.reference import solutions

KNOWN: dict[str, Make] = {
    **calls.MAKES, **payloads.MAKES, **data.MAKES, **memories.MAKES, **fences.MAKES, **texts.MAKES, **judges.MAKES,
}  # fmt: skip


@functools.lru_cache(maxsize=64)
def cases(asked: Asked, seed: int) -> tuple[Case, ...]:
    """Return the probes of an exercise for a seed, in an order of their own, each with what is right.

    The same for the same seed. Raises `ConfigError` for an exercise that has no probes.
    """
    if asked.id not in KNOWN:
        raise ConfigError(f"{quote(asked.id)} has no probes. Next: add them in gate/grading/probes.")
    pick = random.Random(f"{seed} {asked.id}")
    probes = list(KNOWN[asked.id](pick))
    pick.shuffle(probes)
    return tuple(
        Case(f"{asked.id}/{number:02}", asked.id, _with_right(asked, probe))
        for number, probe in enumerate(probes, start=1)
    )


def _with_right(asked: Asked, probe: Probe) -> Probe:
    if probe.right or probe.judges:
        return probe
    student = reference(asked)
    return replace(probe, right=observe(probe.observer, lambda: student, probe.given))


@functools.cache
def reference(asked: Asked) -> object:
    """Return what the solution defines under the name that an exercise asks for."""
    lab, _, section = asked.notebook.partition("/")
    return solutions(HOME / "notebooks" / "solutions" / lab, section)[asked.name]
