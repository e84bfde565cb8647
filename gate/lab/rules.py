"""How one rule of a board is tried against what a student wrote: one function for each kind of board.

A rule is data (`data/boards/*.json`); a kind is a function in `KINDS` that takes the student's object and a rule, and
says in a `Got` what happened. A new kind of board is one more function here.

Not here: the boards and their counts (`board`), attacks on a memory (`attacks`), time limits and crashes (`board`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from gate.contract import Contract
from gate.decision import Decision
from gate.engine.faults import same
from gate.errors import ContractError, Finding, GateError, ResultGateError, quote, type_name
from gate.lab import told
from gate.lab.attacks import ATTACKS, HELD, Got, wrote
from gate.lab.fences import in_situation
from gate.lab.labelled import call_named
from gate.lab.near import near_miss
from gate.lab.packs import notices
from gate.lab.stand_in import GOOD_CALL, behind
from gate.payload import read
from gate.registry import kit_contracts


class Rule(NamedTuple):
    """One rule: what is `given` (JSON text) or a named `case`, and what must come of it.

    `expect` is allow, repair, block, or hold (nothing gave way); for the kind `call` the JSON of the right answer.
    `codes` must be among the codes found. `form` "text" hands the text over as it is, otherwise as Python's `json`
    reads it: NaN comes in, and of two equal keys the last. `next` helps whoever sees it red, `row` is the row of the
    decision table that it proves. Where an answer is a text for a model, `says` must stand in it and `never` must not,
    and it has at most `max` characters.
    """

    id: str
    words: str
    expect: str
    given: str = ""
    case: str = ""
    form: str = "python"
    tool: str | list[str] = ""
    codes: tuple[str, ...] = ()
    next: str = ""
    row: str = ""
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    max: int = 0

    def handed(self) -> Any:
        """Return a fresh copy of what is handed to the student's code."""
        return self.given if self.form == "text" else json.loads(self.given)


class Row(NamedTuple):
    """One rule, what came of it, and whether that is what was expected."""

    rule: Rule
    got: Got
    green: bool


def try_validate(student: Any, rule: Rule) -> Got:
    """`student(tool, payload)` returns the judged dict, or raises `ResultGateError`. Case `copy`: it must be a copy."""
    sent = rule.handed()
    try:
        value = student(rule.tool, sent)
    except ResultGateError as error:
        return blocked(error.findings)
    got = _let_through(value, rule)
    if rule.case == "copy" and got.outcome == "allow":
        return Got("hold", "a copy") if value is not sent else Got("broken", "returned what it was handed, not a copy")
    return got


def try_gate(student: Any, rule: Rule) -> Got:
    """`student(payload)`, or `student(tool, payload)`, returns a Decision, an outcome, or a dict that holds one."""
    arguments = (rule.tool, rule.handed()) if rule.tool else (rule.handed(),)
    try:
        verdict = student(*arguments)
    except GateError as error:
        return blocked(error.findings)
    findings: tuple[Finding, ...] = ()
    if isinstance(verdict, Decision):
        findings, verdict = verdict.findings, verdict.outcome
    elif isinstance(verdict, dict):
        verdict = verdict.get("outcome", verdict.get("decision", verdict))
    if verdict == "block":
        return blocked(findings)
    if isinstance(verdict, tuple) and all(isinstance(found, Finding) for found in verdict):
        return Got("unclear", 'returned findings. Next: return "allow" where there are none, otherwise "block".')
    if isinstance(verdict, bool):
        return Got("unclear", 'returned a bool. Next: return the Decision itself, or a word, "allow" or "block".')
    if verdict in ("allow", "repair"):
        return Got(verdict, f"{verdict}", tuple(found.code for found in findings))
    advice = ". Next: return the Decision itself, not its .value." if isinstance(verdict, dict) else ""
    return Got("unclear", f"returned {wrote(verdict)}, which is neither allow, repair nor block{advice}")


def try_schema(student: Any, rule: Rule) -> Got:
    """The student's schema: `given` is judged by it; the cases `errors` and `warnings` say what vetting still finds.

    A schema whose only error is that it is open judges all the same, so that one sees what it lets in.
    """
    contract, errors = _contract(student)
    if rule.case == "errors":
        return _still_open(errors)
    if contract is None:
        return Got("no contract", "vetting found errors, and those come first")
    if rule.case == "warnings":
        return Got("open", "vetting found errors, and those come first") if errors else _still_open(contract.warnings)
    decision = contract.judge(rule.handed())
    return blocked(decision.findings) if decision.value is None else Got("allow", "allowed")


def try_memory(student: Any, rule: Rule) -> Got:
    """The student's class, made anew for each rule: `given` is appended, or the attack named by `case` is run."""
    if rule.case:
        return ATTACKS[rule.case](student, rule.tool)
    memory, sent = student(), rule.handed()
    try:
        memory.append_tool_result(rule.tool, sent)
    except GateError as error:
        got = blocked(error.findings)
        return Got("leaked", "refused, but it stands in memory all the same") if len(memory.events) else got
    return Got("allow", "kept in memory") if len(memory.events) == 1 else Got("lost", "no error, and not in memory")


def try_call(student: Any, rule: Rule) -> Got:
    """`student(*given)` returns exactly the JSON in `expect`, 4 not 4.0; case `untouched`: and leaves `given` alone."""
    handed = rule.handed()
    value = student(*handed)
    if rule.case and not same(handed, rule.handed()):
        return Got("changed", f"what it was handed is now {wrote(handed)}")
    expected = json.loads(rule.expect)
    if same(value, expected):
        return Got(rule.expect, f"returned {wrote(value)}")
    return Got("other", f"returned {wrote(value)}{_unlike(value, expected)}")


def try_pack(student: Any, rule: Rule) -> Got:
    """The student's fixtures, a list or a folder: they must notice the planted fault that `case` names."""
    return notices(student, kit_contracts().output(rule.tool), rule.case)


def try_wrap(student: Any, rule: Rule) -> Got:
    """`student(call, tools)` returns the one tool result of a call; `case` is what the tool does when it runs."""
    got, content = told.wrap(student, rule.handed(), str(rule.tool), rule.case)
    said = told.say(content, rule.says, rule.never, rule.max)
    return got if said.outcome == HELD or got.outcome != rule.expect else said


def try_text(student: Any, rule: Rule) -> Got:
    """`student(*given)` returns a text that says what it must and nothing that it must not."""
    return told.say(student(*rule.handed()), rule.says, rule.never, rule.max)


def try_cap(student: Any, rule: Rule) -> Got:
    """`student(text, limit)` returns the text cut to the limit: head, the note with the count, tail."""
    text, limit = rule.handed()
    return told.cap(student(text, limit), text, limit)


def blocked(findings: tuple[Finding, ...]) -> Got:
    """Return what is shown for a refusal, with its codes where it has any."""
    codes = tuple(found.code for found in findings)
    return Got("block", "refused" + (f" ({', '.join(codes)})" if codes else ""), codes)


Kind = Callable[[Any, Rule], Got]
KINDS: dict[str, Kind] = {
    "validate": try_validate,
    "gate": try_gate,
    "schema": try_schema,
    "memory": try_memory,
    "call": try_call,
    "pack": try_pack,
    "calls": lambda student, rule: call_named(student, rule.id, rule.handed()),
    "judge": lambda student, rule: try_gate(behind(student, rule.case), rule._replace(given=rule.given or GOOD_CALL)),
    "wrap": try_wrap,
    "text": try_text,
    "cap": try_cap,
    "fence": lambda student, rule: in_situation(student, rule.case),
    "near": lambda student, rule: near_miss(student, rule.handed(), str(rule.tool), rule.case, rule.codes),
}


def _let_through(value: Any, rule: Rule) -> Got:
    if not isinstance(value, dict):
        judged = "its .value" if isinstance(value, Decision) else "the judged dict"
        advice = f"return {judged}, or raise ResultGateError"
        return Got("unclear", f"returned {wrote(value)} and raised nothing: {advice}")
    sent = read(rule.given)
    if isinstance(sent, dict) and not same(value, sent):
        return Got("changed", f"let it through as something else: {wrote(value)}")
    return Got("allow", "allowed")


def _unlike(value: Any, expected: Any) -> str:
    """Return what nobody sees in two values that are written alike: a tuple for a list, a Counter for a dict."""
    try:
        alike = json.dumps(value, sort_keys=True) == json.dumps(expected, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""
    name = type_name(type(value))
    where = f"as a {name}" if name != type_name(type(expected)) else "with another type in it"
    return f", {where}. Next: return plain lists and dicts." if alike else ""


def _still_open(findings: tuple[Finding, ...]) -> Got:
    return Got("open", " ".join(map(str, findings[:2]))) if findings else Got("hold", "nothing is open")


def _contract(schema: Any) -> tuple[Contract | None, tuple[Finding, ...]]:
    """Return the contract for a schema, also where it is merely open, and the errors of its vetting."""
    if not isinstance(schema, dict):
        found = Finding("contract.open", "", f"the schema is {quote(schema)}, not an object.", "write a dict.")
        return None, (found,)
    try:
        return Contract.from_schema(schema, tool="student"), ()
    except ContractError as error:
        merely_open = all(found.code == "contract.open" for found in error.findings)
        closed = Contract.from_schema({"type": "object", "additionalProperties": False}, tool="student")
        return closed.weakened(schema) if merely_open else None, error.findings
