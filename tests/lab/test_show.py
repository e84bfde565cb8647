"""Rules of showing one call: a refusal that is shown was one, and an exercise not written yet fails nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.envelope import tool_result
from gate.errors import ConfigError, Finding, ResultGateError
from gate.lab import allowed, refused
from gate.lab.show import NotAsShown
from gate.payload import read
from gate.registry import load_contracts
from gate.results import validate_tool_result

GOOD = {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}


def contract_judge(payload: Any) -> Any:
    contract = load_contracts().output("inventory.lookup")
    assert contract is not None
    return contract.judge(payload)


def stub(*_: Any) -> Any:
    raise NotImplementedError("validate_tool_result")


def raises(error: Exception) -> Any:
    def call(*_: Any) -> Any:
        raise error

    return call


def test_shows_why_something_was_refused() -> None:
    shown = refused(validate_tool_result, "inventory.lookup", {**GOOD, "hint": "buy"})
    assert repr(shown).splitlines()[0] == "refused"
    assert "schema.unknown_field at /hint" in repr(shown) and "Next: " in repr(shown)
    assert "<code>schema.unknown_field" in shown._repr_html_()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: contract_judge('{"sku": "SKU-19"}'), "schema.missing_field"),
        (lambda: read("[1]"), "parse.not_object"),
        (raises(ResultGateError("no contract for x")), "no contract for x"),
        (raises(ConfigError("the lock does not fit")), "the lock does not fit"),
        (lambda: tool_result("c1", ValueError("boom")), "ValueError: boom"),
    ],
    ids=["decision", "finding", "result error", "config error", "tool result"],
)
def test_takes_a_decision_a_finding_an_error_result_and_every_error_of_the_kit_for_a_refusal(
    call: Any, says: str
) -> None:
    assert says in repr(refused(call))


def test_takes_another_exception_only_when_it_is_named() -> None:
    assert "ValueError: no" in repr(refused(raises(ValueError("no\nmore")), by=ValueError))
    with pytest.raises(ValueError, match="no"):
        refused(raises(ValueError("no")))
    with pytest.raises(KeyError):
        refused(raises(KeyError("no")), by=ValueError)


def lets_all_through(payload: Any) -> Any:
    return payload


@pytest.mark.parametrize("call", [lets_all_through, contract_judge, lambda payload: None])
def test_fails_when_nothing_was_refused(call: Any) -> None:
    with pytest.raises(NotAsShown, match="Nothing was refused") as failure:
        refused(call, GOOD)
    assert failure.value._render_traceback_() == [f"\x1b[31m{failure.value}\x1b[0m"]


def test_shows_what_was_let_through_and_fails_when_it_was_refused() -> None:
    assert repr(allowed(validate_tool_result, "inventory.lookup", GOOD)) == f"allowed\n  {json.dumps(GOOD)}"
    assert '"sku": "SKU-19"' in repr(allowed(contract_judge, GOOD))
    with pytest.raises(NotAsShown, match=r"refused what it should let through: schema\.missing_field"):
        allowed(validate_tool_result, "inventory.lookup", {})


@pytest.mark.parametrize("show", [refused, allowed])
def test_an_exercise_that_is_not_written_yet_fails_nothing(show: Any) -> None:
    assert repr(show(stub, GOOD)) == "not written yet: validate_tool_result"
    assert repr(show(..., GOOD)) == "not written yet"
    assert repr(show(contract_judge, ...)) == "not written yet"


def test_shows_markup_in_a_payload_as_text() -> None:
    page = refused(raises(ResultGateError("x", (Finding("schema.type", "", "<b>bold</b>"),))))._repr_html_()
    assert "<b>bold" not in page and "&lt;b&gt;bold" in page
