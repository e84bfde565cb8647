"""What three readers let through of a model's recorded outputs, by what is wrong with each.

The readers: `json.loads`; `json.loads` and a prebuilt `jsonschema`; the gate (the contract, the records of the store,
the echo of what was asked, and nothing that was cut off). What is wrong is found without the gate, by the standard
library and `jsonschema` and by comparing with the question, so that no reader marks its own work.

Not here: making a recording (`record`), the picture (`picture`). Not caught: an output that is about the right thing
and untrue. What nobody can see in an output counts as `nothing wrong`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from gate.calls.reply import is_cut_off, marked
from gate.calls.returns import Accepted, judge_return
from gate.calls.running import Ran
from gate.errors import ConfigError
from gate.evidence.recorded import Recorded
from gate.pipeline import Pipeline
from gate.registry import Contracts
from gate.toolcall import judge_call

READERS = ("json.loads", "json.loads + jsonschema", "the gate")
FINE = "nothing wrong"
#: A field that is another one than was asked, and what to call that.
_OTHER = {
    "order_id": "wrong order",
    "ticket_id": "wrong ticket",
    "currency": "wrong currency for the order",
    "sku": "wrong sku",
    "amount": "another amount than asked",
}
#: What no gate can see in a call alone: which order or ticket the customer meant, and how much of what is left.
UNSEEN = ("wrong order", "wrong ticket", "another amount than asked", FINE)
KINDS = (
    "cut off", "prose around JSON", "no JSON", "no object", "duplicate keys", "missing keys", "extra keys",
    "wrong enum", "another rule of the schema", *_OTHER.values(), FINE,
)  # fmt: skip


class Score(NamedTuple):
    """One kind of fault: how many outputs had it (each counts for its first), how many each reader let through."""

    kind: str
    outputs: int
    naive: int
    jsonschema: int
    gate: int


def score(rows: Iterable[Recorded], contracts: Contracts, asked: Mapping[str, Mapping[str, Any]]) -> list[Score]:
    """Return a score for every kind that occurs, in the order of `KINDS`. `asked` says by prompt what it was about.

    Raises `ConfigError` for an output of a tool that has no contract.
    """
    by_schema = _by_schema()
    pipeline = Pipeline(contracts, ("schema", "store"))
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        contract = contracts.input(row.tool) if row.side == "input" else contracts.output(row.tool)
        if contract is None:
            advice = "write and freeze one, or name a recording of other tools."
            raise ConfigError(f"{row.id}: {row.tool} has no {row.side} contract here. Next: {advice}")
        faults, question = by_schema(contract.schema), dict(asked.get(row.kind, {}))
        value = _loads(row.raw)
        count = counts.setdefault(_kind(row, value, contract.schema, faults, question), Counter())
        count["outputs"] += 1
        count["naive"] += isinstance(value, dict)
        count["jsonschema"] += isinstance(value, dict) and not faults(value)
        count["gate"] += _gate_allows(row, contracts, pipeline, question)
    return [Score(kind, *(counts[kind][name] for name in Score._fields[1:])) for kind in KINDS if kind in counts]


def total(scores: Iterable[Score]) -> Score:
    """Return the sum of all scores.

    >>> total([Score("a", 2, 1, 1, 0), Score("b", 3, 3, 2, 1)])
    Score(kind='all', outputs=5, naive=4, jsonschema=3, gate=1)
    """
    counted = list(scores)
    return Score("all", *(sum(getattr(item, name) for item in counted) for name in Score._fields[1:]))


def slipped(scores: Iterable[Score]) -> list[Score]:
    """Return the kinds that the gate must stop and did not: empty, or something is wrong with the gate."""
    return [item for item in scores if item.gate and item.kind not in UNSEEN]


def _gate_allows(row: Recorded, contracts: Contracts, pipeline: Pipeline, question: dict[str, Any]) -> bool:
    if row.side == "input":
        call = marked({"id": row.id, "name": row.tool, "raw": row.raw}, row.finish_reason)
        return bool(judge_call(contracts, call)) and bool(pipeline.judge(row.tool, row.raw))
    if is_cut_off(row.finish_reason):
        return False
    came = Ran("returned", row.raw)
    return isinstance(judge_return(row.tool, came, contracts.output(row.tool), question, tuple(question)), Accepted)


Faults = Callable[[Any], set[str]]


def _by_schema() -> Callable[[dict[str, Any]], Faults]:
    """Return a maker of functions from a value to the keywords of a schema that it breaks, each prebuilt once."""
    import jsonschema

    made: dict[str, Any] = {}

    def faults_of(schema: dict[str, Any]) -> Faults:
        validator = made.setdefault(json.dumps(schema), jsonschema.Draft202012Validator(schema))
        return lambda value: {error.validator for error in validator.iter_errors(value)}

    return faults_of


def _kind(row: Recorded, value: Any, schema: dict[str, Any], faults: Faults, question: dict[str, Any]) -> str:
    """Return the first thing that is wrong with an output."""
    if is_cut_off(row.finish_reason):
        return "cut off"
    if value is _NONE:
        found = _loads(row.raw[row.raw.find("{") : row.raw.rfind("}") + 1])
        return "prose around JSON" if isinstance(found, dict) else "no JSON"
    if not isinstance(value, dict):
        return "no object"
    if _repeats(row.raw):
        return "duplicate keys"
    if set(schema.get("required", ())) - set(value):
        return "missing keys"
    if set(value) - set(schema.get("properties", {})):
        return "extra keys"
    broken = faults(value)
    if broken:
        return "wrong enum" if "enum" in broken else "another rule of the schema"
    other = (name for field, name in _OTHER.items() if field in question and value.get(field) != question[field])
    return next(other, FINE)


_NONE = object()


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NONE


def _repeats(text: str) -> bool:
    """Say whether an object in a JSON text has a key twice. `json.loads` keeps the last one and tells nobody."""
    found: list[bool] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append(len({key for key, _ in pairs}) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=look)
    return any(found)
