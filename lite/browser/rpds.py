"""Stands in for `rpds-py`, which has no wheel for the browser: the collections that `referencing` and `jsonschema` use.

Every change returns a new collection and leaves the old one as it was. Each copies: fine for a handful of schemas.

Not here: anything else of `rpds-py`, and its speed.
"""

from __future__ import annotations

from typing import Any


class HashTrieMap(dict[Any, Any]):
    """A mapping.

    >>> HashTrieMap({"a": 1}).insert("b", 2).remove("a")
    {'b': 2}
    """

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap:
        """Return `value` as one of these."""
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Any, value: Any) -> HashTrieMap:
        """Return a copy with one key more. Raises nothing; an old value is replaced."""
        return HashTrieMap({**self, key: value})

    def remove(self, key: Any) -> HashTrieMap:
        """Return a copy without a key. Raises `KeyError` if it is not there."""
        self[key]
        return HashTrieMap({known: value for known, value in self.items() if known != key})

    def update(self, other: Any) -> HashTrieMap:  # type: ignore[override]
        """Return a copy with all of another mapping."""
        return HashTrieMap({**self, **dict(other)})


class HashTrieSet(frozenset[Any]):
    """A set.

    >>> sorted(HashTrieSet().insert(1).insert(2).discard(1))
    [2]
    """

    def insert(self, value: Any) -> HashTrieSet:
        """Return a copy with one value more."""
        return HashTrieSet(self | {value})

    def discard(self, value: Any) -> HashTrieSet:
        """Return a copy without a value, which need not be there."""
        return HashTrieSet(self - {value})

    def update(self, other: Any) -> HashTrieSet:
        """Return a copy with all of another set."""
        return HashTrieSet(self | set(other))


class List(tuple[Any, ...]):
    """A list that grows at its front.

    >>> List().push_front(1).push_front(2)
    (2, 1)
    """

    __slots__ = ()

    def push_front(self, value: Any) -> List:
        """Return a copy with one value more."""
        return List((value, *self))
