"""Probes for answers that are data: printed once by the student's kernel, then judged here, by rules and hidden inputs.

What is judged is a stranger's: it is vetted and limited as everything that comes in.

Not here: fixtures in the folder `work/fixtures` (`grading.packs`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gate.contract import Contract
from gate.evidence.fixtures import vet_fixture
from gate.grading.probes.payloads import near, valid
from gate.grading.probes.words import Judge, Make, Probe
from gate.lab.board import run_rule
from gate.lab.board_file import Board, load_board
from gate.lab.rules import Rule
from gate.registry import load_contracts


class _ByRule:
    """Judges what was written by one rule of its board, as the board would."""

    def __init__(self, board: Board, rule: Rule) -> None:
        self._board, self._rule = board, rule

    def __call__(self, seen: Any) -> bool:
        return run_rule(self._board, self._rule, self.student(seen), limited=False).green

    def student(self, seen: Any) -> Any:
        return seen["written"]


class _ByPack(_ByRule):
    """The same for a list of fixtures."""

    def student(self, seen: Any) -> Any:
        return [vet_fixture(Path(f"{one.pop('id')}.json"), one) for one in map(dict, seen["written"])]


class _ByCall(_ByRule):
    """The same for a function, called once: what it returned is returned again."""

    def student(self, seen: Any) -> Any:
        return lambda *_: seen["returned"]


class _Accepts:
    """Judges a schema by one payload: it must be accepted, or refused, as by the reference."""

    def __init__(self, payload: str, wanted: bool) -> None:
        self._payload, self._wanted = payload, wanted

    def __call__(self, seen: Any) -> bool:
        contract = Contract.from_schema(seen["written"], tool="student")
        return bool(contract.judge(json.loads(self._payload))) is self._wanted


def _by_rules(name: str, judge: type[_ByRule]) -> list[tuple[str, Judge]]:
    board = load_board(name)
    return [(rule.words, judge(board, rule)) for rule in board.rules]


def _schema(name: str, contract: Contract | None, pick: random.Random) -> Iterator[Probe]:
    assert contract is not None
    bases = valid(contract, pick)
    hidden = [("a payload that is right", json.dumps(base), True) for base in bases]
    hidden += [(told, text, False) for told, text in near(contract, bases, pick)]
    judges = _by_rules(name, _ByRule)
    judges += [(told, _Accepts(text, wanted)) for told, text, wanted in hidden]
    yield Probe("your schema", "data", {}, judges=tuple(judges))


def memory_contract(pick: random.Random) -> Iterator[Probe]:
    """The schema of a tool's results."""
    yield from _schema("memory.contract", load_contracts().output("inventory.lookup"), pick)


def arguments_schema(pick: random.Random) -> Iterator[Probe]:
    """The schema of a tool's arguments."""
    yield from _schema("arguments.schema", load_contracts().input("refund_order"), pick)


def pack(pick: random.Random) -> Iterator[Probe]:
    """Three fixtures, and the faults that they notice."""
    yield Probe("your fixtures", "data", {}, judges=tuple(_by_rules("memory.pack", _ByPack)))


def bigger_pack(pick: random.Random) -> Iterator[Probe]:
    """Four fixtures, and the faults that they notice."""
    yield Probe("your fixtures", "data", {}, judges=tuple(_by_rules("memory.bigger_pack", _ByPack)))


def rows(pick: random.Random) -> Iterator[Probe]:
    """Seven labelled calls. Their labels are a person's, and judged by nobody."""
    yield Probe("your calls", "data", {}, judges=tuple(_by_rules("arguments.rows", _ByRule)))


def near_misses(pick: random.Random) -> Iterator[Probe]:
    """A function that makes near misses of a good call: from three good calls that it has not seen."""
    board = load_board("fence.near")
    for number in pick.sample(range(2, 10_000), 3):
        call = {"action": "add_comment", "ticket_id": f"T-{number}", "body": f"part {number}",
                "idempotency_key": f"k-{number:08}"}  # fmt: skip
        text = json.dumps(call)
        rules = [rule._replace(given=text) for rule in board.rules]
        judges = tuple((rule.words, _ByCall(board, rule)) for rule in rules)
        yield Probe("near misses of a call", "call", {"input": json.dumps([call])}, judges=judges)


MAKES: dict[str, Make] = {
    "memory.contract": memory_contract, "arguments.schema": arguments_schema, "memory.pack": pack,
    "memory.bigger_pack": bigger_pack, "arguments.rows": rows, "fence.near": near_misses,
}  # fmt: skip
