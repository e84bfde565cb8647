"""Every way in which the stand-in judge can fail on purpose, by the name that stands first in its path.

`http://127.0.0.1:PORT/drip/v1` is the same judge behind the fault `drip`. Wherever a fault leaves room for a verdict it
says allow, whatever was asked: a gate that lets one through shows itself as a false allow. `code` is what the kit's own
semantic gate must find.

Not here: sending it (`double`). Not among them, for they need no server: unset variables, a port where nothing
listens, a name that does not resolve, https:// to a plain port.
"""

from __future__ import annotations

import gzip
import json
from typing import Literal, NamedTuple

from gate.evidence.judge import completion

Pace = Literal["at once", "late head", "slow head", "slow body", "reset"]

Headers = tuple[tuple[str, str], ...]

JSON: Headers = (("Content-Type", "application/json"),)
_HTML: Headers = (("Content-Type", "text/html"),)
_ALLOW = '{"decision": "allow", "rationale": "it looks fine"}'


class Fault(NamedTuple):
    """One reply that must not pass: what it shows, the code of the finding, and the reply itself.

    `pace` says how it travels: at once; the head late, or head or body one byte now and then, which takes about a
    minute; or cut off in the middle.
    """

    says: str
    code: str
    body: bytes = completion(_ALLOW)
    status: int = 200
    headers: Headers = JSON
    pace: Pace = "at once"

    @property
    def slow(self) -> bool:
        """Whether only a wall clock ends it."""
        return self.pace in ("late head", "slow head", "slow body")


def _verdict(says: str, verdict: object, code: str = "semantic.malformed") -> Fault:
    return Fault(says, code, completion(json.dumps(verdict)))


def _text(says: str, text: object) -> Fault:
    return Fault(says, "semantic.malformed", completion(text))


def _status(says: str, status: int, *headers: tuple[str, str]) -> Fault:
    return Fault(says, "semantic.unavailable", status=status, headers=JSON + headers)


def _bomb() -> bytes:
    """An allow behind 8 MB of blanks, in some 8 KB: whoever decodes it without a cap pays for it."""
    return gzip.compress(b" " * 8_000_000 + completion(_ALLOW), mtime=0)


FAULTS: dict[str, Fault] = {
    "redirect": _status("302 to a judge that allows", 302, ("Location", "/v1/chat/completions")),
    "unauthorized": _status("401, the key is refused", 401),
    "not-found": _status("404, no such model or path", 404),
    "rate-limit": _status("429, with the time to wait", 429, ("Retry-After", "30")),
    "server-error": _status("500 with an allow in its body", 500),
    "not-200": _status("203, which is not 200", 203),
    "late": Fault("the first byte comes too late", "semantic.timeout", pace="late head"),
    "drip": Fault("one byte of the body now and then", "semantic.timeout", pace="slow body"),
    "drip-head": Fault("one byte of the head now and then", "semantic.timeout", pace="slow head"),
    "reset": Fault("the connection is reset half way", "semantic.unavailable", pace="reset"),
    "huge": Fault("a body without end", "semantic.malformed", completion(_ALLOW)[:-1] + b" " * 4_000_000 + b"}"),
    "gzip-bomb": Fault(
        "an encoded body that grows", "semantic.malformed", _bomb(), headers=JSON + (("Content-Encoding", "gzip"),)
    ),
    "html": Fault("a log-in page", "semantic.malformed", b"<html>allow</html>", headers=_HTML),
    "not-json": Fault("a body that is no JSON", "semantic.malformed", b"allow"),
    "error-body": Fault("200 with an error inside", "semantic.malformed", b'{"error": {"message": "overloaded"}}'),
    "no-choices": Fault("an empty list of choices", "semantic.malformed", completion(_ALLOW, choices=0)),
    "two-choices": Fault("two choices", "semantic.malformed", completion(_ALLOW, choices=2)),
    "cut-off": Fault("finish reason length", "semantic.malformed", completion(_ALLOW, finish_reason="length")),
    "filtered": Fault(
        "finish reason content_filter", "semantic.malformed", completion(_ALLOW, finish_reason="content_filter")
    ),
    "no-text": _text("a choice whose content is null", None),
    "prose": _text("prose instead of JSON", "Looks fine, ALLOW."),
    "fenced": _text("JSON in a code fence", f"```json\n{_ALLOW}\n```"),
    "list": _text("a JSON list", f"[{_ALLOW}]"),
    "null": _text("JSON null", "null"),
    "number": _text("a JSON number", "1"),
    "duplicate-key": _text("block, then allow, under one key", '{"decision": "block", ' + _ALLOW[1:]),
    "nan": _text("NaN where the rationale stands", '{"decision": "allow", "rationale": NaN}'),
    "unknown-decision": _verdict("an unknown word", {"decision": "ok", "rationale": "x"}),
    "shouted": _verdict("ALLOW", {"decision": "ALLOW", "rationale": "fine"}, "semantic.unknown_decision"),
    "decision-type": _verdict("a decision that is a list", {"decision": ["allow"], "rationale": "fine"}),
    "no-rationale": _verdict("no rationale", {"decision": "allow"}),
    "empty-rationale": _verdict("a blank rationale", {"decision": "allow", "rationale": "  "}),
    "huge-rationale": _verdict("a rationale of 20,000 characters", {"decision": "allow", "rationale": "so " * 7000}),
    "extra-key": _verdict("one key too many", {"decision": "allow", "rationale": "fine", "override": True}),
}
