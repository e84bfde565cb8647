"""One mutation through the fence, on each kind of ledger: beside the same by hand, and the disk alone.

    python -m benchmarks.ledger [--quick]

A mutation is two durable writes, one before the tool runs and one after. By hand means: the key's row is written, then
the result; no rules, no budget, no audit row, and nobody looks whether a worker is still alive. Two bare `fsync` are
the floor of whatever is kept on this disk. The tool itself does nothing.

Not here: what each ledger promises (`gate/ledgers/`), and whether it keeps it (`tests/`).
"""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.timing import Work, medians, seconds
from benchmarks.topic import Curve, Effort, Part, alone, compared
from gate.fence import ToolFence
from gate.ledger import Ledger
from gate.ledgers.memory import MemoryLedger
from gate.ledgers.sqlite import SqliteLedger
from gate.limits import Limits
from gate.registry import load_contracts

TITLE = "A mutation through the fence"
_RUN = 50  # mutations of one run, as of an agent that works long
_LIMITS = Limits(_RUN, 60_000, ("add_comment", "create_ticket", "noop"), 2, 2000, 65536)
_NUMBERS = itertools.count()


def through_fence(ledger: Ledger) -> Work:
    """Return what makes one new mutation under a new key, in runs of its own: a run makes one at a time."""
    contract = load_contracts().input("ticket")
    assert contract is not None
    fence, worker, made = ToolFence(contract, _LIMITS, ledger), next(_NUMBERS), itertools.count()

    def mutate() -> None:
        number, run = next(_NUMBERS), next(made) // _RUN
        call = {"action": "create_ticket", "ticket_id": f"T-{number}", "body": f"body {number}"}
        answer = fence.for_run(f"run-{worker}-{run}").run(
            {**call, "idempotency_key": f"k-{number:08}"}, lambda _: {"ok": True}
        )
        assert answer["state"] == "applied", answer

    return mutate


def on_sqlite(stack: ExitStack, folder: Path) -> Work:
    """Return the same on the one SQLite file in a folder."""
    return through_fence(stack.enter_context(SqliteLedger(folder / "ledger.sqlite", wait_s=60)))


def bare_fsync(stack: ExitStack, folder: Path) -> Work:
    """Return what appends a row to a file and has it on the disk, twice."""
    file = stack.enter_context((folder / f"log-{next(_NUMBERS)}").open("ab", buffering=0))

    def write() -> None:
        for _ in range(2):
            file.write(b"x" * 200)
            os.fsync(file.fileno())

    return write


def sqlite_by_hand(stack: ExitStack, folder: Path) -> Work:
    """Return what writes a key's row and then its result, each in a transaction that is on the disk."""
    path = folder / "by-hand.sqlite"
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=60)
    stack.callback(database.close)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, result TEXT)")

    def write() -> None:
        key = f"k-{next(_NUMBERS):08}"
        database.execute("INSERT INTO calls VALUES (?, NULL)", (key,))
        database.execute("UPDATE calls SET result = '{}' WHERE key = ?", (key,))

    return write


@contextmanager
def redis_ways() -> Iterator[dict[str, Work]]:
    """Give the ways on a Redis server of our own that writes through to the disk; none where there is no server."""
    if missing_redis():
        yield {}
        return
    from tests.redis_kit import Server

    server = Server()
    try:
        with server.client() as client:

            def by_hand() -> None:
                key = f"by-hand-{next(_NUMBERS)}"
                assert client.set(key, "", nx=True)
                client.set(key, "{}")

            yield {"fence, RedisLedger": through_fence(server.ledger()), "Redis by hand, SET NX": by_hand}
    finally:
        server.close()


def missing_redis() -> str:
    """Say what is missing for the ways on Redis, if anything is."""
    try:
        import redis  # noqa: F401
    except ImportError:
        return "left out: needs requirements-scale.txt"
    return "" if shutil.which("redis-server") else "left out: no redis-server here"


def measure(effort: Effort) -> Iterator[Part]:
    """Yield all ways, and the growth with the number of writers."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        ways = {
            "fence, SqliteLedger": on_sqlite(stack, folder),
            "SQLite by hand": sqlite_by_hand(stack, folder),
            "two bare fsync": bare_fsync(stack, folder),
            "fence, MemoryLedger (nothing is kept)": through_fence(MemoryLedger()),
            **stack.enter_context(redis_ways()),
        }
        taken = {way: value * 1e6 for way, value in medians(ways, effort.rounds).items()}
        why = missing_redis()
        missing = (("fence, RedisLedger", why), ("Redis by hand, SET NX", why)) if why else ()
        yield compared("One mutation", "µs", taken, missing=missing)
    yield growth(effort)


def growth(effort: Effort) -> Curve:
    """Return the mutations a second of more and more threads on one file, each with a ledger of its own."""
    ways: dict[str, Callable[[ExitStack, Path], Work]] = {
        "fence, SqliteLedger": on_sqlite,
        "SQLite by hand": sqlite_by_hand,
        "two bare fsync, a file each": bare_fsync,
    }
    lines: dict[str, dict[int, float]] = {way: {} for way in ways}
    for workers, (way, make) in itertools.product((1, 2, 4, 8), ways.items()):
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            made = [make(stack, Path(name)) for _ in range(workers)]
            lines[way][workers] = at_once(made, effort.of(400, 2))
    return Curve("writers", "Threads that write at once", "threads", "mutations a second, all together", lines)


def at_once(ways: list[Work], each: int) -> float:
    """Return how many calls a second a thread for each way makes, all together."""
    for work in ways:
        work()
    with ThreadPoolExecutor(len(ways)) as pool:
        taken = seconds(lambda: list(pool.map(lambda work: seconds(work, each), ways)))
    return len(ways) * each / taken


if __name__ == "__main__":
    alone(measure)
