"""What all tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from gate.ledgers.sqlite import SqliteLedger
from start.browser import find_browser
from tests.fence_kit import Place

# The same examples each time, and no example fails for being slow on a busy machine.
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.load_profile("gate")


# Without a redis-server its ledger is not tested, and the header says so. CI must have one.
REDIS = bool(shutil.which("redis-server") or os.environ.get("CI"))


def _may_mount() -> bool:
    unshare = shutil.which("unshare")
    command = [unshare or "", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]
    return bool(unshare) and subprocess.run(command, capture_output=True, check=False).returncode == 0


# Where nothing may be mounted, `tests/hard/test_full_disk.py` alone tries a disk that is full.
LEFT_OUT = {
    "test_redis": None if REDIS else "No redis-server was found: what the Redis ledger promises is not tested.",
    "test_mounts": None if _may_mount() else "No disk may be mounted here: tests/hard/test_mounts.py is left out.",
}


def pytest_report_header() -> list[str]:
    """Say what is left out on this machine."""
    return [why for why in LEFT_OUT.values() if why]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files that this machine cannot run."""
    return True if any(why and collection_path.name.startswith(name) for name, why in LEFT_OUT.items()) else None


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Any]:
    """A running `redis-server`, which the tests of one process share: each ledger has a name of its own."""
    from tests.redis_kit import Server

    server = Server()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", *(["redis"] if REDIS else [])])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where one test keeps its ledger: in a file, and again on a Redis server."""
    if request.param == "sqlite":
        code = f"from gate.ledgers.sqlite import SqliteLedger as Kept\nledger = Kept({str(tmp_path / 'ledger')!r})"
        return Place(tmp_path, lambda name="ledger": SqliteLedger(tmp_path / name, wait_s=30), code)
    server = request.getfixturevalue("redis_server")
    name = tmp_path.name
    server.ledger(f"{name}-ledger").close()
    code = f"from gate.ledgers.redis import RedisLedger as Kept\nledger = Kept({server.url!r}, '{name}-ledger')"
    return Place(tmp_path, lambda kept="ledger": server.ledger(f"{name}-{kept}"), code)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser that the tests drive. A machine without one fails here, and is told what to do."""
    path = find_browser()
    assert path, "no Chromium, Chrome or Edge here. Next: install chromium, or set GATE_CHROMIUM to the browser's path"
    return path
