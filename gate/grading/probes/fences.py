"""Probes for a fence: calls in an order nobody has seen, with tools that fail, and calls that come while another runs.

Not here: sending them (`observe.fences`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from gate.grading.probes.words import Make, Probe

Call = dict[str, Any]


def _payload(pick: random.Random, key: int, action: str = "add_comment") -> Call:
    body = f"{pick.choice(['ship', 'hold', 'return'])} part {pick.randrange(10**6)}"
    return {
        "action": action,
        "ticket_id": f"T-{pick.randrange(1, 999)}",
        "body": body,
        "idempotency_key": f"k-{key:08}",
    }


def _sent(told: str, calls: list[Call]) -> Probe:
    return Probe(told, "fence", {"calls": calls})


def first(pick: random.Random) -> Iterator[Probe]:
    """Calls with known keys and new ones, and a tool that works."""
    keys = [_payload(pick, key) for key in pick.sample(range(10**7), 3)]
    yield _sent("one call", [{"payload": keys[0]}])
    yield _sent("the same call again", [{"payload": keys[0]}] * pick.randrange(2, 5))
    yield _sent("calls with different keys", [{"payload": one} for one in keys])
    for _ in range(3):
        order = [*keys, *pick.choices(keys, k=4)]
        pick.shuffle(order)
        yield _sent("calls and retries in mixed order", [{"payload": one} for one in order])


def mended(pick: random.Random) -> Iterator[Probe]:
    """The same, with tools that fail, keys used for something else, and calls that come while another runs."""
    yield from first(pick)
    one, other = (_payload(pick, key) for key in pick.sample(range(10**7), 2))
    changed = {**one, "body": f"{one['body']} today"}
    for told, mood in (("a tool that fails", "refused"), ("a tool that says no", "says no")):
        fails = {"payload": one, "moods": [mood]}
        yield _sent(f"{told}, then a retry", [fails, {"payload": one}, {"payload": one}])
        yield _sent(f"{told} twice", [fails, fails, {"payload": other}, {"payload": one}, fails])
    yield _sent("a key used for something else", [{"payload": one}, {"payload": changed}, {"payload": one}])
    yield _sent("a key free again after a failure", [{"payload": one, "moods": ["refused"]}, {"payload": changed}])
    given = {"calls": [{"payload": one, "inside": one}, {"payload": one}]}
    yield Probe("the same call while the first runs", "fence", given, judges=(("the same call while the first runs",
                _WhileItRuns(one["body"])),))  # fmt: skip
    told = "the same call from two threads"
    yield Probe(told, "interleaved", {"payload": other}, judges=((told, _OneEffect(other["body"])),))


def budget(pick: random.Random) -> Iterator[Probe]:
    """A budget of two, spent, given back, and in doubt."""

    def calls(*moods: str) -> list[Call]:
        keys = iter(pick.sample(range(10**7), len(moods)))
        return [
            {"payload": _payload(pick, next(keys), "noop" if mood == "noop" else "add_comment"),
             "moods": [] if mood == "noop" else [mood]}
            for mood in moods
        ]  # fmt: skip

    yield _sent("a budget that is spent", calls("", "", "", ""))
    yield _sent("calls that change nothing", calls("noop", "noop", "", "noop", "", "noop", ""))
    yield _sent("failures that are certain", calls("refused", "refused", "", "refused", "", "refused", ""))
    yield _sent("a call in doubt", calls("silent", "", "", "noop"))
    yield _sent("two calls in doubt", calls("silent", "silent", "", "refused"))
    for _ in range(3):
        yield _sent("all of it in mixed order", calls(*pick.choices(["", "refused", "silent", "noop"], k=7)))
    running = calls("", "", "")
    running[1]["inside"] = running.pop()["payload"]
    yield _sent("a call while the last one runs", running)


class _WhileItRuns:
    """Judges two calls with one key, the second sent while the first ran: it is refused, or gets the first result."""

    def __init__(self, body: str) -> None:
        self._body = body

    def __call__(self, seen: Any) -> bool:
        (outer, inner), retry = seen["answers"]
        right = {"ok": True, "result": {"ok": True, "n": 1}}
        return seen["done"] == [self._body] and outer == retry == right and inner in (right, {"ok": False})


class _OneEffect:
    """Judges every order of two calls at once: one effect, nobody told ok before it was true, and none left out."""

    def __init__(self, body: str) -> None:
        self._body = body

    def __call__(self, seen: Any) -> bool:
        right = {"ok": True, "result": {"ok": True, "n": 1}}
        return (
            seen["lines"] > 1
            and not seen["more"]
            and all(
                done == [self._body]
                and right in (first, second)
                and all(one in (right, {"ok": False}) for one in (first, second))
                for first, second, done in seen["pairs"]
            )
        )


MAKES: dict[str, Make] = {"fence.first": first, "fence.mended": mended, "fence.budget": budget}
