"""The limits: read strictly, refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.limits import Limits, limits_from, load_limits
from gate.registry import load_contracts

GOOD = {
    "max_mutations": 3, "max_wall_ms": 2000, "allowed_actions": ["noop"], "max_repairs": 2, "max_result_chars": 2000,
    "max_payload_bytes": 65536,
}  # fmt: skip


def test_the_kits_own_limits_fit_the_ticket_tool() -> None:
    contract = load_contracts().input("ticket")
    assert contract is not None
    assert set(load_limits().allowed_actions) == set(contract.schema["properties"]["action"]["enum"])


def test_good_limits_come_back_as_they_are() -> None:
    assert limits_from(GOOD) == Limits(3, 2000, ("noop",), 2, 2000, 65536)


@pytest.mark.parametrize("name", [name for name in GOOD if name != "allowed_actions"])
@pytest.mark.parametrize("odd", ["NaN", "-1", "true", '"3"', "3.0", "null", "1e999", "[3]", "99999999999"])
def test_an_odd_number_refuses_to_start_in_one_line_that_names_file_and_field(
    tmp_path: Path, name: str, odd: str
) -> None:
    path = tmp_path / "limits.json"
    path.write_text(json.dumps(GOOD | {name: "HERE"}).replace('"HERE"', odd))
    with pytest.raises(ConfigError) as refused:
        load_limits(path)
    message = str(refused.value)
    assert str(path) in message and "\n" not in message
    assert name in message or refused.value.findings[0].code == "parse.non_finite"


@pytest.mark.parametrize("odd", ["[]", '["noop", "noop"]', '["No op"]', '"noop"', "[7]", "null"])
def test_odd_actions_refuse_to_start(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "limits.json"
    path.write_text(json.dumps(GOOD | {"allowed_actions": "HERE"}).replace('"HERE"', odd))
    with pytest.raises(ConfigError, match="allowed_actions"):
        load_limits(path)


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_limit_refuses_to_start(name: str) -> None:
    with pytest.raises(ConfigError, match=f"^limits: schema.missing_field at /{name}: missing field {name}"):
        limits_from({key: value for key, value in GOOD.items() if key != name})


def test_a_misspelt_limit_refuses_to_start_and_says_what_was_meant() -> None:
    with pytest.raises(ConfigError, match="send max_mutations if that is what you mean"):
        limits_from(GOOD | {"max_mutation": 3})


@pytest.mark.parametrize("text", ["", "{", '{"max_mutations": 1, "max_mutations": 2}', "[]"])
def test_a_malformed_file_refuses_to_start(tmp_path: Path, text: str) -> None:
    (tmp_path / "limits.json").write_text(text)
    with pytest.raises(ConfigError, match=r"limits\.json: "):
        load_limits(tmp_path / "limits.json")


def test_a_missing_file_refuses_to_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_limits(tmp_path / "limits.json")
