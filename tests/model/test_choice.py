"""One order everywhere: MODEL_BASE_URL if set, else the local model, else the recorded one; none replaces another."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.lab.stand_in import model_environ
from gate.model.choice import best, model
from gate.model.place import gguf

REMOTE = {"MODEL_BASE_URL": "https://models.example/v1", "MODEL_API_KEY": "k", "MODEL_NAME": "m"}


@pytest.fixture(autouse=True)
def no_local_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_MODEL", str(tmp_path / "model"))


def put_a_model() -> None:
    gguf().parent.mkdir(parents=True)
    gguf().write_bytes(b"not the pinned one")
    (gguf().parents[1] / "xllamacpp").mkdir()


def test_the_order_is_remote_local_recorded() -> None:
    assert best({}) == best({"MODEL_BASE_URL": "  "}) == "recorded"
    put_a_model()
    assert best({}) == "local"
    assert best({"MODEL_BASE_URL": "https://models.example/v1"}) == "remote"


def test_the_recorded_model_runs_where_there_is_no_other() -> None:
    with model(environ={}) as environ:
        assert environ["MODEL_NAME"] == "recorded-smollm2"


def test_a_remote_model_is_handed_on_as_it_is_set() -> None:
    with model("remote", {**REMOTE, "PATH": "/bin"}) as environ:
        assert environ == REMOTE


@pytest.mark.parametrize("missing", REMOTE)
def test_a_remote_model_that_is_half_set_is_told_and_never_replaced(missing: str) -> None:
    with pytest.raises(ConfigError, match=f"the model cannot be asked: {missing} is not set"):
        model("remote", {**REMOTE, missing: ""}).__enter__()


def test_a_local_model_that_is_missing_or_another_one_is_told_and_never_replaced() -> None:
    with pytest.raises(ConfigError, match="not installed. Next: run gate model install"):
        model("local").__enter__()
    put_a_model()
    for who in ("local", "best"):
        with pytest.raises(ConfigError, match="not the pinned model, its hash differs"):
            model(who, {}).__enter__()


def test_an_unknown_choice_is_told() -> None:
    with pytest.raises(ConfigError, match='"gpt" is no model. Next: one of best, remote, local, recorded'):
        model("gpt").__enter__()


def test_a_notebook_gets_the_same_model_each_time_it_asks() -> None:
    assert model_environ("recorded") is model_environ("recorded")
