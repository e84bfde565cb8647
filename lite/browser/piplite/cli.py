"""What the kernel makes of a `%pip` line. Not here: the kernel's own magics."""

from piplite import NOTHING


async def get_transformed_code(_words: list[str]) -> str:
    """Return the Python that stands in the line's place: it says what to do instead."""
    return f"print({NOTHING!r})"
