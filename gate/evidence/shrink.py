"""Minimising: the smallest payload that still shows what a larger one showed.

Not here: what it shows; the caller's `keeps` says whether a smaller one still does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

MAX_TRIES = 400


def shrunk(value: Any, keeps: Callable[[Any], bool], max_tries: int = MAX_TRIES) -> Any:
    """Return `value` made smaller as long as `keeps` says yes: fields and items dropped, texts cut, numbers to 0.

    >>> shrunk({"a": "long text", "b": [1, 2, 3]}, lambda value: 2 in value.get("b", ()))
    {'b': [2]}
    """
    tries = 0
    improved = True
    while improved:
        improved = False
        for smaller in _smaller(value):
            tries += 1
            if tries > max_tries:
                return value
            if keeps(smaller):
                value, improved = smaller, True
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
        for name, item in value.items():
            yield from (value | {name: less} for less in _smaller(item))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index, item in enumerate(value):
            yield from ([*value[:index], less, *value[index + 1 :]] for less in _smaller(item))
    elif isinstance(value, str):
        half = len(value) // 2
        shorter = (value[:half], value[half:], value[1:], value[:-1])
        yield from (less for less in shorter if len(less) < len(value))  # half of one character is all of it
    elif type(value) in (int, float) and value:
        yield 0
