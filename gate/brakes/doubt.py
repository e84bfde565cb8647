"""May a tool that raised have taken effect all the same? The signs of doubt that an exception carries.

Named kinds are matched by name, because the HTTP client is the tool's choice. Where a sign is wrong the call is held
back until somebody has looked; without it the tool would act twice.

Not here: what follows from it (`outcomes`).
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from gate.errors import type_name

# The request may have arrived, or its answer was lost, cut short or unreadable; or the tool was stopped half-way.
_KINDS = re.compile(
    r"OutcomeUnknown|Timeout|ReadError|WriteError|Reset|Aborted|BrokenPipe|Cancelled|Interrupt|ConnectionError"
    r"|ConnectionClosed|ConnectionLost|Disconnect|ProtocolError|IncompleteRead|BadStatusLine|Chunked|ClientPayload|RpcError"
    r"|McpError|Decod|SSL|EOF|MemoryError|RecursionError"
)
_NUMBERS = {errno.EIO, errno.ENOSPC, errno.ENETDOWN, errno.ENETRESET, errno.ENETUNREACH, errno.EHOSTUNREACH}
_STATUS = ("status", "status_code", "statusCode", "code")
_MOST = 100  # exceptions behind one: more is no proof of anything
_mro = type.__dict__["__mro__"].__get__


def refuses(status: int) -> bool:
    """Say whether an HTTP status proves that the other side looked and did nothing: 400 to 499 without 408.

    >>> refuses(404), refuses(408), refuses(503)
    (True, False, False)
    """
    return 400 <= status < 500 and status != 408


def is_doubtful(error: BaseException) -> bool:
    """Say whether the effect may have happened although the tool raised. Never raises.

    Looked at is the exception and all that stands behind it: its cause and context, a group's members, a `reason`, an
    exception among its arguments. One doubtful one is enough: a doubtful kind (a time-out, a lost connection, an
    answer that cannot be read, a full disk, a tool that was stopped), or an HTTP status that is no refusal
    (`refuses`), on it or on its `response`. `ConnectionRefusedError` is none: nobody took the request.

    >>> [is_doubtful(error) for error in (TimeoutError(), ConnectionRefusedError(), ValueError(), SystemExit())]
    [True, False, False, True]

    Does not catch: an effect that came before an ordinary exception, a status in a place of the client's own.
    """
    try:
        return any(_is_sign(one) for one in _behind(error))
    except BaseException:  # noqa: BLE001 - an exception that cannot be looked at proves nothing
        return True


def _behind(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those behind it, each once. Raises ValueError when there are too many to look at."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        if len(seen) == _MOST:
            raise ValueError("too many exceptions")
        seen.add(id(one))
        yield one
        behind = [one.__cause__, one.__context__, getattr(one, "reason", None), *_many(one.args)]
        behind += _many(getattr(one, "exceptions", ()))
        waiting += [other for other in behind if isinstance(other, BaseException)]


def _many(value: object) -> list[object]:
    return list(value[: _MOST + 1]) if isinstance(value, (tuple, list)) else []


def _is_sign(error: BaseException) -> bool:
    if not isinstance(error, Exception):  # SystemExit, GeneratorExit, a cancelled task
        return True
    if any(not refuses(status) for status in _statuses(error)):
        return True
    if isinstance(error, ConnectionRefusedError):
        return False
    names = [type_name(kind) for kind in _mro(type(error))]
    return any(map(_KINDS.search, names)) or (isinstance(error, OSError) and error.errno in _NUMBERS)


def _statuses(error: BaseException) -> Iterator[int]:
    for bearer in (error, getattr(error, "response", None)):
        for name in _STATUS:
            status = getattr(bearer, name, None)
            if isinstance(status, int) and 100 <= status < 600:
                yield int(status)
