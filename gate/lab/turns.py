"""Hears of every call and every turn of a loop: for a time limit where no alarm can ring.

Python 3.12 brought `sys.monitoring`, which costs little; a tracer makes the code many times slower.

Not here: what is done about it (`limit`), and Python 3.11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType

Hear = Callable[[CodeType, int], None] | Callable[[CodeType, int, int], None]

if sys.version_info >= (3, 12):
    _TOOLS = (3, 4)  # the two numbers that neither a debugger, nor coverage, a profiler or an optimizer takes
    _EVENTS = (sys.monitoring.events.PY_START, sys.monitoring.events.JUMP)

    def listen(hear: Hear) -> int | None:
        """Call `hear` with the code object at every call and turn; return what `leave` needs, None if all is taken."""
        free = [tool for tool in _TOOLS if sys.monitoring.get_tool(tool) is None]
        if not free:
            return None
        sys.monitoring.use_tool_id(free[0], __name__)
        for event in _EVENTS:
            sys.monitoring.register_callback(free[0], event, hear)
        sys.monitoring.set_events(free[0], sum(_EVENTS))
        return free[0]

    def leave(tool: int) -> None:
        """Stop what `listen` began."""
        sys.monitoring.set_events(tool, 0)
        for event in _EVENTS:
            sys.monitoring.register_callback(tool, event, None)
        sys.monitoring.free_tool_id(tool)

else:

    def listen(hear: Hear) -> int | None:
        """Return None: there is nothing to listen with."""
        return None

    def leave(tool: int) -> None:
        """Do nothing."""
