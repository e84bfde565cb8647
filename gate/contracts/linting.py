"""What keeps a schema from being a contract, and which bounds it lacks: everything at once, nothing changed.

Not here: the rules (`gate.vet`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gate.contract import Contract
from gate.contracts.sources import Source
from gate.errors import ContractError, Finding
from gate.registry import ToolNames
from gate.vet import vet

_FIRST = {"contract.name", "contract.schema"}  # looked at before the schema is vetted


class Lint(NamedTuple):
    """One finding about one contract. An "error" refuses to start, a "warning" does not."""

    contract: str
    level: str
    finding: Finding


def lint_all(sources: Iterable[Source]) -> list[Lint]:
    """Return what is to be mended in the schemas of one place, and in the names of their tools beside each other.

    >>> closed = {"type": "object", "properties": {}, "additionalProperties": False}
    >>> [item.finding.message for item in lint_all(Source(name, "input", closed, True) for name in ("Add", "add"))]
    ['the tool names "Add" and "add" are the same or look alike.']
    """
    told: list[Lint] = []
    names = ToolNames()
    for source in sources:
        told += lint(source)
        alike = names.alike(source.tool, source.side)
        told += [Lint(source.id, "error", alike)] if alike else []
    return told


def lint(source: Source) -> list[Lint]:
    """Return what is to be mended in one schema, errors first, by path; the hint of each is the line to write instead.

    >>> [item.finding.hint for item in lint(Source("add", "input", {"type": "object"}, True))]
    ['write "additionalProperties": false.']
    """
    errors, warnings = _vetted(source.tool, source)
    if any(found.code == "contract.name" for found in errors):
        others, warnings = _vetted("tool", source)
        errors += others
    told: list[Lint] = []
    for level, part in (("error", errors), ("warning", warnings)):
        told += [Lint(source.id, level, found) for found in sorted(part, key=lambda found: (found.path, found.code))]
    return told


def _vetted(tool: str, source: Source) -> tuple[list[Finding], list[Finding]]:
    """Return errors and warnings; what is no JSON Schema at all has no bounds that could be missing."""
    try:
        return [], list(Contract.from_schema(source.schema, tool=tool, side=source.side).warnings)
    except ContractError as error:
        unread = type(source.schema) is not dict or any(found.code in _FIRST for found in error.findings)
        return list(error.findings), [] if unread else vet(source.schema).warnings
