"""The tag of this pair: four characters, made once and kept in `work/pair.json`. It stands for no name.

Not here: who they are. Whoever wants to know asks in the room.
"""

from __future__ import annotations

import re
import secrets

from gate.lab.answers import Answers, Document
from gate.room.code import TAGS, tag

_TAG = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}")


def own_tag() -> str:
    """Return the tag of this work folder's pair, made at the first call."""
    document = Answers("pair", vet=_vet).update(lambda known: known or {"tag": tag(secrets.randbelow(TAGS))})
    return str(document["tag"])


def _vet(document: Document) -> str:
    return "" if set(document) == {"tag"} and _TAG.fullmatch(str(document["tag"])) else "it holds no tag of a pair."
