"""Probes for plain functions: what do they return for arguments that nobody has seen?

Not here: gates and validators (`payloads`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from gate.grading.probes.words import Make, Probe, as_input
from gate.responses import load_responses


def _probe(told: str, *arguments: Any, after: bool = False) -> Probe:
    return Probe(told, "call", {"input": as_input(list(arguments)), **({"after": True} if after else {})})


def frame(pick: random.Random) -> Iterator[Probe]:
    """All ten rules: there are no others."""
    for letter in "abcdefghij":
        yield _probe(f"rule {letter}", letter)


def tally(pick: random.Random) -> Iterator[Probe]:
    """Rows of every kind, and the four counts."""
    labels, verdicts = ["allow", "block", "repair"], ["allow", "block", "repair", None, "ALLOW"]
    yield _probe("no rows", [])
    for human in labels:
        rows = [{"human": human, "machine": pick.choice(verdicts)} for _ in range(pick.randrange(2, 9))]
        yield _probe(f"rows that a person labelled {human}", rows)
    for verdict in verdicts:
        rows = [{"human": pick.choice(labels), "machine": verdict} for _ in range(pick.randrange(2, 9))]
        yield _probe(f"rows that came to {verdict}", rows)


def came_to(pick: random.Random) -> Iterator[Probe]:
    """Answers of a tool, clear ones and doubtful ones."""
    yield _probe("an ok", {"ok": True, "n": pick.randrange(9)})
    yield _probe("an ok beside a status", {"ok": True, "status": pick.choice([200, 201])})
    yield _probe("a clear no", {"ok": False, "error": pick.choice(["closed", "full", "locked"])})
    yield _probe("a refusal of the other side", {"status": pick.choice([400, 401, 403, 404, 409, 410, 422])})
    yield _probe("a failure of the other side", {"status": pick.choice([500, 502, 503, 504])})
    yield _probe("a status that says it stopped waiting", {"status": 408})
    yield _probe("a status that is no error", {"status": pick.choice([100, 202, 302])})
    yield _probe("nothing", None)
    yield _probe("a text", pick.choice(["done", "ok", "written", "true"]))
    yield _probe("an ok that is neither true nor false", {"ok": pick.choice(["yes", 1, "true", 0, None])})
    yield _probe("an empty object", {})
    yield _probe("a list", [{"ok": True}])


def next_step(pick: random.Random) -> Iterator[Probe]:
    """Codes of the kit's own table, alone and together, at every number of tries."""
    by_action: dict[str, list[str]] = {}
    for answer in load_responses():
        by_action.setdefault(answer.we_do, []).append(answer.code)
    yield _probe("no code", [], pick.randrange(5))
    for action, codes in by_action.items():
        yield _probe(f"a code whose response is {action}, first try", [pick.choice(codes)], 0)
        yield _probe(f"a code whose response is {action}, late", [pick.choice(codes)], pick.randrange(2, 9))
    every = [code for codes in by_action.values() for code in codes]
    for count in (2, 2, 3, 4):
        yield _probe("several codes", pick.sample(every, count), pick.randrange(4))
    yield _probe("a code that nobody decided", [f"fence.{pick.choice(['eclipse', 'high_tide', 'monday'])}"], 0)
    yield _probe("one known code and one that nobody decided", [pick.choice(by_action["repair"]), "fence.comet"], 0)


def invented(pick: random.Random) -> Iterator[Probe]:
    """Events with and without keys that nobody promised."""
    names = ["reorder_hint", "note", "source", "supplier", "aisle", "confidence", "Sku", "quantity "]
    good = {"sku": f"SKU-{pick.randrange(99)}", "quantity": pick.randrange(99), "warehouse": "ams"}

    def events(*extra: list[str], less: str = "") -> list[Any]:
        kept = {name: value for name, value in good.items() if name != less}
        return [{"content": {**kept, **dict.fromkeys(keys, "?")}} for keys in extra]

    yield _probe("no events", [])
    yield _probe("clean events", events([], []))
    yield _probe("a missing key", events([], less=pick.choice(sorted(good))))
    yield _probe("an invented key", events([pick.choice(names)]))
    yield _probe("several in one event", events(pick.sample(names, 3)))
    yield _probe("the same in two events", events(pick.sample(names, 2), names[:3]))
    yield _probe("in the last event only", events([], [], [pick.choice(names)]))
    yield _probe("what became of the events", events(pick.sample(names, 2), []), after=True)


def echo(pick: random.Random) -> Iterator[Probe]:
    """What was asked and what came back: the same, nearly the same, another type, nothing."""
    sku = f"SKU-{pick.randrange(10, 99)}"
    other = {"quantity": pick.randrange(9), "warehouse": "sfo"}
    yield _probe("the same", {"sku": sku}, {"sku": sku, **other}, ["sku"])
    yield _probe("another value", {"sku": sku}, {"sku": sku[:-1], **other}, ["sku"])
    yield _probe("the other case", {"sku": sku}, {"sku": sku.lower(), **other}, ["sku"])
    yield _probe("a blank more", {"sku": sku}, {"sku": f"{sku} ", **other}, ["sku"])
    yield _probe("nothing came back", {"sku": sku}, other, ["sku"])
    yield _probe("nothing came back for null", {"bin": None}, other, ["bin"])
    yield _probe("a field that was not asked", {"sku": sku}, {"sku": sku, **other}, ["warehouse", "sku"])
    yield _probe("a field that is not looked at", {"sku": sku, "quantity": 77}, {"sku": sku, **other}, ["sku"])
    for asked, answered in ((1, True), (0, False), (4, 4.0), (7, "7"), (None, 0)):
        yield _probe("another type", {"n": asked, "m": sku}, {"n": answered, "m": sku}, ["m", "n"])
    fields = pick.sample(["a", "b", "c", "d"], 4)
    yield _probe("several, in their order", dict.fromkeys(fields, 1), dict.fromkeys(fields[:2], 2), fields)


def loop(pick: random.Random) -> Iterator[Probe]:
    """Planners that succeed, mend, give up, or go on for ever."""
    names = (f"c{number}" for number in range(pick.randrange(1, 50), 10_000))

    def reply(*good: bool) -> list[Any]:
        sku = {"sku": "SKU-19"}
        return [{"id": next(names), "name": "inventory.lookup", "input": sku if one else {}} for one in good]

    plans: dict[str, tuple[list[tuple[bool, ...]], int]] = {
        "one good call": ([(True,), ()], 2), "nothing to call": ([()], 1),
        "no reply left": ([(True,), (True, True)], 2), "calls after the end": ([(True,), (), (True,)], 2),
        "several calls in one reply": ([(True, False, True), ()], 2),
        "a repair": ([(False,), (True,), ()], 2), "the last repair": ([(False,)] * 3 + [(True,), ()], 3),
        "one error too many": ([(False,)] * 5, 3), "several errors in one reply": ([(False, False), (True,), ()], 1),
        "errors with a good reply between": ([(False,), (True,), (False,), (True,), ()], 1),
        "no repairs allowed": ([(False,), (True,)], 0), "a good call beside a bad one": ([(True, False)] * 3, 1),
    }  # fmt: skip
    for told, (replies, repairs) in plans.items():
        yield _probe(told, [reply(*one) for one in replies], repairs)
    again = reply(True)
    yield _probe("an id that was used before", [again, reply(True), again, []], 2)


MAKES: dict[str, Make] = {
    "arguments.frame": frame, "arguments.tally": tally, "fence.came_to": came_to, "fence.next_step": next_step,
    "memory.invented": invented, "results.echo": echo, "results.loop": loop,
}  # fmt: skip
