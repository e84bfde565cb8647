"""The live view of an object in a notebook: a small anywidget whose front end is a file of this package.

The kernel owns the state and pushes it; the browser sends what was pressed and waits for the next state. Nothing is
fetched from anywhere.

Not here: what is shown (`table.js`, `clock.js`), what a message does (`table`, `clock`).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

State = dict[str, Any]

_HERE = Path(__file__).parent


class View:
    """The live view of one object. Made when it is first shown; without a front end it is no more than its text.

    `fixed` is what never changes, `state` returns what to show now, `receive` takes one message of the browser.
    Set `GATE_PLAIN=1` to always get the plain form: some editors offer widgets that they cannot draw offline.
    """

    def __init__(self, front: str, fixed: State, state: Callable[[], State], receive: Callable[[State], None]) -> None:
        self._front, self._fixed, self._state, self._receive = front, fixed, state, receive
        self._widget: Any = None
        self._turn = 0

    def bundle(self, text: str, html: str) -> State:
        """Return the object for display: the live view if one can be made here, always the plain forms."""
        plain = {"text/plain": text, "text/html": html}
        widget_class = None if os.environ.get("GATE_PLAIN") else _widget_class(self._front)
        if widget_class is None:
            return plain
        if self._widget is None:
            self._widget = widget_class(fixed=self._fixed)
            self._widget.on_msg(self._on_message)
        self.push()
        live: State = self._widget._repr_mimebundle_()[0]
        return {**live, **plain}

    def push(self) -> None:
        """Show the newest state. Each push is numbered, so that the browser sees an answer even if nothing changed."""
        if self._widget is not None:
            self._turn += 1
            self._widget.state = {**self._state(), "turn": self._turn}

    def _on_message(self, _widget: object, message: object, _buffers: object) -> None:
        if isinstance(message, dict):
            self._receive(message)


@functools.cache
def _widget_class(front: str) -> Any:
    """Return the widget class of a front end, None where widgets are not installed."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None
    parts = {
        "_esm": _HERE / f"{front}.js",
        "_css": _HERE / "lab.css",
        "fixed": traitlets.Dict().tag(sync=True),
        "state": traitlets.Dict().tag(sync=True),
    }
    return type(f"Gate{front.title()}", (anywidget.AnyWidget,), parts)
