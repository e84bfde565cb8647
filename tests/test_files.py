"""Files: found from any folder, read strictly, and written whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.errors import ConfigError
from gate.files import HOME, locate, read_json, write_whole

NO_PATHS = ["a\0b", "x" * 300, "\ud800"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("text", "data"),
    [("é\r\n\u2028\n", "é\r\n\u2028\n".encode()), ("", b""), (b"\xff\n", b"\xff\n")],
    ids=["text as UTF-8", "nothing", "bytes as they are"],
)
def test_writes_what_it_was_given_and_nothing_beside(tmp_path: Path, text: str | bytes, data: bytes) -> None:
    target = tmp_path / "made" / "for" / "it.json"
    write_whole(target, text)
    write_whole(str(target), text)
    assert target.read_bytes() == data
    assert names(target.parent) == ["it.json"]


def fails_with(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_a_step_that_fails_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: OSError
) -> None:
    target = tmp_path / "a.json"
    target.write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, step, fails_with(error))
    with pytest.raises(ConfigError, match=rf'a\.json": cannot be written \({error.strerror}\)\. Nothing was changed'):
        write_whole(target, "new")
    monkeypatch.undo()
    assert target.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["a.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interrupted_write_leaves_no_second_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    target = tmp_path / "a.json"
    monkeypatch.setattr(os, step, fails_with(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, "new")
    monkeypatch.undo()
    assert names(tmp_path) == []


def test_half_a_surrogate_pair_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", "old")
    with pytest.raises(ConfigError, match="the text is not valid UTF-8"):
        write_whole(tmp_path / "a.json", "new \ud83d")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "old"
    with pytest.raises(ConfigError):
        write_whole(tmp_path / "never" / "a.json", "\ud83d")
    assert names(tmp_path) == ["a.json"]


@pytest.mark.parametrize(
    "place", [".", "file/a.json", *NO_PATHS], ids=["a folder", "below a file", "NUL", "long", "half"]
)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be written") as caught:
        write_whole(f"{tmp_path}/{place}", "new")
    assert tmp_path.name in str(caught.value)
    assert len(str(caught.value)) < 400
    assert names(tmp_path) == ["file"]


def test_a_device_or_a_pipe_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    write_whole(os.devnull, "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, "new")
        assert os.read(reader, 9) == b"new" and stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        os.close(reader)
    assert names(tmp_path) == ["pipe"]


def test_a_link_stays_a_link_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "real" / "a.json")
    for text in ("first", "second"):
        write_whole(link, text)
    assert link.is_symlink() and (tmp_path / "real" / "a.json").read_text(encoding="utf-8") == "second"
    assert names(tmp_path / "real") == ["a.json"]


_DISK_FULL = """
import resource, sys
from gate.errors import ConfigError
from gate.files import write_whole

resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write_whole(sys.argv[1], "n" * 20_000)
except ConfigError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_file_alone(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_whole(target, "old")
    command = [sys.executable, "-c", _DISK_FULL, str(target)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True)
    assert done.stdout == f'"{target}": cannot be written (File too large). Nothing was changed.\n'
    assert target.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["a.json"]


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    target, texts = tmp_path / "a.json", ["a" * 100_000, "b" * 100_000]
    write_whole(target, texts[0])
    done = threading.Event()

    def write() -> None:
        for number in range(60):
            write_whole(target, texts[number % 2])
        done.set()

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    seen = set()
    while not done.is_set():
        seen.add(target.read_text(encoding="utf-8"))
    for writer in writers:
        writer.join()
    assert seen <= set(texts)
    assert names(tmp_path) == ["a.json"]


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    usual, made = tmp_path / "usual", tmp_path / "made"
    usual.write_text("", encoding="utf-8")
    write_whole(made, "new")
    assert made.stat().st_mode == usual.stat().st_mode
    made.chmod(0o600)
    private = made.stat().st_mode
    write_whole(made, "newer")
    assert made.stat().st_mode == private


def test_reads_one_strict_object(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes('\n{"é": [1, 1.0, "\u2028"], "b": {"c": null}}\n'.encode())
    value = read_json(tmp_path / "a.json")
    assert value == {"é": [1, 1.0, "\u2028"], "b": {"c": None}}
    assert [type(item) for item in value["é"]] == [int, float, str]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "parse.empty"),
        (b"{", "parse.not_json"),
        (b"{'a': 1}", "parse.not_json"),
        (b'{"a": 1,}', "parse.not_json"),
        (b"[]", "parse.not_object"),
        (b'{"a": 1, "a": 1}', "parse.duplicate_key"),
        (b'```json\n{"a": 1}\n```\n', "parse.fence"),
        (b'{"a": NaN}', "parse.non_finite"),
        (b'{"a": 1e999}', "parse.non_finite"),
        (b'{"a": "\xff"}', "parse.encoding"),
        (b'\xef\xbb\xbf{"a": 1}', "parse.encoding"),
        (b'{"a": "\\ud800"}', "parse.encoding"),
        (b'{"a": 1} {"a": 2}', "parse.trailing"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "parse.depth"),
        (b'{"a": "' + b"x" * 1000 + b'"}', "parse.size"),
    ],
)  # fmt: skip
def test_what_is_no_strict_object_is_refused_and_the_file_named(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "limits.json"
    path.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        read_json(path, max_bytes=1000)
    assert [found.code for found in caught.value.findings] == [code]
    assert str(caught.value).startswith(f"{path}: ") and "Next: " in str(caught.value)


def test_no_more_is_read_than_may_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    monkeypatch.setattr("gate.files.read", lambda raw, **_: {"read": len(raw)})
    assert read_json(path, max_bytes=1000) == {"read": 1001}


@pytest.mark.parametrize(
    ("place", "reason"),
    [("gone.json", "No such file"), (".", "Is a directory"), ("a\0b", "embedded null byte"), ("x" * 300, "too long")],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, place: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=rf"cannot be read \([^)]*{reason}.*\)\. Next: put the file back") as caught:
        read_json(f"{tmp_path}/{place}")
    assert str(caught.value).startswith(str(tmp_path))


def test_the_kit_s_files_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate("schemas") == HOME / "schemas"
    assert read_json(locate("data/limits.json"))
    (tmp_path / "schemas").mkdir()
    assert locate("schemas") == Path("schemas")
    assert locate("made-here") == Path("made-here")


def test_an_absolute_path_is_what_it_says(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.json", tmp_path):
        assert locate(path) == locate(str(path)) == path


@pytest.mark.parametrize("name", NO_PATHS, ids=["NUL", "too long", "half a pair"])
def test_looking_for_what_can_be_no_path_raises_nothing(name: Any) -> None:
    assert locate(name) == Path(name)
