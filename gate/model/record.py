"""Records what a model says, word for word: one row an output, with prompt, sampling, seed and finish reason.

Not here: what is right with it (`score`). A seed repeats only in the same cache state, so a recording is never made
anew by a test: it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.evidence.recorded import tool_of
from gate.files import write_whole
from gate.live import complete
from gate.model.planner import said
from gate.model.prompts import Prompt, load_prompts

Row = dict[str, Any]


def kinds_of(tool: str) -> list[str]:
    """Return the kinds of prompt that ask for a tool's arguments or its result, the one with an example first.

    >>> kinds_of("refund_order")[0]
    'refund.oneshot'
    """
    by_kind = {kind: asked[0] for kind in load_prompts() if (asked := tool_of(kind))}
    found = [kind for kind, name in by_kind.items() if name == tool]
    if not found:
        known = ", ".join(sorted(set(by_kind.values())))
        raise ConfigError(f"there is no prompt for a tool of that name. Next: one of {known}.")
    return sorted(found, key=lambda kind: not kind.endswith(".oneshot"))


def record(prompt: Prompt, n: int, environ: Mapping[str, str], *, first_seed: int = 1) -> Iterator[Row]:
    """Ask `n` times, with a seed more each time, and yield each row as soon as it is there. Raises `GateError`."""
    for seed in range(first_seed, first_seed + n):
        raw, reason = said(complete(prompt.request(seed), environ, seconds=120))
        yield {
            "id": f"{prompt.kind}-{seed:03}",
            "seed": seed,
            "kind": prompt.kind,
            "raw": raw,
            "finish_reason": reason,
            "model": environ["MODEL_NAME"],
        }


def beside(path: Path) -> Path:
    """Return where the prompt of a recording stands. Raises `ConfigError` when there is a recording of that name."""
    prompt = path.with_suffix(".prompt.json")
    for taken in (path, prompt):
        if taken.exists():
            raise ConfigError(f"{taken}: is there already, and a recording is kept. Next: give --out another name.")
    return prompt


def save(path: Path, prompt: Prompt, rows: list[Row]) -> None:
    """Write the rows to `path` and the prompt beside it, both whole. Raises `ConfigError` as `beside` does."""
    place = beside(path)
    request = prompt.request(0)
    del request["seed"]
    about = {"kind": prompt.kind, "model": rows[0]["model"], "seed": "the row's", "asked": prompt.asked}
    write_whole(place, json.dumps({**about, "request": request}, indent=1) + "\n")
    write_whole(path, "".join(json.dumps(row) + "\n" for row in rows))
