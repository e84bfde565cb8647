"""Start-up: what importing costs, and one judgement from the command line, beside what one would use instead.

    python -m benchmarks.startup [--quick]

Each is a Python of its own. Of an import only what it adds to bare Python is counted.

Not here: how a kernel starts (`notebooks`).
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from benchmarks.timing import medians
from benchmarks.topic import Effort, Part, Table, alone, compared, number, ratio
from gate.files import HOME

TITLE = "Start-up"

# Resident memory now, not the peak: a child's peak begins with what its parent had.
_PROBE = """
import re, time
begin = time.perf_counter()
{code}
took = time.perf_counter() - begin
try:
    with open("/proc/self/status") as status:
        kilobytes = re.search(r"VmRSS:\\s+([0-9]+)", status.read())[1]
except OSError:
    kilobytes = "nan"
print(took, kilobytes)
"""
_IMPORTS = {
    "gate, contracts loaded": "from gate import AgentMemory, judge_call, load_contracts; load_contracts()",
    "jsonschema": "import json, jsonschema",
    "pydantic": "import pydantic; pydantic.create_model('M', n=(int, ...))",
    "msgspec": "import msgspec",
    "fastjsonschema": "import json, fastjsonschema",
}
_RESULT = b'{"sku":"SKU-19","quantity":4,"warehouse":"sfo"}'
_BY_HAND = """
import json, sys, jsonschema
schema = json.load(open("schemas/inventory.lookup.output.schema.json", encoding="utf-8"))
jsonschema.validate(json.load(sys.stdin), schema)
"""
_COMMANDS = {
    "gate check": ["-m", "gate", "check", "--tool", "inventory.lookup", "--side", "output", "-"],
    "a script with jsonschema.validate": ["-c", _BY_HAND],
    "bare Python": ["-c", "pass"],
}


def cost(code: str) -> tuple[float, float]:
    """Return the milliseconds that a piece of code takes in a new Python, and the megabytes that this then has."""
    done = subprocess.run(
        [sys.executable, "-c", _PROBE.format(code=code)], cwd=HOME, capture_output=True, text=True, check=True
    )
    took, kilobytes = map(float, done.stdout.split())
    return took * 1e3, kilobytes / 1024


def imports(rounds: int) -> Table:
    """Return what each import adds to bare Python, all taking turns."""
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in _IMPORTS}
    for _ in range(rounds):
        _, bare = cost("pass")
        for name, code in _IMPORTS.items():
            took, megabytes = cost(code)
            costs[name].append((took, megabytes - bare))
    found = {name: [statistics.median(column) for column in zip(*pairs, strict=True)] for name, pairs in costs.items()}
    base, _ = next(iter(found.values()))
    rows = [
        (name, number(took), ratio(took, base), "-" if math.isnan(megabytes) else f"{megabytes:.1f}")
        for name, (took, megabytes) in found.items()
    ]
    return Table("Importing", ("with", "ms", "times the first", "MB more than bare Python"), rows)


def command(words: list[str]) -> None:
    """Run one command that judges a valid result, and see that it allows it."""
    subprocess.run([sys.executable, *words], cwd=HOME, input=_RESULT, stdout=subprocess.DEVNULL, check=True)


def measure(effort: Effort) -> Iterator[Part]:
    """Yield the imports, and the command line."""
    yield imports(effort.rounds)
    taken = medians({name: partial(command, words) for name, words in _COMMANDS.items()}, effort.rounds)
    yield compared("One result from the command line", "ms", {name: value * 1e3 for name, value in taken.items()})


if __name__ == "__main__":
    alone(measure)
