"""What probes came to, from what nbval said of its cell and, where several answers are right, from what it showed.

What is told to a student names the kind of input and how the code ended. It never holds the input, the right answer,
or a text of the student's own choosing.

Not here: points (`grade`).
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gate.errors import Finding, escape
from gate.grading.observe import MAX_CHARS
from gate.grading.observe.apart import limited
from gate.grading.probes import Case, Judge
from gate.grading.words import Check, Ran
from gate.payload import read

_CAME = {
    "missing": "it was not reached, for what stands before it ended the run",
    "crashed": "the kernel ended, or used more processes or memory than it may",
    "timeout": "it did not end in time",
    "error": "the answer cell could not be tried",
}
_ENDED = {
    "timeout": "it did not end in time",
    "exit": "it ended the process",
    "untried": "it was not tried, for two inputs before did not end in time",
    "not written": "it is not written yet",
}
#: What has nothing to do with the input, so that it is told once.
_WHATEVER = ("probe.missing", "probe.untried")
_MOVE = "put into the answer cell itself what makes it, and hand in again."


def verdicts(tried: Iterable[tuple[Case, Ran]], name: str, unmade: Sequence[str] = ()) -> Iterator[Check]:
    """Yield the checks of an exercise's probes: of each one, or one for each of its judges.

    `unmade` are names that the answer uses and no cell makes.
    """
    each = [(case, ran, _seen(ran.shown)) for case, ran in tried]
    asked = [(judge, seen) for case, ran, seen in each if ran.came == "same" for _, judge in case.probe.judges]
    judged = _judged(asked)
    said = iter(judged or ())
    for case, ran, seen in each:
        if not case.probe.judges:
            yield _check(case.id, name, case.probe.told, ran.came == "same", ran, seen, unmade)
        elif judged is None and ran.came == "same":
            ran, seen = Ran("timeout"), {}
        for number, (told, _) in enumerate(case.probe.judges, start=1):
            id = f"{case.id}.{number:02}" if len(case.probe.judges) > 1 else case.id
            yield _check(id, name, told, ran.came == "same" and next(said), ran, seen, unmade)


def _check(id: str, name: str, told: str, right: bool, ran: Ran, seen: dict[str, Any], unmade: Sequence[str]) -> Check:
    if right:
        return Check(id, "pass", "", name, told)
    code, how = _how(ran, seen)
    if unmade and seen.get("raised") == "NameError":  # the same whatever the input: one reason, told once
        names = ", ".join(escape(one, 60) for one in unmade[:3])
        return Check(id, "fail", code, name, f"no cell that was handed in makes {names}. Next: {_MOVE}")
    if code in _WHATEVER:
        return Check(id, "fail", code, name, f"{how}. Next: mend that first.")
    kind = told.removesuffix(".")
    return Check(id, "fail", code, name, f"{kind}: {how}. Next: try inputs of this kind on {name}; its board has some.")


def cell_ended(ran: Ran) -> str:
    """Return in words that an answer cell ended the run by itself, before any input was tried."""
    return f"when the answer cell itself was run, {_CAME[ran.came]}. Next: run that cell alone, and mend it."


def not_run(ran: Mapping[str, Ran]) -> str:
    """Return in words why nothing of a notebook was tried."""
    ended = next((one.came for one in ran.values() if one.came != "same"), "missing")
    return f"The notebook could not be run ({ended}). Next: grade it again."


def _seen(shown: str) -> dict[str, Any]:
    value = read(shown, max_bytes=8 * MAX_CHARS) if shown else {}
    return {} if isinstance(value, Finding) else value


def _judged(asked: list[tuple[Judge, dict[str, Any]]]) -> list[bool] | None:
    """Judge what a student's kernel said, or return None if that does not end: a schema can be made so."""
    if not asked:
        return []
    told: list[bool] | dict[str, str] = json.loads(limited(lambda: json.dumps([_one(*each) for each in asked])))
    return told if isinstance(told, list) else None


def _one(judge: Judge, seen: dict[str, Any]) -> bool:
    """Return what a judge says; whatever goes wrong with it is a no."""
    try:
        return judge(seen) is True
    except Exception:  # noqa: BLE001 - any shape may have been forged
        return False


def _how(ran: Ran, seen: dict[str, Any]) -> tuple[str, str]:
    if ran.came in _CAME:
        return f"probe.{ran.came}", _CAME[ran.came]
    ended, raised = seen.get("ended"), seen.get("raised")
    if isinstance(ended, str) and ended in _ENDED:
        return f"probe.{ended.replace(' ', '_')}", _ENDED[ended]
    if isinstance(raised, str):
        known = isinstance(getattr(builtins, raised, None), type)
        return "probe.raised", f"it raised {raised if known else 'an exception'}"
    return "probe.differs", "it came to something else than the contract asks for"
