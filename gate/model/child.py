"""The process that the local model runs in: `python -m gate.model.child`, started by `server` and by nobody else.

Its first line of input is a JSON object (`library`, `gguf`, `port`, `key`), its first line of output the address it
listens on. It ends when its input ends: however its parent goes, `kill -9` included, the pipe closes.

Not here: when it is ready (`server` asks). A native crash ends this process and no kernel.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any

from gate.model.place import NAME

CONTEXT = 2048


def main() -> None:
    """Serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what it means
    _leave_no_core()
    settings = json.loads(sys.stdin.readline())
    server = start(settings)
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    while sys.stdin.read(4096):
        pass
    os._exit(0)  # the server's own threads would keep the process alive


def _leave_no_core() -> None:
    """Let a native crash write no image of the memory: 90 MB, into the kit's folder."""
    with suppress(ImportError):  # not on Windows, which writes none
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def start(settings: dict[str, Any]) -> Any:
    """Load the model, listen, and return the server. One thread: two spin against each other on a busy machine."""
    sys.path.insert(0, settings["library"])
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = settings["gguf"]
    wanted.model_alias = {NAME}
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = settings["port"]
    wanted.api_keys = [settings["key"]]
    wanted.n_ctx, wanted.n_parallel = CONTEXT, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.cache_ram_mib = 0
    wanted.ui = False
    wanted.verbosity = 0
    return xllamacpp.Server(wanted)


if __name__ == "__main__":
    main()
