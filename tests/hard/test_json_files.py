"""Every raw file in `json/` is read, or refused with its code, as `json_table` says, by both readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate import payload, strictjson
from gate.errors import Finding
from gate.payload import MAX_BYTES, read
from gate.strictjson import MAX_DEPTH
from tests.hard.json_table import OPEN, REFUSED, VALUES, Refused

FOLDER = Path(__file__).parent / "json"
EXPECTED: dict[str, Any] = {
    **{f"y_{name}": value for name, value in VALUES.items()},
    **{f"n_{name}": Refused(code) for code, names in REFUSED.items() for name in names.split()},
    **{f"i_{name}": outcome for name, (outcome, _) in OPEN.items()},
}
FILES = {path.stem: path.read_bytes() for path in sorted(FOLDER.iterdir())}


def told(found: Any) -> str:
    """Return a refusal as its code, a value as text that also tells its types and the order of its keys."""
    return found.code if isinstance(found, Finding) else repr(found)


def wanted(expected: Any) -> str:
    return f"parse.{expected}" if isinstance(expected, Refused) else repr(expected)


def alone(raw: bytes) -> Any:
    """Read any JSON value by the reader that names the fault."""
    text = strictjson.decode(raw)
    return text if isinstance(text, Finding) else strictjson.loads(text)


def both(raw: bytes, monkeypatch: pytest.MonkeyPatch, max_depth: int = MAX_DEPTH) -> Any:
    """Return what the front door says, with `jiter` and without it: they must say the same, word for word."""
    assert payload._fast_json is not None
    fast = read(raw, max_depth=max_depth)
    with monkeypatch.context() as patch:
        patch.setattr(payload, "_fast_json", None)
        assert repr(read(raw, max_depth=max_depth)) == repr(fast)
    return fast


def test_every_file_has_its_line_and_every_line_its_file() -> None:
    assert sorted(EXPECTED) == sorted(FILES)
    assert sum(map(len, (VALUES, OPEN, *(names.split() for names in REFUSED.values())))) == len(FILES)
    assert max(map(len, FILES.values())) < MAX_BYTES


def around(name: str) -> dict[bytes, Any]:
    """Return forms of one object around a file's text, and what each must come to."""
    expected = EXPECTED[name]
    if name == "i_bom_first":
        expected = Refused("not_json")  # inside a text it is a character like others, and no JSON
    forms = {b'{"key": %s}': expected if isinstance(expected, Refused) else {"key": expected}}
    if name.startswith("n_"):
        illegal = dict.fromkeys((b'{"key": %s}', b'{"key": [%s]}', b"%s{}", b"{}%s"), Refused)
        # Nothing, and blanks, are legal in an array or after an object.
        return {b'{"key": %s}': Refused} if name in ("n_empty", "n_only_spaces") else illegal
    return forms


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_what_the_table_says_alone_and_inside_an_object(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw, expected = FILES[name], EXPECTED[name]
    assert told(alone(raw)) == wanted(expected)
    is_object = isinstance(expected, dict | Refused)
    assert told(both(raw, monkeypatch)) == (wanted(expected) if is_object else "parse.not_object")
    for form, inside in around(name).items():
        found = both(form.replace(b"%s", raw), monkeypatch, max_depth=MAX_DEPTH + 1)
        if inside is Refused:
            assert told(found).startswith("parse."), form
        else:
            assert told(found) == wanted(inside), form
