"""Data of the classroom, read as strictly as a payload: one file, one contract for it in `data/schemas/`.

Not here: rules between fields (`plan`, `sheet`), and what happens to a file that is refused.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from gate.contract import Contract
from gate.errors import ConfigError
from gate.files import HOME, read_json

_MAX_BYTES = 4_000_000


@functools.cache
def data_contract(name: str) -> Contract:
    """Return the contract of `data/schemas/<name>.schema.json`. Raises `ConfigError` if it is none.

    >>> data_contract("labs").judge({"labs": []}).codes
    ('schema.items',)
    """
    schema = read_json(HOME / "data" / "schemas" / f"{name}.schema.json")
    return Contract.from_schema(schema, tool=f"data.{name}", max_bytes=_MAX_BYTES)


def read_vetted(path: str | os.PathLike[str], name: str) -> dict[str, Any]:
    """Return the object in a file that the contract `name` accepts. Raises `ConfigError` with the first reason."""
    decision = data_contract(name).judge(read_json(path, max_bytes=_MAX_BYTES))
    if decision.value is None:
        raise ConfigError(f"{path}: {decision.findings[0]}", decision.findings)
    return decision.value
