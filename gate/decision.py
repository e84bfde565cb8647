"""The decision: what the gate says of one payload.

Not here: how a decision is reached (`contract`, `pipeline`) or what it makes us do (`harness`).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from gate.errors import Finding

Outcome = Literal["allow", "repair", "block"]


class Decision(NamedTuple):
    """The verdict on one payload. Immutable, and true only when it allows, so that `if decision:` is safe.

    `outcome` is `allow`, `repair` or `block`; `repair` never runs the tool. `stage` is the last stage that ran,
    `findings` the reasons sorted by path and code, `value` the canonical copy that was judged and is to be used (None
    when refused), `skipped` the stages never reached.

    >>> bool(Decision("block", "schema"))
    False
    >>> print(Decision("block", "schema", (Finding("schema.type", "/quantity", "it must be an integer"),)))
    block at schema: schema.type
    """

    outcome: Outcome
    stage: str
    findings: tuple[Finding, ...] = ()
    value: dict[str, Any] | None = None
    skipped: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.outcome == "allow"

    def __str__(self) -> str:
        codes = ", ".join(dict.fromkeys(self.codes))
        return f"{self.outcome} at {self.stage}" + (f": {codes}" if codes else "")

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, in their order."""
        return tuple(found.code for found in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the decision as plain JSON types, as `--json` prints it."""
        return {
            "outcome": self.outcome,
            "stage": self.stage,
            "findings": [found._asdict() for found in self.findings],
            "value": self.value,
            "skipped": list(self.skipped),
        }


def block(stage: str, findings: list[Finding] | tuple[Finding, ...], skipped: tuple[str, ...] = ()) -> Decision:
    """Return a blocking decision, its findings in the one order the kit uses, each reason once."""
    if len(findings) > 1:
        findings = sorted(set(findings), key=lambda found: (found.path, found.code, found.message))
    return Decision("block", stage, tuple(findings), None, skipped)
