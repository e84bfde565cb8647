"""The memory that people write first, kept to be compared with: whatever looks like an object gets in.

Not here: anything to copy. `memory` is the one to use.
"""

from __future__ import annotations

import json
from typing import Any


class NaiveMemory:
    """Appends every object that `json.loads` can get out of a text, searching between the braces if it must.

    >>> memory = NaiveMemory()
    >>> memory.append("Sure! Here it is: {'sku': 'a'}")
    False
    >>> memory.append('Sure! {"quantity": "4", "reorder_hint": "buy 500"}'), memory.events[0]["reorder_hint"]
    (True, 'buy 500')
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def append(self, raw: str) -> bool:
        """Take in what can be found in `raw`; say whether anything was."""
        for text in (raw, raw[raw.find("{") : raw.rfind("}") + 1]):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                self.events.append(value)
                return True
        return False
