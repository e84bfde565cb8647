"""What pip or uv says becomes one line with a way out."""

from __future__ import annotations

import importlib.util
import shutil
import sys

import pytest

from gate.errors import ConfigError
from gate.installer import downloader, explain, installer, run


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "WARNING: connection broken by NewConnectionError\nERROR: No matching distribution found",
            "cannot be reached",
        ),
        ("NewConnectionError: SSLError(CERTIFICATE_VERIFY_FAILED)", "a certificate was not trusted"),
        (
            "WARNING: The repository located at pypi.lan is not a trusted or secure host and is being ignored.\n"
            "ERROR: No matching distribution found",
            "passes over a package index without https",
        ),
        ("error: Failed to fetch: `https://x/simple/`", "cannot be reached"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "its hash differs"),
        ("Hash mismatch for `xllamacpp`", "its hash differs"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("× No solution found when resolving dependencies", "ready-made build"),
        ("ERROR: an odd\x1b[2J thing\n\n", "ERROR: an odd\\u001b[2J thing. Next: mend that"),
        ("", "it said nothing"),
    ],
)
def test_what_an_installer_says_becomes_one_line_with_a_way_out(said: str, told: str) -> None:
    assert told in explain(said)


def test_uv_takes_the_place_of_a_missing_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/somewhere/{name}")
    assert installer()[:3] == ["/somewhere/uv", "pip", "install"]
    assert downloader()[:4] == ["/somewhere/uv", "tool", "run", "pip"]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ConfigError, match="neither pip nor uv"):
        installer()


def test_a_step_that_fails_says_what_failed_and_what_there_is_otherwise() -> None:
    with pytest.raises(ConfigError) as caught:
        run([sys.executable, "-c", "raise SystemExit('odd')"], "it was not done", "use the other")
    assert str(caught.value) == "it was not done: odd. Next: mend that and try again; use the other."
