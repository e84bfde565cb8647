"""Python values whose own code lies, raises or never ends. None of it may run, and none may be shown."""

from __future__ import annotations

from collections import ChainMap, OrderedDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import Any, NoReturn

import pytest

from gate.errors import quote


class HostileType(type):
    """The type of a type, which answers nothing about it in peace."""

    @property
    def __name__(cls) -> str:
        raise RuntimeError("asked for the name")

    def __eq__(cls, other: object) -> bool:
        raise RuntimeError("compared the type")

    def __hash__(cls) -> int:
        raise RuntimeError("hashed the type")

    def __instancecheck__(cls, instance: object) -> bool:
        raise RuntimeError("asked for an instance")


class Nameless(metaclass=HostileType):
    pass


class Raising:
    """Everything that can be asked of it raises."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise RuntimeError("ran the value's own code")

    __eq__ = __lt__ = __hash__ = __len__ = __iter__ = __getitem__ = __str__ = __repr__ = __bool__ = _refuse
    __int__ = __float__ = __index__ = __contains__ = __call__ = __bytes__ = __format__ = __reduce__ = _refuse

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"asked for {name}")


class HostileKey:
    """A key that falls on the same place as `id` in a dict, and raises when it is compared once it is in there."""

    armed = False

    def __hash__(self) -> int:
        return hash("id")

    def __eq__(self, other: object) -> bool:
        if self.armed:
            raise RuntimeError("compared the key")
        return self is other


class HostileText(str):
    def __len__(self) -> int:
        raise RuntimeError("asked for the length")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared the text")

    __hash__ = str.__hash__


class Endless(Mapping[str, int]):
    """A mapping that never runs out of items."""

    def __getitem__(self, key: str) -> int:
        return 1

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        number = 0
        while True:
            yield f"k{number}"
            number += 1


class EndlessDict(dict[str, int]):
    def items(self) -> Any:
        return Endless().items()

    def __iter__(self) -> Iterator[str]:
        return iter(Endless())


class RaisingMap(Endless):
    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("iterated")


class Liar(dict[str, Any]):
    """A dict that says one thing when asked and another when listed."""

    def __getitem__(self, key: str) -> Any:
        return "evil"

    def get(self, key: str, default: Any = None) -> Any:
        return "evil"

    def __contains__(self, key: object) -> bool:
        raise RuntimeError("asked for a key")


Terminal = type("a\x1b[2J\u202eb", (), {})


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = value
    return value


def doubling(levels: int) -> Any:
    """Return a small object that, written out, is 2**levels large."""
    value: Any = {"a": 1}
    for _ in range(levels):
        value = {"a": value, "b": value}
    return value


def samples() -> list[Any]:
    """Return one of each, as payloads, inside payloads, and as keys."""
    alone = [
        Nameless(), Raising(), HostileText("a"), Terminal(), Endless(), EndlessDict(a=1), Liar(a=1), OrderedDict(a=1),
        MappingProxyType(Endless()), MappingProxyType(RaisingMap()), MappingProxyType(Liar(a=1)), ChainMap({"a": 1}),
        SimpleNamespace(a=1), object(), type, Nameless, samples, ..., NotImplemented, 1j, Decimal("NaN"), range(3),
        (1, 2),
        {1, 2}, frozenset(), bytearray(b"{}"), memoryview(b"{}"), iter([]), (n for n in ()), ValueError("x"), "\ud800",
        b"\xff", float("nan"), 10**5000, -(10**400), True, None, [], "", b"",
    ]  # fmt: skip
    inside = [made for value in alone for made in ({"a": value}, [value], {"a": [{"b": value}]})]
    keys = [{key: 1} for key in (1, None, (1,), HostileKey(), HostileText("id"), "\ud800", b"a", True)]
    hidden = HostileKey()
    keys.append({hidden: 1, "id": 2})
    hidden.armed = True
    return [*alone, *inside, *keys, cyclic(), doubling(60), {"a": doubling(25)}]


#: For parametrize: by number, because a test runner may well run the code of a value.
INDEXES = [pytest.param(number, id=f"{number} {quote(value)[:40]}") for number, value in enumerate(samples())]


def unnamed_error() -> Exception:
    """Return an exception whose type answers nothing.

    The type lives no longer than its test: a library that walks through all exceptions would stumble over it.
    """

    class Unnamed(Exception, metaclass=HostileType):
        pass

    return Unnamed("boom")
