"""Rules of the boards of the results lab: each fault that a student is likely to write turns its own rows red."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gate.files import HOME
from gate.lab.board import run_rule
from gate.lab.board_file import load_board
from gate.lab.reference import solutions

RESULTS = HOME / "notebooks" / "solutions" / "results"


def red(name: str, student: Any) -> set[str]:
    """Return the ids of a board's red rows."""
    chosen = load_board(name)
    return {rule.id for rule in chosen.rules if not run_rule(chosen, rule, student).green}


def all_rows(name: str) -> set[str]:
    return {rule.id for rule in load_board(name).rules}


@pytest.mark.parametrize(
    ("name", "section", "answer"),
    [
        ("results.wrap", "01", "run_tool"),
        ("results.messages", "02", "message"),
        ("results.cap", "03", "cap"),
        ("results.cap_hostile", "03", "safe_cap"),
        ("results.loop", "04", "run_loop"),
        ("results.echo", "04", "strays"),
    ],
)
def test_the_reference_is_green_and_nothing_at_all_is_red(name: str, section: str, answer: str) -> None:
    assert red(name, solutions(RESULTS, section)[answer]) == set()
    assert red(name, lambda *given: None) == all_rows(name)


run_tool = solutions(RESULTS, "01")["run_tool"]


def changed(**fields: Any) -> Callable[[Any, Any], Any]:
    return lambda call, tools: {**run_tool(call, tools), **fields}


def runs_first(call: Any, tools: Any) -> Any:
    if call["name"] == "inventory.lookup" and "input" in call:
        tools["inventory.lookup"](**call["input"])
    return run_tool(call, {name: lambda **_: {} for name in tools})


def other_answer(call: Any, tools: Any) -> Any:
    result = run_tool(call, tools)
    return result if result["is_error"] else {**result, "content": '{"sku": "SKU-19"}'}


def with_text(call: Any, tools: Any) -> Any:
    """Adds the text of what the tool raised."""
    caught: list[Exception] = []

    def noting(**arguments: Any) -> Any:
        try:
            return tools["inventory.lookup"](**arguments)
        except Exception as error:
            caught.append(error)
            raise

    result = run_tool(call, {"inventory.lookup": noting})
    return {**result, "content": f"{result['content']} {caught[0]}"} if caught else result


def forgiving(call: Any, tools: Any) -> Any:
    """Makes a text of whatever comes."""

    def as_text(**arguments: Any) -> Any:
        return json.loads(json.dumps(tools["inventory.lookup"](**arguments), default=str))

    return run_tool(call, {"inventory.lookup": as_text})


WRONG_WRAPS: dict[str, tuple[Any, set[str]]] = {
    "another id": (changed(tool_use_id="c0"), all_rows("results.wrap")),
    "no dict": (lambda call, tools: "4", all_rows("results.wrap")),
    "a field too many": (changed(name="inventory.lookup"), all_rows("results.wrap")),
    "another type": (changed(type="text"), all_rows("results.wrap")),
    "a flag that is no bool": (changed(is_error=1), all_rows("results.wrap")),
    "an empty text": (changed(content=""), all_rows("results.wrap")),
    "never an error": (changed(is_error=False), all_rows("results.wrap") - {"answers"}),
    "always an error": (changed(is_error=True), {"answers"}),
    "an answer of its own": (other_answer, {"answers"}),
    "an error without a reason": (changed(content="failed", is_error=True),
                                  {"answers", "bad-argument", "raises", "exits"}),
    "runs, then judges": (runs_first, {"answers", "bad-argument", "extra-argument", "raises", "raises-without-a-text",
                                       "exits", "coroutine", "set", "nan"}),
    "tells the exception's text": (with_text, {"raises", "raises-without-a-text"}),
    "takes what is no JSON": (forgiving, {"set", "coroutine"}),
}  # fmt: skip


@pytest.mark.parametrize(("student", "expected"), WRONG_WRAPS.values(), ids=WRONG_WRAPS)
def test_a_result_that_is_wrapped_wrongly_is_red(student: Any, expected: set[str]) -> None:
    assert red("results.wrap", student) == expected


def test_what_is_shown_of_a_coroutine_is_the_same_in_every_run() -> None:
    chosen = load_board("results.wrap")
    rule = next(rule for rule in chosen.rules if rule.id == "coroutine")

    def says_it(call: Any, tools: Any) -> Any:
        return changed(is_error=False, content=repr(tools[call["name"]](**call["input"])))(call, {})

    assert "at 0x…>" in run_rule(chosen, rule, says_it).got.words


message = solutions(RESULTS, "02")["message"]
WRONG_MESSAGES: dict[str, tuple[Any, set[str]]] = {
    "echoes": (lambda call: f"{message(call)} You sent {json.dumps(call['input'])[:100]}",
               {"card-number", "close-not-equal", "all-at-once", "a-key-that-talks"}),
    "too long": (lambda call: message(call).ljust(301), all_rows("results.messages")),
    "cut off": (lambda call: message(call)[:90], {"all-at-once"}),
    "only the first": (lambda call: "\n".join(message(call).split("\n")[:2]), {"two-missing", "all-at-once"}),
    "no next step": (lambda call: message(call).replace("Next", "Then"), all_rows("results.messages")),
}  # fmt: skip


@pytest.mark.parametrize(("student", "expected"), WRONG_MESSAGES.values(), ids=WRONG_MESSAGES)
def test_a_message_that_says_too_much_or_too_little_is_red(student: Any, expected: set[str]) -> None:
    assert red("results.messages", student) == expected


def note(dropped: int, total: int) -> str:
    return f"\n[gate: {dropped} of {total} characters left out]\n"


def cut(text: str, limit: int, tail_part: int = 3, wide: bool = True) -> str:
    """A cap without a thought for characters and last lines."""
    total = len(text)
    if total <= limit:
        return text
    room = limit - len(note(total if wide else 0, total))
    tail = room // tail_part
    return text[: room - tail] + note(total - room, total) + text[total - tail :]


CHARACTERS = {"accents", "families"}
LONG = {"one-too-many", "head-and-tail", "many-digits", "stack-trace", *CHARACTERS}
WRONG_CAPS: dict[str, tuple[Any, set[str]]] = {
    "no thought for characters": (cut, {*CHARACTERS, "stack-trace"}),
    "a narrow note": (lambda text, limit: cut(text, limit, wide=False), LONG),
    "note outside": (lambda text, limit: cut(text, limit) if len(text) <= limit else cut(text, limit + 1), LONG),
    "hardly a tail": (lambda text, limit: cut(text, limit, tail_part=60), LONG),
    "no note": (lambda text, limit: text[:limit], LONG),
    "a wrong count": (lambda text, limit: cut(text, limit).replace("[gate: ", "[gate: 1"), LONG),
    "cuts what fits": (lambda text, limit: cut(text, min(limit, len(text) - 1)) if text else text,
                       {"fits", "fits-exactly", *CHARACTERS}),
    "very short": (lambda text, limit: cut(text, limit * 2 // 3), LONG),
    "other words": (lambda text, limit: cut(text.upper(), limit), {"fits", "fits-exactly", *LONG} - {"many-digits"}),
}  # fmt: skip


@pytest.mark.parametrize(("student", "expected"), WRONG_CAPS.values(), ids=WRONG_CAPS)
def test_a_text_that_is_cut_wrongly_is_red(student: Any, expected: set[str]) -> None:
    assert expected <= red("results.cap", student)


safe_cap = solutions(RESULTS, "03")["safe_cap"]
cap = solutions(RESULTS, "03")["cap"]
WRONG_SAFE_CAPS: dict[str, tuple[Any, set[str]]] = {
    "only the cap": (cap, {"cursor", "title", "lone-escape", "colours-at-the-cut", "forged-note", "forged-loudly",
                           "forged-through-an-escape", "short-cap"}),
    "takes the escape alone": (lambda text, limit: safe_cap(text.replace("\x1b", ""), limit),
                               {"cursor", "title", "colours-at-the-cut", "forged-through-an-escape"}),
    "quotes before it cleans": (lambda text, limit: cap(text.replace("[gate:", "[quoted gate:"), limit).replace(
                                    "\x1b[0m", ""), {"forged-through-an-escape", "forged-loudly"}),
    "quotes its own note": (lambda text, limit: safe_cap(cap(text, limit), limit), {"ours-counts"}),
}  # fmt: skip


@pytest.mark.parametrize(("student", "expected"), WRONG_SAFE_CAPS.values(), ids=WRONG_SAFE_CAPS)
def test_hostile_text_that_is_cleaned_in_part_is_red(student: Any, expected: set[str]) -> None:
    assert expected <= red("results.cap_hostile", student)


def equal(asked: Any, answered: Any, fields: Any) -> Any:
    return [field for field in fields if field in asked and answered.get(field) != asked[field]]


def test_equality_of_python_is_no_echo() -> None:
    assert red("results.echo", equal) == {"missing-null", "true", "fraction"}


def test_a_field_that_is_missing_is_not_one_that_is_null() -> None:
    def by_get(asked: Any, answered: Any, fields: Any) -> Any:
        return [one for one in fields if one in asked and json.dumps(answered.get(one)) != json.dumps(asked[one])]

    assert red("results.echo", by_get) == {"missing-null"}


TRIES = 'tries = tries + 1 if any(result["is_error"] for result in results) else 0'
WRONG_LOOPS = {
    "one repair too few": ("tries > max_repairs", "tries >= max_repairs", {"two-repairs", "anew"}),
    "a limit of its own": ("tries > max_repairs", "tries > 2", {"no-repairs"}),
    "never anew": ("else 0", "else tries", {"anew"}),
    "counts calls": (TRIES, 'tries += sum(result["is_error"] for result in results)', {"one-reply-one-try", "anew"}),
    "forgets the ids": (", seen=seen", "", {"same-id-again"}),
    "goes on after the end": ("break", "continue", {"after-the-end"}),
}


@pytest.mark.parametrize(("old", "new", "expected"), WRONG_LOOPS.values(), ids=WRONG_LOOPS)
def test_a_loop_with_one_fault_is_red(old: str, new: str, expected: set[str]) -> None:
    reference = solutions(RESULTS, "04")["run_loop"]
    cells = json.loads((RESULTS / "04_the_whole_loop.ipynb").read_text(encoding="utf-8"))["cells"]
    source = next(text for cell in cells if "def run_loop" in (text := "".join(cell["source"])))
    assert old in source
    namespace = dict(reference.__globals__)
    exec(source.replace(old, new), namespace)  # noqa: S102 - the kit's own file
    assert expected <= red("results.loop", namespace["run_loop"])


@pytest.mark.parametrize(
    ("name", "row", "limit"), [("results.cap_hostile", "shortest-cap", 1), ("results.messages", "all-at-once", 300)]
)
def test_a_text_that_is_too_long_names_its_length_and_the_limit(name: str, row: str, limit: int) -> None:
    chosen = load_board(name)
    [rule] = [one for one in chosen.rules if one.id == row]
    told = run_rule(chosen, rule, lambda *given: "x" * 999).got.words
    assert told.startswith(f"999 characters, the limit is {limit}")
