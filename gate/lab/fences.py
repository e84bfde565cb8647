"""Situations that a fence around a tool has to stand: each says in a `Got` whether the student's did.

A student's fence is made by `student(path)`, `path` naming a file in which it may keep what it knows. It has one
method, `run(payload, mutate)`, which calls `mutate(payload)` or not and returns a dict with `ok` and `result`. An
error of the tool that comes through, and a refusal that is raised, count as an answer that is not ok.

Not here: kills and other processes (the kit's own tests of its ledger).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate.lab.attacks import Got, wrote
from gate.lab.interleaved import two_threads, while_it_runs, while_the_last_one_runs
from gate.lab.ticket_tool import COMMENT, Make, TicketTool, Unclear, ask, comment, held, is_first, ran

BUDGET = 2


def in_situation(student: Any, case: str) -> Got:
    """Put the student's fence into the situation that `case` names; each begins in an empty folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            return SITUATIONS[case](lambda name: student(Path(folder, f"{name}.sqlite")))
        except Unclear as error:
            return Got("unclear", str(error))


def one_call(make: Make) -> Got:
    """One call: the tool runs once, and its result comes back."""
    tool = TicketTool()
    answer = ask(make("ledger"), COMMENT, tool)
    good = answer["ok"] and answer.get("result") == {"ok": True, "n": 1}
    return held(ran(tool, 1, "once is right"), (good, f"the answer is {wrote(answer)}, without the tool's result"))


def same_call_again(make: Make) -> Got:
    """The same call again, after the first was done."""
    fence, tool = make("ledger"), TicketTool()
    first, again = ask(fence, COMMENT, tool), ask(fence, COMMENT, tool)
    return held(ran(tool, 1, "one key, one mutation"), is_first(first, again))


def another_call(make: Make) -> Got:
    """Two wishes with two keys: both run."""
    fence, tool = make("ledger"), TicketTool()
    answers = [ask(fence, comment(number), tool) for number in (1, 2)]
    return held(ran(tool, 2, "two wishes, two keys"), (all(one["ok"] for one in answers), "one of two was refused"))


def tool_fails(make: Make, mood: str = "refused") -> Got:
    """The tool fails, and the same call is tried again."""
    fence, tool = make("ledger"), TicketTool(mood)
    first, retry = ask(fence, COMMENT, tool), ask(fence, COMMENT, tool)
    return held(
        (not first["ok"], "told ok, although the tool failed: a lost write"),
        (bool(tool.done) or not retry["ok"], "the retry was told ok, and nothing ever happened: a lost write"),
        ran(tool, 1, "a failure may be tried again with the same key"),
        (retry["ok"], "the retry ran and was not told ok"),
    )


def tool_says_no(make: Make) -> Got:
    """The tool returns that it failed, and the same call is tried again."""
    return tool_fails(make, "says no")


def key_for_something_else(make: Make) -> Got:
    """One key, two payloads."""
    fence, tool = make("ledger"), TicketTool()
    ask(fence, COMMENT, tool)
    other = ask(fence, {**COMMENT, "body": "another comment"}, tool)
    return held(ran(tool, 1, "one key, one mutation"), (not other["ok"], "told ok for a comment that nobody wrote"))


def restart(make: Make) -> Got:
    """The same call again after a restart: a new fence, the same file."""
    tool = TicketTool()
    first = ask(make("ledger"), COMMENT, tool)
    again = ask(make("ledger"), COMMENT, tool)
    return held(ran(tool, 1, "after the restart it was paid again"), is_first(first, again))


def fresh_key(make: Make) -> Got:
    """The very same wish under a fresh key, as a confused agent sends it."""
    fence, tool = make("ledger"), TicketTool()
    ask(fence, COMMENT, tool)
    ask(fence, {**COMMENT, "idempotency_key": "k-00000002"}, tool)
    return held(ran(tool, 1, "a fresh key paid twice"))


def second_create(make: Make) -> Got:
    """The same ticket created twice, in other words and under another key."""
    fence, tool = make("ledger"), TicketTool()
    create = {**COMMENT, "action": "create_ticket"}
    ask(fence, create, tool)
    ask(fence, {**create, "body": "please ship", "idempotency_key": "k-00000002"}, tool)
    return held(ran(tool, 1, "the ticket was created twice"))


def budget_is_spent(make: Make) -> Got:
    """Three comments on a budget of two."""
    fence, tool = make("ledger"), TicketTool()
    answers = [ask(fence, comment(number), tool)["ok"] for number in (1, 2, 3)]
    fits = (answers[:BUDGET] == [True, True], "a mutation within the budget was refused")
    return held(fits, ran(tool, BUDGET, "the budget is two"), (not answers[2], "told ok beyond the budget"))


def noop_is_free(make: Make) -> Got:
    """Two calls that change nothing, then two comments."""
    fence, tool = make("ledger"), TicketTool()
    free = [ask(fence, {**comment(number), "action": "noop"}, tool)["ok"] for number in (7, 8)]
    return held((all(free), "a noop was refused"), ran(tool, 0, "a noop changes nothing"), *_two_left(fence, tool))


def failure_gives_back(make: Make) -> Got:
    """Two failures that are certain, then two comments."""
    fence, tool = make("ledger"), TicketTool("refused", "refused")
    told = [ask(fence, comment(number), tool)["ok"] for number in (7, 8)]
    return held((not any(told), "told ok, although the tool failed"), *_two_left(fence, tool))


def doubt_stays_spent(make: Make) -> Got:
    """One call acts and its answer never comes; then two comments on a budget of two."""
    fence, tool = make("ledger"), TicketTool("silent")
    first, second, third = (ask(fence, comment(number), tool)["ok"] for number in (1, 2, 3))
    return held(
        (not first, "told ok, and nobody knows whether it is true"),
        (second, "one doubtful call and one comment are two, and the comment was refused"),
        ran(tool, BUDGET, "a call of unknown outcome was given back, and spent again"),
        (not third, "told ok beyond the budget"),
    )


def _two_left(fence: Any, tool: TicketTool) -> tuple[tuple[bool, str], ...]:
    told = [ask(fence, comment(number), tool)["ok"] for number in (1, 2)]
    return (all(told), "after that, one of two comments was refused"), ran(tool, BUDGET, "both comments are due")


SITUATIONS: dict[str, Callable[[Make], Got]] = {
    situation.__name__: situation
    for situation in (
        one_call, same_call_again, another_call, tool_fails, tool_says_no, key_for_something_else, while_it_runs,
        two_threads, restart, fresh_key, second_create,
        budget_is_spent, noop_is_free, failure_gives_back, doubt_stays_spent, while_the_last_one_runs,
    )
}  # fmt: skip
