"""A file of lines that only grows: a line counts exactly if `append` returned."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import ConfigError
from gate.files import HOME
from gate.journal import Journal


def add(journal: Journal, *lines: str) -> list[str]:
    """Append lines as a writer should, and return what it read before."""
    with journal.locked():
        before = list(journal.unread())
        for line in lines:
            journal.append(line)
    return before


def fail(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_each_writer_reads_what_the_others_added(tmp_path: Path) -> None:
    first, second = Journal(tmp_path / "deep" / "file"), Journal(str(tmp_path / "deep" / "file"))
    assert add(first, "1", "2") == []
    assert add(second, "3") == ["1", "2"]
    assert add(first, "4") == ["3"]
    assert add(first) == []
    assert add(second) == ["4"]
    assert (tmp_path / "deep" / "file").read_bytes() == b"1\n2\n3\n4\n"


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    lines = ["a\u2028b", "a\rb\x0b", "\x85é", "\x00", "x" * 300_000]
    add(Journal(tmp_path / "file"), *lines)
    assert add(Journal(tmp_path / "file")) == lines


def test_bad_utf_8_is_shown_and_not_lost(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\n\xff{\n\nok\n")
    assert add(Journal(tmp_path / "file")) == ["\\xff{", "ok"]


def test_a_line_counts_as_read_once_the_next_is_asked_for(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "file")
    add(Journal(tmp_path / "file"), "1", "2", "3")
    with pytest.raises(ZeroDivisionError), journal.locked():
        for line in journal.unread():
            1 // (int(line) - 2)
    assert add(journal) == ["2", "3"]


@pytest.mark.parametrize("length", range(1, 6))
def test_a_half_line_is_kept_beside_and_never_counts(tmp_path: Path, length: int) -> None:
    path, half = tmp_path / "file", "hélf".encode()[:length]
    path.write_bytes(b"whole\n" + half)
    assert add(Journal(path), "next") == ["whole"]
    assert path.read_bytes() == b"whole\nnext\n"
    assert Path(f"{path}.half").read_bytes() == half + b"\n"


def test_a_file_that_is_nothing_but_half_a_line_becomes_empty(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for half in (b"one", b"two"):
        path.write_bytes(half)
        assert add(Journal(path)) == []
        assert path.read_bytes() == b""
    assert Path(f"{path}.half").read_bytes() == b"one\ntwo\n"


_LINES = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(steps=st.lists(st.tuples(st.integers(0, 2), _LINES, st.booleans()), max_size=8))
@settings(max_examples=25)
def test_what_was_appended_is_read_in_order_whatever_was_cut_off_between(steps: list[tuple[int, str, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        writers = [Journal(path) for _ in range(3)]
        expected: list[str] = []
        seen: dict[int, list[str]] = {0: [], 1: [], 2: []}
        for number, line, killed in steps:
            seen[number] += [*add(writers[number], line), line]
            expected.append(line)
            if killed:
                with path.open("ab") as file:
                    file.write(line.encode()[:3])
        assert add(Journal(path)) == expected
        for number, lines in seen.items():
            assert [*lines, *add(writers[number])] == expected


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_what_cannot_be_written_whole_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    journal, real = Journal(tmp_path / "file"), os.write
    add(journal, "before")
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:3]) if data[:1] == b"r" else fail())
    if step == "fsync":
        monkeypatch.setattr(os, "write", real)
        monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ConfigError, match=r'file" cannot be used \(No space left on device\)\. Next: check'):
        add(journal, "refused")
    monkeypatch.undo()
    assert (tmp_path / "file").read_bytes() == b"before\n"
    assert add(journal, "after") == []
    assert add(Journal(tmp_path / "file")) == ["before", "after"]


def test_a_write_that_takes_several_goes_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:3]))
    add(Journal(tmp_path / "file"), "a line of several writes")
    assert add(Journal(tmp_path / "file")) == ["a line of several writes"]


def test_a_failed_write_to_a_file_that_was_taken_away_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "file")
    add(journal, "before")
    (tmp_path / "file").unlink()
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ConfigError):
        add(journal, "refused")
    assert (tmp_path / "file").read_bytes() == b""


@contextmanager
def held_by_another_program(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the journal until its input ends, or it is killed."""
    source = (
        "import sys; from gate.journal import Journal\n"
        "with Journal(sys.argv[1]).locked(): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", source, str(path)]
    with subprocess.Popen(command, cwd=HOME, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        yield other


def test_a_file_that_another_program_holds_is_waited_for_only_so_long(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with held_by_another_program(path):
        wanted = r'file" is held by another program for more than 0\.05 seconds\. Next: stop that program\.'
        with pytest.raises(ConfigError, match=wanted):
            add(Journal(path, wait_s=0.05), "refused")
        assert not path.exists()
    assert add(Journal(path, wait_s=0.05), "taken") == []


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with held_by_another_program(tmp_path / "file") as other:
        other.kill()
        other.wait()
        assert add(Journal(tmp_path / "file", wait_s=0.05), "taken") == []


def test_what_cannot_be_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    unusable = ["folder", "pipe", "circle", "file/below", "file/below/it", "x" * 300, "a\0b", "\ud800"]
    for name in unusable:
        with pytest.raises(ConfigError, match=r'" cannot be used \(.+\)\. Next: check the folder') as caught:
            add(Journal(f"{tmp_path}/{name}"), "refused")
        assert str(caught.value).startswith(f'"{tmp_path}'[:60])
        assert len(str(caught.value)) < 400


def test_a_device_keeps_no_lines() -> None:
    with pytest.raises(ConfigError, match=r"it is no ordinary file"):
        add(Journal(os.devnull), "refused")


def test_stays_with_its_file_when_the_program_changes_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    journal = Journal("file")
    add(journal, "1")
    monkeypatch.chdir(tmp_path / "other")
    assert add(journal, "2") == []
    assert add(Journal("../file")) == ["1", "2"]


def test_a_link_to_a_file_is_that_file_and_has_its_lock(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    add(Journal(tmp_path / "link"), "1")
    with held_by_another_program(tmp_path / "file"), pytest.raises(ConfigError, match="held by another program"):
        add(Journal(tmp_path / "link", wait_s=0.05))
    assert add(Journal(tmp_path / "file")) == ["1"]
