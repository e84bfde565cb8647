"""The words every station shares."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gate
from gate.decision import Decision, block
from gate.errors import (
    CODES,
    MAX_MESSAGE,
    ConfigError,
    ContractError,
    Finding,
    GateError,
    ResultGateError,
    clip,
    escape,
    finding,
    quote,
)
from gate.files import HOME
from tests.hostile import samples

FOUND = Finding("parse.fence", "", "a fence", "drop it")


@given(st.text(max_size=400), st.integers(2, 60))
def test_a_piece_of_what_was_sent_is_short_and_printable_ascii(text: str, limit: int) -> None:
    shown = quote(text, limit)
    assert len(shown) <= limit + 2
    assert (shown[0], shown[-1]) == ('"', '"')
    assert shown.replace("…", "").isascii() and shown.isprintable()


@given(st.text(max_size=20))
def test_a_short_piece_can_be_read_back(text: str) -> None:
    assert json.loads(quote(text, 300)) == text


def test_a_value_is_named_by_its_type_and_never_asked() -> None:
    for value in samples():
        shown = quote(value)
        assert shown.startswith("a value of type ") or type(value) is str
        assert shown.isascii() and shown.isprintable()


def test_a_type_s_name_cannot_write_to_a_terminal() -> None:
    assert quote(type("a\x1b[2J\u202e", (), {})()) == "a value of type a\\u001b[2J\\u202e"


@given(st.text(max_size=1000), st.text(max_size=1000), st.text(max_size=1000))
def test_a_finding_keeps_its_caps_whatever_is_put_in(path: str, message: str, hint: str) -> None:
    found = finding("schema.type", path, message, hint)
    assert max(map(len, (found.path, found.message, found.hint))) <= MAX_MESSAGE


def test_what_is_cut_ends_in_an_ellipsis() -> None:
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdefg", 6) == escape("abcdefg", 6) == "abcde…"


def test_an_error_is_short_and_holds_its_findings() -> None:
    found = Finding("schema.type", "/a", "m")
    error = ResultGateError("x" * 10_000_000, (found,))
    assert len(str(error)) <= 4 * MAX_MESSAGE
    assert error.findings == (found,)


def test_the_tree_of_errors_is_the_documented_one() -> None:
    assert ConfigError.__bases__ == ResultGateError.__bases__ == (GateError,)
    assert ContractError.__bases__ == (ConfigError,)


def test_a_finding_reads_as_a_sentence() -> None:
    assert (
        str(Finding("schema.type", "/a", "a is wrong.", "mend it.")) == "schema.type at /a: a is wrong. Next: mend it."
    )
    assert str(Finding("parse.empty", "", "nothing.")) == "parse.empty: nothing."


def test_only_an_allowing_decision_is_true() -> None:
    assert Decision("allow", "schema", (), {})
    assert not Decision("repair", "schema")
    assert not Decision("block", "schema")


def test_a_decision_prints_as_a_few_words_and_its_repr_holds_everything() -> None:
    twice = [Finding("schema.type", "/a", "m"), Finding("schema.type", "/b", "m"), Finding("schema.enum", "/c", "m")]
    refused = block("schema", twice)
    assert str(refused) == f"{refused}" == "block at schema: schema.type, schema.enum"
    assert str(Decision("allow", "store", (), {"a": 1})) == "allow at store"
    assert eval(repr(refused), {"Decision": Decision, "Finding": Finding}) == refused


def test_findings_have_one_order_and_stand_once() -> None:
    one, two, three = Finding("b", "/a", "x"), Finding("a", "/b", "x"), Finding("a", "/a", "x")
    assert block("schema", [two, one, three, one]).findings == (three, one, two)


def test_a_decision_is_plain_json() -> None:
    decision = block("schema", [Finding("schema.type", "/a", "m", "h")], ("store",))
    assert json.loads(json.dumps(decision.as_dict())) == {
        "outcome": "block",
        "stage": "schema",
        "findings": [{"code": "schema.type", "path": "/a", "message": "m", "hint": "h"}],
        "value": None,
        "skipped": ["store"],
    }


def test_every_code_in_the_source_is_a_known_one() -> None:
    known = {f"{stage}.{reason}" for stage, reasons in CODES.items() for reason in reasons}
    stages = "|".join(CODES)
    for path in Path(HOME / "gate").glob("*.py"):
        used = re.findall(rf'"((?:{stages})\.[a-z_]+)"', path.read_text(encoding="utf-8"))
        assert set(used) <= known, path.name


def test_all_public_names_can_be_had() -> None:
    assert gate.__all__ == sorted(gate.__all__)
    assert all(getattr(gate, name) is not None for name in gate.__all__)
    assert set(gate.__all__) < set(dir(gate))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        gate.nothing_of_the_kind  # noqa: B018


def test_a_notebook_shows_a_misconfigured_kit_in_one_red_line() -> None:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    with capture_output() as shown:
        shell.run_cell("from gate.lab import hint\nhint('memory.inventd')")
    assert "Traceback" not in shown.stdout and "board_file.py" not in shown.stdout
    assert 'There is no board "memory.inventd". Next: use memory.invented.' in shown.stdout


@pytest.mark.parametrize(
    "wrong", [(FOUND, ()), ((FOUND,), ()), (None, ()), ("why", FOUND), ("why", [FOUND]), ("why", ("x",))]
)
def test_an_exception_takes_a_text_and_then_findings_so_that_none_is_lost(wrong: tuple[Any, Any]) -> None:
    for kind in (GateError, ResultGateError, ConfigError):
        with pytest.raises(TypeError, match=rf'Next: raise {kind.__name__}\("why", .*findings\)\.'):
            kind(*wrong)


def test_an_exception_given_as_the_message_is_told_to_be_a_text() -> None:
    with pytest.raises(TypeError, match=r"got a KeyError\. Next: raise ResultGateError\(str\(error\)\)\."):
        ResultGateError(KeyError("quantity"))  # type: ignore[arg-type]
