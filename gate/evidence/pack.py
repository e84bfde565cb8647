"""A first fixture pack for a contract: payloads that pass, and for each rule the smallest one found that breaks it.

It is a beginning. It holds what the contract says, not what the tool's owner meant: read each label, then keep it.

Not here: what a real model sends; put that in as you meet it (`gate fixtures add`).
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace

from gate.contract import Contract
from gate.evidence.fixtures import Fixture
from gate.evidence.fuzz import fuzz
from gate.evidence.mutants import killers
from gate.evidence.samples import Sampler

_SHOTS = 2000  # enough for every rule of a contract of some dozens to be hit
_VALID = 3
_UNKNOWN = ("call.unknown_tool",)


def first_pack(contract: Contract, seed: int = 0) -> list[Fixture]:
    """Return up to three payloads that pass, one for each rule that could be broken, one of an unknown tool, and what
    kills the planted faults that these would not notice.

    The same contract and seed give the same pack. Raises `ConfigError` when nothing is found that passes.

    >>> from gate.registry import load_contracts
    >>> [fixture.id for fixture in first_pack(load_contracts().input("refund_order"))][:3]
    ['valid-1', 'valid-2', 'valid-3']
    """
    pack = [_fixture(contract, f"valid-{n}", text, "") for n, text in enumerate(_valid(contract, seed), start=1)]
    for row in fuzz(contract, _SHOTS, seed)["rules"]:
        if row["sent"] and not row["example"].endswith("…"):
            pack.append(_fixture(contract, _slug(row["rule"]), row["example"], f"breaks {row['rule']}"))
    pack.append(replace(pack[0], id="unknown-tool", tool=f"{contract.tool[:62]}_x", label="block", codes=_UNKNOWN))
    return [*pack, *(replace(one, id=f"kills-{one.id[:58]}") for one in killers(contract, pack))]


def _valid(contract: Contract, seed: int) -> list[str]:
    sampler = Sampler(contract.schema, random.Random(seed))
    drawn = (json.dumps(sampler.draw(), ensure_ascii=False) for _ in range(100))
    return list(dict.fromkeys(text for text in drawn if contract.judge(text)))[:_VALID]


def _fixture(contract: Contract, name: str, raw: str, note: str) -> Fixture:
    decision = contract.judge(raw)
    return Fixture(name, contract.tool, contract.side, "allow" if decision else "block", decision.codes, raw, note)


def _slug(rule: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", rule.replace("/properties", "").lower()).strip("-")[:60]
