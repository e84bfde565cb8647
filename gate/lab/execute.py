"""Runs solution notebooks and stores what they show, so that the same notebook gives the same file each time.

Each runs in a fresh kernel, in its own folder, with an answers folder of its own.

Not here: judging the outputs (`check`; nbval compares them).
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate.errors import ConfigError
from gate.files import write_whole
from gate.lab.derive import Cell, Notebook, as_text, holds, normal, read_notebook
from gate.warm import use_warm_kernels

_WIDGET = "application/vnd.jupyter.widget-view+json"  # its id changes in every run, and it cannot be shown again
_SECONDS = 120


def execute(path: Path) -> bool:
    """Run a notebook, store its outputs in it, and say whether the file changed.

    Raises `ConfigError` with cell and error if a cell fails; the file is then untouched.
    """
    from nbclient import NotebookClient  # here, because only this needs a kernel
    from nbclient.exceptions import CellExecutionError, CellTimeoutError
    from nbformat import NotebookNode, from_dict

    to_node: Callable[[Notebook], NotebookNode] = from_dict
    notebook, folder = to_node(normal(read_notebook(path))), {"metadata": {"path": str(path.parent)}}
    use_warm_kernels()
    client = NotebookClient(notebook, timeout=_SECONDS, kernel_name="python3", resources=folder, coalesce_streams=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        try:
            client.execute(env={**os.environ, "GATE_WORK": work}, stderr=subprocess.DEVNULL)
        except (CellExecutionError, CellTimeoutError) as error:
            raise ConfigError(f"{path}: a cell failed. Next: mend it. {error}") from error
    text = as_text(_stored(normal(notebook)))
    if holds(path, text):
        return False
    write_whole(path, text)
    return True


def _stored(notebook: Notebook) -> Notebook:
    return {**notebook, "cells": [_stored_cell(dict(cell)) for cell in notebook["cells"]]}


def _stored_cell(cell: Cell) -> Cell:
    if cell["cell_type"] == "code":
        cell["outputs"] = [output for output in map(_stored_output, cell["outputs"]) if output]
    return cell


def _stored_output(output: Any) -> dict[str, Any]:
    """Return an output as it is stored: without metadata, without live widgets, {} if nothing is left."""
    kept = dict(output)
    if "data" in kept:
        data = {kind: _lines(value) for kind, value in kept["data"].items() if kind != _WIDGET}
        kept = {**kept, "data": data, "metadata": {}} if data else {}
    if "text" in kept:
        kept["text"] = _lines(kept["text"])
    return kept


def _lines(value: Any) -> Any:
    return value.splitlines(keepends=True) if isinstance(value, str) else value
