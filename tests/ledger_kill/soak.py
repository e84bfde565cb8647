"""Starts real processes that send calls through one ledger, kills them at random instants, and counts effects.

    python -m tests.ledger_kill.soak --mode lookup --kills 2000 --seed 1
    python -m tests.ledger_kill.soak --redis --mode keyed --kills 200     kills the Redis server, too, as often

The effects are rows in a second SQLite file without any constraint, so that a second effect would show. Three modes:

    blind    a tool that ignores its key: a call of unknown outcome is never tried again
    keyed    a tool that honours its key itself: it may be tried again under it
    lookup   a tool that ignores its key but can be asked about it
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gate.fence import ToolFence
from gate.ledgers.sqlite import SqliteLedger
from tests.fence_kit import CONTRACT, LIMITS, comment

PROCESSES = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
KEYS_PER_ROUND = 4
WORKERS = 2
LEASE_S = 0.5  # so that leases run out while the soak goes on


class Effects:
    """The world outside: a table of effects, written on the disk before the tool answers."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE IF NOT EXISTS effects (key TEXT)")
        return db

    def act(self, payload: dict[str, Any]) -> dict[str, Any]:
        with closing(self.open()) as db:
            db.execute("INSERT INTO effects VALUES (?)", (payload["idempotency_key"],))
        return {"ok": True, "key": payload["idempotency_key"]}

    def act_once(self, payload: dict[str, Any]) -> dict[str, Any]:
        with closing(self.open()) as db:
            once = "INSERT INTO effects SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM effects WHERE key = ?1)"
            db.execute(once, (payload["idempotency_key"],))
        return {"ok": True, "key": payload["idempotency_key"]}

    def look_up(self, payload: dict[str, Any]) -> dict[str, Any] | None:
        return {"ok": True, "found": True} if self.count()[payload["idempotency_key"]] else None

    def count(self) -> Counter[str]:
        with closing(self.open()) as db:
            return Counter(key for (key,) in db.execute("SELECT key FROM effects"))


def open_ledger(folder: Path, url: str | None) -> Any:
    """Open the ledger in the folder, or the one on the server at an address."""
    if url is None:
        return SqliteLedger(folder / "ledger", wait_s=30)
    from gate.ledgers.redis import RedisLedger

    return RedisLedger(url, create=True, wait_s=30, lease_s=LEASE_S)


def work(folder: Path, url: str | None, mode: str, keys: range, seed: int, before_each: Connection) -> None:
    """Send the calls of one round in a random order, again and again, and acknowledge every ok on the disk."""
    effects, rng = Effects(folder / "effects"), random.Random(seed)
    ledger = open_ledger(folder, url)
    limits = LIMITS._replace(max_mutations=10_000, max_wall_ms=60_000)
    fence = ToolFence(CONTRACT, limits, ledger, keyed=mode == "keyed")
    acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    calls = [comment(number) for number in keys]
    tool = effects.act_once if mode == "keyed" else effects.act
    lookup = effects.look_up if mode == "lookup" else None
    while True:
        rng.shuffle(calls)
        for payload in calls:
            before_each.send_bytes(b".")
            if fence.run(payload, tool, lookup)["ok"]:
                os.write(acknowledged, f"{payload['idempotency_key']}\n".encode())
                os.fsync(acknowledged)


def one_round(folder: Path, server: Any, mode: str, keys: range, rng: random.Random) -> None:
    """Let the workers of one round begin a few calls, and kill each somewhere in its last one."""
    pipes = [PROCESSES.Pipe(duplex=False) for _ in range(WORKERS)]
    url = server and server.url
    processes = [
        PROCESSES.Process(target=work, args=(folder, url, mode, keys, rng.randrange(2**32), writer))
        for _, writer in pipes
    ]
    for process in processes:
        process.start()
    for process, (reader, _) in zip(processes, pipes, strict=True):
        for _call in range(rng.randint(1, KEYS_PER_ROUND + 1)):
            reader.recv_bytes()
        if server is not None:  # calls are under way, and go on once it is back
            time.sleep(rng.expovariate(500))
            server.kill()
            server.start()
        time.sleep(rng.expovariate(500))  # the random instant is what is being tested
        process.kill()
    for process in processes:
        process.join()
    for end in (end for pipe in pipes for end in pipe):
        end.close()


def soak(folder: Path, server: Any, mode: str, kills: int, seed: int) -> dict[str, Any]:
    """Kill workers, and the server if there is one; then look: return the counts of what came of it."""
    rng, rounds = random.Random(seed), -(-kills // WORKERS)
    for number in range(rounds):
        first = number // 3 * KEYS_PER_ROUND  # each set of keys lives through three rounds: retries meet crashes
        one_round(folder, server, mode, range(first, first + KEYS_PER_ROUND), rng)
    effects = Effects(folder / "effects").count()
    acknowledged = set((folder / "acknowledged").read_text(encoding="utf-8").split())
    with open_ledger(folder, server and server.url) as ledger:
        entries = {entry.key: entry for entry in ledger.entries()}
        audited = Counter(event.event for event in ledger.audit())
    states = Counter(entry.state for entry in entries.values())
    applied = {key for key, entry in entries.items() if entry.state == "applied"}
    return {
        "mode": mode, "kills": rounds * WORKERS, "keys": len(entries), "effects": sum(effects.values()),
        "states": dict(states), "audit": dict(audited), "acknowledged": len(acknowledged),
        "two effects for a key": sorted(key for key, count in effects.items() if count > 1),
        "acknowledged, no effect": sorted(acknowledged - effects.keys()),
        "acknowledged, not applied": sorted(acknowledged - applied),
        "applied, no effect": sorted(applied - effects.keys()),
        "effect, no entry": sorted(effects.keys() - entries.keys()),
        "still running": sorted(key for key, entry in entries.items() if entry.running and server is None),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=("blind", "keyed", "lookup"), default="blind")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--redis", action="store_true", help="keep the ledger on a Redis server, and kill that too")
    args = parser.parse_args()
    server = None
    if args.redis:
        from tests.redis_kit import Server

        server = Server()
    with tempfile.TemporaryDirectory() as folder:
        counts = soak(Path(folder), server, args.mode, args.kills, args.seed)
    if server is not None:
        server.close()
    print(json.dumps(counts, indent=1))
    return 1 if any(value for value in counts.values() if isinstance(value, list)) else 0


if __name__ == "__main__":
    sys.exit(main())
