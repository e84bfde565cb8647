"""The scorecard: a person's labels against the gates, one row a call, four counts that add up, zero false allows.

The positive class is *blocked*: precision says how many of the calls that were blocked deserved it, recall how many of
those that deserved it were blocked. `repair` counts as not allowed, for it never runs the tool.

A row whose `stage` is a gate that was not asked for cannot be stopped there. It is judged like the others and, if the
gates that were asked let it pass, counted apart as `beyond`: neither right nor wrong, and never out of sight.

Not here: packs (`calls`), pictures (`picture`). Not caught: what no row of the pack shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from gate.decision import Decision
from gate.errors import ConfigError, quote
from gate.evidence.calls import LABELS, STAGES, TOOL, Call
from gate.payload import Raw

ANY = "any"  # the row says nothing about where it must stop


class Gates(Protocol):
    """What is scored: `gate.pipeline.Pipeline`, or anything with its `judge`."""

    def judge(self, tool: str, raw: Raw) -> Decision:
        """Return the decision on one call."""


class Row(NamedTuple):
    """One call: what a person said, what the gates said, where they stopped it and why, and where they should have."""

    id: str
    human: str
    machine: str
    stage_blocked: str | None = None
    stage_expected: str | None = ANY
    why: str = ""
    beyond: bool = False

    @property
    def verdict(self) -> str:
        """`true block`, `false allow` and so on, `wrong stage` for a true block elsewhere, or `beyond`."""
        if self.beyond:
            return "beyond"
        if self.machine != "allow" and self.human != "allow" and self.stage_expected not in (ANY, self.stage_blocked):
            return "wrong stage"
        return ("true " if right(self) else "false ") + ("allow" if self.machine == "allow" else "block")


class Scorecard(NamedTuple):
    """The rows and their counts; `true_allow + true_block + false_allow + false_block + beyond == len(rows)`."""

    rows: tuple[Row, ...]
    true_allow: int
    true_block: int
    false_allow: int
    false_block: int
    beyond: int

    @property
    def precision(self) -> float | None:
        """Of the calls that were blocked, the share that deserved it; None when none was blocked."""
        blocked = self.true_block + self.false_block
        return self.true_block / blocked if blocked else None

    @property
    def recall(self) -> float | None:
        """Of the calls that deserved it, the share that was blocked; None when none was judged."""
        deserved = self.true_block + self.false_allow
        return self.true_block / deserved if deserved else None

    @property
    def faults(self) -> tuple[Row, ...]:
        """The rows that did not go as labelled: false allows first, then false blocks, then wrong stages."""
        order = ("false allow", "false block", "wrong stage")
        return tuple(row for verdict in order for row in self.rows if row.verdict == verdict)

    @property
    def passed(self) -> bool:
        """True when no row is a fault, which a gate that blocks everything cannot reach."""
        return not self.faults

    def as_dict(self) -> dict[str, Any]:
        """Return the scorecard as plain JSON types, as `--json` prints it."""
        counts = {name: getattr(self, name) for name in (*self._fields[1:], "precision", "recall", "passed")}
        rows = [{**row._asdict(), "verdict": row.verdict} for row in self.rows]
        return {**counts, "confusion": self.confusion, "rows": rows}

    @property
    def confusion(self) -> dict[str, dict[str, int]]:
        """The confusion table: a row for each human label, a column for each machine outcome; `repair` as block."""
        return {
            "allow": {"allow": self.true_allow, "block": self.false_block},
            "block": {"allow": self.false_allow, "block": self.true_block},
        }


def right(row: Row) -> bool:
    """Return whether person and machine agree on letting the call run or not."""
    return (row.human == "allow") == (row.machine == "allow")


def scorecard(rows: Iterable[Row | Mapping[str, Any]]) -> Scorecard:
    """Return the scorecard of rows: `Row`s, or mappings with `id`, `human`, `machine` and perhaps a stage.

    `stage_blocked` is where the gates stopped the call, `stage_expected` where a person said they would. Raises
    `ConfigError` for no rows, an id twice, an unknown label or outcome, and rows that no person would allow.

    >>> card = scorecard([{"id": "t01", "human": "allow", "machine": "allow"},
    ...                   {"id": "t02", "human": "block", "machine": "repair"}])
    >>> card.true_allow, card.true_block, card.false_allow, card.false_block, card.passed
    (1, 1, 0, 0, True)
    """
    read = tuple(_row(row, number) for number, row in enumerate(rows, start=1))
    if not read:
        raise ConfigError("a scorecard needs rows, there are none. Next: give it the rows of your pack.")
    seen: set[str] = set()
    for row in read:
        if row.id in seen:
            raise ConfigError(f"the id {quote(row.id)} stands twice. Next: judge each call once.")
        seen.add(row.id)
    if not any(row.human == "allow" for row in read):
        raise ConfigError("no row is labelled allow. Next: add some; a gate that blocks everything is no gate.")
    judged = [row for row in read if not row.beyond]

    def count(agree: bool, machine_allows: bool) -> int:
        return sum(right(row) == agree and (row.machine == "allow") == machine_allows for row in judged)

    return Scorecard(
        read, count(True, True), count(True, False), count(False, True), count(False, False), len(read) - len(judged)
    )


def _row(given: Row | Mapping[str, Any], number: int) -> Row:
    fields = given._asdict() if isinstance(given, Row) else dict(given)
    for key in ("id", "human", "machine"):
        if key not in fields:
            raise ConfigError(f"row {number}: {key} is missing. Next: each row needs id, human and machine.")
    known_fields = Row._fields if isinstance(given, Row) else Row._fields[:-1]  # only `score` can tell what is beyond
    if unknown := sorted(str(key) for key in fields if key not in known_fields):
        raise ConfigError(f"row {number}: {quote(unknown[0])} is no field of a row.")
    row = Row(**fields)
    if type(row.id) is not str or not row.id:
        raise ConfigError(f"row {number}: id must be a text, got {quote(row.id)}.")
    allowed = {
        "human": LABELS,
        "machine": LABELS,
        "stage_blocked": (None, "call", *STAGES),
        "stage_expected": (None, ANY, *STAGES),
    }
    for key, values in allowed.items():
        value = getattr(row, key)
        if value not in values:
            listed = ", ".join(str(item) for item in values)
            raise ConfigError(f"row {number} ({quote(row.id)}): {key} {quote(value)} is not one of {listed}.")
    return row


def score(calls: Iterable[Call], gates: Gates, *, stages: Collection[str] = STAGES, tool: str = TOOL) -> Scorecard:
    """Judge every call and return the scorecard. `stages` are the gates that were asked for; see `beyond` above."""
    return scorecard(_judged(call, gates.judge(tool, call.raw), stages) for call in calls)


def _judged(call: Call, decision: Decision, stages: Collection[str]) -> Row:
    out_of_reach = call.stage in STAGES[1:] and call.stage not in stages
    if decision:
        return Row(call.id, call.label, decision.outcome, None, call.stage, "", out_of_reach)
    why = "; ".join(map(str, decision.findings))
    return Row(call.id, call.label, decision.outcome, decision.stage, call.stage, why)
