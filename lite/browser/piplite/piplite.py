"""What the kernel sets and calls. Not here: installing anything."""

from piplite import NOTHING

_PIPLITE_DISABLE_PYPI = True
_PIPLITE_URLS: list[str] = []


async def install(*_requirements: object, **_options: object) -> None:
    """Raise `ModuleNotFoundError`, saying what to do instead."""
    raise ModuleNotFoundError(NOTHING)
