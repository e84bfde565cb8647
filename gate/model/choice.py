"""Which model is asked: one order everywhere. `MODEL_BASE_URL` if it is set, else the local one, else the recorded one.

Not here: asking (`live.complete`). A judge is never chosen this way: the semantic gate blocks where none is named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gate.errors import ConfigError, Finding, quote
from gate.model.place import is_installed
from gate.semantic import VARIABLES, endpoint

REMOTE, LOCAL, RECORDED = CHOICES = ("remote", "local", "recorded")
BEST = "best"


def best(environ: Mapping[str, str] | None = None) -> str:
    """Return the first of `remote`, `local` and `recorded` that is there.

    >>> best({"MODEL_BASE_URL": "https://models.example/v1"})
    'remote'
    """
    if (os.environ if environ is None else environ).get("MODEL_BASE_URL", "").strip():
        return REMOTE
    return LOCAL if is_installed() else RECORDED


@contextmanager
def model(who: str = BEST, environ: Mapping[str, str] | None = None) -> Iterator[dict[str, str]]:
    """Yield MODEL_BASE_URL, MODEL_API_KEY and MODEL_NAME of a model; one of this machine runs while the block does.

    Raises `ConfigError` when it is not there: a chosen model is never replaced by another one in silence.

    >>> with model("recorded") as environ:
    ...     environ["MODEL_NAME"]
    'recorded-smollm2'
    """
    given = os.environ if environ is None else environ
    chosen = best(given) if who == BEST else who
    if chosen == REMOTE:
        found = endpoint(given)
        if isinstance(found, Finding):
            raise ConfigError(f"{found.message.replace('the judge', 'the model')} Next: set {', '.join(VARIABLES)}.")
        yield {name: given[name] for name in VARIABLES}
    elif chosen == LOCAL:
        from gate.model.server import running_model

        with running_model() as served:
            yield served.environ()
    elif chosen == RECORDED:
        from gate.model.replay import running_replay

        with running_replay() as double:
            yield double.environ()
    else:
        raise ConfigError(f"{quote(who)} is no model. Next: one of {', '.join((BEST, *CHOICES))}.")
