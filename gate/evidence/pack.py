"""A first fixture pack for a contract: for each constraint a payload that keeps it and the smallest one that breaks it.

Labels come from how a payload was made: drawn to fit, or moved one step over the border of one rule; what the contract
decides otherwise is left out. It is a beginning. It holds what the contract says, not what the tool's owner meant: read
each label, then keep it.

Not here: what a real model sends; put that in as you meet it (`gate fixtures add`).
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from gate.contract import Contract
from gate.engine.faults import json_type, same
from gate.errors import CODES, ConfigError, clip
from gate.evidence.fixtures import Fixture, strangers
from gate.evidence.fuzz import fuzz
from gate.evidence.mutants import killers
from gate.evidence.reach import reaching
from gate.evidence.rules import Rule, at_path, places, rules
from gate.evidence.samples import Sampler

_SHOTS = 20  # at each rule: the smallest of so many is kept
_DRAWN = 600
_MANY_VALUES = 20  # of one enum
_LONG = 46  # an id gets a side before it, and a label and a number behind it
_UNKNOWN = ("call.unknown_tool",)
_UP = {"maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"}
_DOWN = {"minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"}
Fits = Callable[[Any], bool]


def first_pack(contract: Contract, seed: int = 0) -> list[Fixture]:
    """Return an allow and a block for each rule of a contract, the blocks of the front door, one of an unknown tool,
    and what kills the planted faults that these would not notice.

    Rules that the same payload keeps share it; its note names them all. The same contract and seed give the same pack.
    Raises `ConfigError` when nothing is found that passes.

    >>> from gate.registry import load_contracts
    >>> [(one.id, one.label) for one in first_pack(load_contracts().input("refund_order"))][:2]
    [('additionalproperties-allow', 'allow'), ('additionalproperties-block', 'block')]
    """
    allowed = _allowed(contract, seed)
    pack = sorted([*allowed, *_broken(contract, seed)], key=lambda fixture: fixture.id)
    beside = replace(allowed[0], id="unknown-tool", tool=strangers(contract.tool)[0], label="block", codes=_UNKNOWN)
    pack.append(replace(beside, note="fits, but no contract is for this tool"))
    return _numbered(pack + [replace(one, id=f"kills-{one.id[:_LONG]}") for one in killers(contract, pack)])


def _broken(contract: Contract, seed: int) -> list[Fixture]:
    found = []
    aims = len(rules(contract.schema)) + len(CODES["parse"])
    for row in fuzz(contract, _SHOTS * aims, seed)["rules"]:
        decision = contract.judge(row["example"]) if row["sent"] and not row["example"].endswith("…") else None
        front_door = row["rule"].startswith("parse.")  # a text that had to be bytes says something else now
        if decision is not None and not decision and (not front_door or decision.codes == (row["rule"],)):
            note = f"breaks {row['rule']}{'' if row['alone'] else ', which another rule implies'}: {row['fault']}"
            name = f"{_slug(row['rule'])}-block"
            found.append(Fixture(name, contract.tool, contract.side, "block", decision.codes, row["example"], note))
    return found


def _allowed(contract: Contract, seed: int) -> list[Fixture]:
    drawn = _drawn(contract, seed)
    if not drawn:
        raise ConfigError(f"no payload was found that {contract.id} allows. Next: see if its rules clash.")
    chosen: dict[str, list[str]] = {min(drawn, key=_size): []}
    chosen.setdefault(max(drawn, key=_size), [])
    for rule in rules(contract.schema):
        for what, fits in _aims(rule):
            best = max(drawn.items(), key=lambda item: _score(rule, item, fits))
            if _score(rule, best, fits)[0]:
                chosen.setdefault(best[0], []).append(f"{rule.name}{what}")
    return [_fitting(contract, text, kept) for text, kept in chosen.items()]


def _fitting(contract: Contract, text: str, kept: list[str]) -> Fixture:
    name = f"{_slug(kept[0] if kept else 'size')}-allow"
    note = f"keeps {', '.join(kept)}" if kept else "of all that were drawn, the shortest or the longest"
    return Fixture(name, contract.tool, contract.side, "allow", (), text, note)


def _numbered(pack: list[Fixture]) -> list[Fixture]:
    """Return the fixtures with a number behind an id that stands there already."""
    seen: Counter[str] = Counter()
    named = []
    for fixture in pack:
        seen[fixture.id] += 1
        times = seen[fixture.id]
        named.append(fixture if times == 1 else replace(fixture, id=f"{fixture.id}-{times}"))
    return named


def _drawn(contract: Contract, seed: int) -> dict[str, Any]:
    """Return distinct payloads that pass, by their text."""
    sampler = Sampler(contract.schema, random.Random(seed))
    drawn = [sampler.draw() for _ in range(_DRAWN)]
    fine = [value for value in drawn if contract.judge(json.dumps(value))]
    fine += reaching(contract.schema, fine, sampler, lambda value: contract.judge(json.dumps(value)))
    return {json.dumps(value, ensure_ascii=False): value for value in fine}


def _aims(rule: Rule) -> Iterator[tuple[str, Fits]]:
    """Yield what is to be kept of one rule: each value of an enum, each of several types, else the rule as it is."""
    limit = rule.node[rule.keyword]
    if rule.keyword == "enum":
        for value in limit[:_MANY_VALUES]:
            yield f" by {clip(json.dumps(value), 40)}", partial(same, value)
    elif rule.keyword == "type" and isinstance(limit, list):
        for kind in limit:
            yield f" by a value of type {kind}", partial(_is_of, kind)
    elif rule.item is not None:
        yield "", lambda there: isinstance(there, dict) and rule.item in there
    else:
        yield "", lambda there: True


def _is_of(kind: str, value: Any) -> bool:
    return kind == json_type(value) or (kind == "number" and json_type(value) == "integer")


def _score(rule: Rule, drawn: tuple[str, Any], fits: Fits) -> tuple[bool, float, int]:
    """Return how well a payload shows that a rule may be kept: it bites there, near its border, and little else."""
    text, value = drawn
    there = [at_path(value, path) for at in rule.at for path in places(value, at)]
    fitting = [one for one in there if fits(one)]
    return bool(fitting), max((_nearness(rule.keyword, one) for one in fitting), default=0.0), -len(text)


def _nearness(keyword: str, value: Any) -> float:
    """Return how near to the border of a keyword a value is, where it has one."""
    way = 1 if keyword in _UP else -1 if keyword in _DOWN else 0
    if isinstance(value, str | list | dict):
        return float(way * len(value))
    return float(way * value) if isinstance(value, int | float) else 0.0


def _size(text: str) -> tuple[int, str]:
    return len(text), text


def _slug(rule: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", rule.replace("/properties", "").lower()).strip("-")[:_LONG]
