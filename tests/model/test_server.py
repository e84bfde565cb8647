"""The local model's process: one line when it cannot start, gone with its parent. A small library stands in for it."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from gate.cli import main
from gate.errors import ConfigError
from gate.model import place
from gate.model.server import running_model

LIBRARY = """
import http.server, threading
class Bag:
    def __getattr__(self, name):
        self.__dict__[name] = Bag()
        return self.__dict__[name]
CommonParams = Bag
class Health(http.server.BaseHTTPRequestHandler):
    loading = 2
    def do_GET(self):
        Health.loading -= 1
        self.send_response(503 if Health.loading > 0 else 200)
        self.end_headers()
    def log_message(self, *_): pass
class Server:
    def __init__(self, wanted):
        self.server = http.server.ThreadingHTTPServer((wanted.hostnames[0], wanted.port), Health)
        threading.Thread(target=self.server.serve_forever).start()
        self.listening_address = f"http://127.0.0.1:{self.server.server_port}"
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed model with a library that can be written over; returns the library's file."""
    monkeypatch.setenv("GATE_MODEL", str(tmp_path))
    monkeypatch.setattr(place, "GGUF_SHA256", hashlib.sha256(b"").hexdigest())
    place.gguf().parent.mkdir()
    place.gguf().write_bytes(b"")
    file = tmp_path / "xllamacpp" / "__init__.py"
    file.parent.mkdir()
    file.write_text(LIBRARY, encoding="utf-8")
    return file


def test_waits_until_it_is_ready_and_ends_with_the_block(library: Path) -> None:
    with running_model() as served:
        assert httpx.get(f"{served.address}/health", trust_env=False).status_code == 200
        environ = served.environ()
    assert served.process.returncode == 0
    assert environ["MODEL_BASE_URL"].startswith("http://127.0.0.1:") and environ["MODEL_NAME"] == "smollm2"
    assert len(environ["MODEL_API_KEY"]) == 24


def test_no_two_servers_share_a_key(library: Path) -> None:
    with running_model() as one, running_model() as other:
        assert one.key != other.key


def test_ends_when_its_parent_is_killed(library: Path) -> None:
    program = (
        "import hashlib, sys, time\nfrom gate.model import place\nfrom gate.model.server import running_model\n"
        "place.GGUF_SHA256 = hashlib.sha256(b'').hexdigest()\n"
        "with running_model() as served:\n print(served.process.pid, flush=True)\n time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, encoding="utf-8") as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        process = psutil.Process(child)
        parent.kill()
    assert ends(process)


def ends(process: psutil.Process) -> bool:
    """Wait for a process to end; one that nobody waits for any more counts as ended."""
    for _ in range(600):
        try:
            process.wait(0.05)
            return True
        except psutil.TimeoutExpired:
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
    return False


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise MemoryError('cannot allocate')", "MemoryError: cannot allocate"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "its process was ended by SIGILL"),
        ("import os; os._exit(3)", "its process ended with exit 3"),
        ("print('no address', flush=True); import os; os._exit(0)", "its process ended with exit 0"),
    ],
)
def test_one_that_cannot_start_is_told_in_one_line(
    library: Path, capsys: pytest.CaptureFixture[str], code: str, why: str
) -> None:
    library.write_text(code, encoding="utf-8")
    assert main(["model", "serve"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "Traceback" not in said
    assert f"does not run here: {why}. Next: it needs 300 MB of free memory" in said
    assert "gate model serve --recorded" in said


@pytest.mark.usefixtures("library")
def test_a_native_crash_leaves_no_image_of_the_memory() -> None:
    with running_model() as served:
        limits = Path(f"/proc/{served.process.pid}/limits")
        if limits.exists():  # Linux
            assert re.search(r"Max core file size +0 +0 ", limits.read_text(encoding="ascii"))


def test_a_model_with_another_hash_is_not_started(library: Path) -> None:
    library.write_text("raise SystemExit('started')", encoding="utf-8")
    place.gguf().write_bytes(b"x")
    with pytest.raises(ConfigError, match="not the pinned model, its hash differs"), running_model():
        raise AssertionError("started")


def test_a_port_that_does_not_exist_is_told(library: Path) -> None:
    with pytest.raises(ConfigError, match="port 99999 does not exist"), running_model(port=99_999):
        raise AssertionError("started")


def test_a_model_that_ends_by_itself_ends_the_command(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library.write_text(
        LIBRARY + "\nimport threading, os\n"
        "class Dying(Server):\n"
        "    def __init__(self, wanted):\n"
        "        super().__init__(wanted)\n"
        "        threading.Timer(0.5, os._exit, [7]).start()\n"
        "Server = Dying\n",
        encoding="utf-8",
    )
    assert main(["model", "serve"]) == 2
    assert "exit" in capsys.readouterr().err


def serve(*words: str) -> tuple[list[str], str, str, int]:
    """Run `gate model serve` and interrupt it when it has said how to stop it."""

    def heed_interrupts() -> None:  # a runner in the background may have been started deaf to them
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    command = [sys.executable, "-u", "-m", "gate", "model", "serve", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, encoding="utf-8", preexec_fn=heed_interrupts) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    return lines, rest, errors, process.returncode


def test_the_recorded_one_serves_until_it_is_stopped() -> None:
    lines, rest, errors, code = serve("--recorded")
    assert lines[0].startswith("What SmolLM2 once said, and no model.")
    assert "MODEL_BASE_URL=http://127.0.0.1:" in lines[1]
    assert "MODEL_API_KEY=" in lines[2] and "MODEL_NAME=recorded-smollm2" in lines[3]
    assert (rest.strip(), errors, code) == ("The model stopped.", "", 0)
