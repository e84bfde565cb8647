"""Compares the outputs of a cell with those stored, by nbval's own rules: its method, without a test run around it.

Not here: where the outputs come from (`quick`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import nbformat
from nbval.plugin import IPyNbCell, coalesce_streams, nocolors

#: What nbval does not compare when no option says otherwise.
_NOT_COMPARED = (
    "metadata", "traceback", "prompt_number", "output_type", "name", "execution_count",
    "application/vnd.jupyter.widget-view+json", "image/png", "image/jpeg",
)  # fmt: skip


class _Cell:
    """As much of nbval's cell as its comparison looks at."""

    parent = SimpleNamespace(skip_compare=_NOT_COMPARED, sanitize_patterns={})
    colors = nocolors
    sanitize = IPyNbCell.sanitize
    compare_outputs = IPyNbCell.compare_outputs

    def format_output_compare(self, *_: Any) -> None:
        """Tell nobody what differs."""


def same_outputs(found: list[dict[str, Any]], stored: list[dict[str, Any]]) -> bool:
    """Say whether outputs of a cell are those stored, both as nbformat has them.

    >>> said = [{"output_type": "stream", "name": "stdout", "text": "42\\n"}]
    >>> same_outputs(said, said), same_outputs([], said)
    (True, False)
    """
    return bool(_Cell().compare_outputs(coalesced(found), coalesced(stored)))


def coalesced(outputs: list[dict[str, Any]]) -> list[Any]:
    """Return outputs as nbval looks at them: one text for each stream, as a terminal would show it."""
    to_node: Callable[[Any], Any] = nbformat.from_dict
    return list(coalesce_streams([to_node(output) for output in outputs]))
