"""Rules of the answers store: whatever is in the way, nothing is lost, and what happened is said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.files import HOME
from gate.lab import answers
from gate.lab.answers import Answers, Document


def saved(work: Path, name: str) -> Document:
    document: Document = json.loads((work / f"{name}.json").read_text(encoding="utf-8"))
    return document


def put(work: Path, name: str, text: str) -> Path:
    work.mkdir(exist_ok=True)
    path = work / name
    path.write_text(text, encoding="utf-8")
    return path


def start_kernel(code: str) -> subprocess.Popen[str]:
    """Start another Python, as another kernel is, on the same answers folder."""
    source = "from gate.lab.answers import Answers\n" + textwrap.dedent(code)
    return subprocess.Popen([sys.executable, "-c", source], cwd=HOME, text=True, stdout=subprocess.PIPE)


def test_saves_with_a_version_and_loads_without_it(work: Path) -> None:
    Answers("progress", version=3).save({"rule-1": "grün"})
    assert saved(work, "progress") == {"version": 3, "rule-1": "grün"}
    store = Answers("progress", version=3)
    assert store.load() == {"rule-1": "grün"}
    assert not store.notes


def test_loading_what_is_not_there_gives_nothing_and_makes_nothing(work: Path) -> None:
    assert Answers("progress").load() == {}
    assert not work.exists()


def test_saving_merges_with_what_is_there(work: Path) -> None:
    Answers("progress").save({"rule-1": "red", "rule-2": "red"})
    assert Answers("progress").save({"rule-2": "green"}) == {"rule-1": "red", "rule-2": "green"}


def test_work_folder_is_in_the_kit_unless_the_environment_names_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GATE_WORK")
    assert Answers("progress").path == HOME / "work" / "progress.json"


@pytest.mark.parametrize("name", ["", "../x", "a/b", "A", "x\n", ".hidden", "x" * 90])
def test_refuses_a_name_that_is_no_file_name(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot name an answers file"):
        Answers(name)


def test_a_change_that_raises_saves_nothing(work: Path) -> None:
    Answers("progress").save({"a": 1})

    def refuse(known: Document) -> Document:
        known["a"] = 2
        raise KeyError("no")

    with pytest.raises(KeyError):
        Answers("progress").update(refuse)
    assert saved(work, "progress") == {"version": 1, "a": 1}


BROKEN = {
    "empty": "",
    "cut": '{"version": 1, "a": ',
    "list": "[1, 2]",
    "duplicate": '{"version": 1, "a": 1, "a": 2}',
    "nan": '{"version": 1, "a": NaN}',
    "refused": '{"version": 1, "bad": true}',
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_kept_beside_and_said(work: Path, text: str) -> None:
    put(work, "progress.json", text)
    store = Answers("progress", vet=lambda document: "it is bad" if "bad" in document else "")
    assert store.load() == {}
    assert (work / "progress.broken-1.json").read_text(encoding="utf-8") == text
    assert len(store.notes) == 1
    assert store.notes[0].startswith("progress.json could not be used (")
    assert store.notes[0].endswith("It is kept as progress.broken-1.json; a fresh one was begun.")


def test_a_broken_file_never_replaces_an_earlier_broken_one(work: Path) -> None:
    for text in ("first", "second"):
        put(work, "progress.json", text)
        Answers("progress").save({"a": 1})
    kept = [(work / f"progress.broken-{n}.json").read_text(encoding="utf-8") for n in (1, 2)]
    assert kept == ["first", "second"]


def test_a_file_in_another_encoding_is_kept_beside(work: Path) -> None:
    raw = b'{"version": 1, "a": "\xfc"}'
    work.mkdir()
    (work / "progress.json").write_bytes(raw)
    assert Answers("progress").load() == {}
    assert (work / "progress.broken-1.json").read_bytes() == raw


@pytest.mark.parametrize(
    ("version", "beside"),
    [("0", "version-0"), ("2", "version-2"), ('"one"', "version-unknown"), (None, "version-unknown")],
)
def test_a_file_of_another_version_is_copied_before_it_is_written_over(
    work: Path, version: str | None, beside: str
) -> None:
    text = '{"a": 1}' if version is None else f'{{"version": {version}, "a": 1}}'
    put(work, "progress.json", text)
    store = Answers("progress")
    assert store.load() == {"a": 1}
    assert store.save({"b": 2}) == {"a": 1, "b": 2}
    assert (work / f"progress.{beside}-1.json").read_text(encoding="utf-8") == text
    assert saved(work, "progress") == {"version": 1, "a": 1, "b": 2}
    assert len(store.notes) == 1
    assert f"written by another version of the kit. It is kept as progress.{beside}-1.json" in store.notes[0]


def test_a_file_of_another_version_is_copied_only_once(work: Path) -> None:
    put(work, "progress.json", '{"version": 0, "a": 1}')
    for _ in range(3):
        Answers("progress").load()
    assert sorted(path.name for path in work.glob("*.json")) == ["progress.json", "progress.version-0-1.json"]


def test_a_read_only_file_is_left_alone_and_answers_are_kept_until_it_can_be_written(work: Path) -> None:
    path = put(work, "progress.json", '{"version": 1, "a": 1}')
    path.chmod(0o444)
    store = Answers("progress")
    assert store.save({"b": 2}) == {"a": 1, "b": 2}
    assert saved(work, "progress") == {"version": 1, "a": 1}
    assert store.notes == (
        f"Not saved: {path} is read-only. Next: make it writable and change any answer. "
        "Your answers are kept here until this kernel stops.",
    )
    assert store.load() == {"a": 1, "b": 2}
    path.chmod(0o644)
    Answers("progress").save({"c": 3})
    assert store.save({"d": 4}) == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert saved(work, "progress") == {"version": 1, "a": 1, "b": 2, "c": 3, "d": 4}
    assert not store.notes


def test_a_folder_that_cannot_be_made_loses_nothing(work: Path) -> None:
    work.write_text("a file where the folder should be", encoding="utf-8")
    store = Answers("progress")
    assert store.save({"a": 1}) == {"a": 1}
    assert store.load() == {"a": 1}
    assert store.notes[0].startswith(f"Not saved: {work} cannot be written (")
    work.unlink()
    assert store.save({"b": 2}) == {"a": 1, "b": 2}
    assert saved(work, "progress") == {"version": 1, "a": 1, "b": 2}


def test_what_cannot_be_read_is_not_written_over(work: Path) -> None:
    (work / "progress.json").mkdir(parents=True)
    store = Answers("progress")
    assert store.load() == {}
    assert "cannot be read" in store.notes[0]
    assert store.save({"a": 1}) == {"a": 1}
    assert "cannot be read" in store.notes[0]
    assert (work / "progress.json").is_dir()


@pytest.mark.parametrize("after", ["load", "save"])
def test_a_folder_that_was_deleted_under_a_kernel_comes_back_with_what_the_kernel_knew(work: Path, after: str) -> None:
    store = Answers("progress")
    store.save({"a": 1})["a"] = "changed by who got it"
    shutil.rmtree(work)
    if after == "load":
        assert store.load() == {"a": 1}
        assert not work.joinpath("progress.json").exists()
    assert store.save({"b": 2}) == {"a": 1, "b": 2}
    assert saved(work, "progress") == {"version": 1, "a": 1, "b": 2}
    told = "progress.json was gone. With the next answer all that this kernel knew is in it again."
    assert store.notes == (told,)


def test_a_file_that_breaks_under_a_kernel_comes_back_with_what_the_kernel_knew(work: Path) -> None:
    store = Answers("progress")
    store.save({"a": 1})
    put(work, "progress.json", "half a fi")
    assert store.save({"b": 2}) == {"a": 1, "b": 2}
    assert (work / "progress.broken-1.json").read_text(encoding="utf-8") == "half a fi"


@pytest.fixture
def other_kernel_holding_the_lock(work: Path) -> Iterator[subprocess.Popen[str]]:
    code = """
        import filelock
        store = Answers("progress")
        store.save({})
        with filelock.FileLock(store.path.with_name(".progress.lock")):
            print("held", flush=True)
            input()
    """
    source = "from gate.lab.answers import Answers\n" + textwrap.dedent(code)
    with subprocess.Popen(
        [sys.executable, "-c", source], cwd=HOME, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other
        other.kill()


def test_a_lock_that_another_kernel_holds_delays_saving_and_loses_nothing(
    work: Path, other_kernel_holding_the_lock: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "LOCK_SECONDS", 0.1)
    store = Answers("progress")
    assert store.save({"a": 1}) == {"a": 1}
    assert store.notes[0].startswith("Not saved: another kernel is holding progress.json.")
    other_kernel_holding_the_lock.communicate("go\n")
    assert store.save({"b": 2}) == {"a": 1, "b": 2}
    assert saved(work, "progress") == {"version": 1, "a": 1, "b": 2}
    assert not store.notes


def test_two_kernels_writing_at_once_lose_nothing(work: Path) -> None:
    code = """
        for number in range(60):
            Answers("progress").save({{f"{name}-{{number}}": number}})
    """
    kernels = [start_kernel(code.format(name=name)) for name in ("a", "b")]
    for kernel in kernels:
        kernel.communicate(timeout=60)
        assert kernel.returncode == 0
    expected = {f"{name}-{number}": number for name in ("a", "b") for number in range(60)}
    assert Answers("progress").load() == expected


def test_a_kernel_that_is_killed_leaves_a_whole_file(work: Path) -> None:
    code = """
        for number in range(100_000):
            Answers("progress").save({"number": number, "text": "x" * 20_000})
            print(number, flush=True)
    """
    for lines in (1, 7, 20):
        with start_kernel(code) as kernel:
            assert kernel.stdout is not None
            seen = [kernel.stdout.readline() for _ in range(lines)]
            kernel.kill()
        store = Answers("progress")
        assert store.load()["number"] >= int(seen[-1])
        assert not store.notes
