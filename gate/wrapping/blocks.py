"""Content blocks of a tool result: text, image, document. Each kind has a closed contract; nothing else is passed on.

An address (`"type": "url"`) is refused: whoever fetches it later may get something else than was judged.

Not here: how long their texts may be together (`envelope`). Not caught: what a picture or a document shows.
"""

from __future__ import annotations

import functools
from typing import Any

from gate.contract import Contract
from gate.errors import Finding, finding

Block = dict[str, Any]

MAX_BLOCKS = 20
MAX_BLOCK_BYTES = 8_000_000


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _encoded(*media_types: str) -> dict[str, Any]:
    data = {"type": "string", "minLength": 4, "maxLength": MAX_BLOCK_BYTES, "pattern": "^[A-Za-z0-9+/]+={0,2}$"}
    return _closed(type={"const": "base64"}, media_type={"enum": list(media_types)}, data=data)


_WORDS = {"type": "string", "minLength": 1, "maxLength": MAX_BLOCK_BYTES}
_PLAIN = _closed(type={"const": "text"}, media_type={"const": "text/plain"}, data=_WORDS)
_SCHEMAS = {
    "text": _closed(type={"const": "text"}, text=_WORDS),
    "image": _closed(
        type={"const": "image"}, source=_encoded("image/jpeg", "image/png", "image/gif", "image/webp")
    ),
    "document": _closed(
        type={"const": "document"}, source={"anyOf": [_encoded("application/pdf"), _PLAIN]}
    ),
}  # fmt: skip


@functools.cache
def _contract(kind: str) -> Contract:
    return Contract.from_schema(_SCHEMAS[kind], tool=f"block.{kind}", max_bytes=MAX_BLOCK_BYTES)


def is_blocks(content: object) -> bool:
    """Say whether `content` is meant as content blocks: a list of objects, each of a type that blocks have.

    >>> is_blocks([{"type": "text", "text": "4 left"}]), is_blocks([{"sku": "SKU-19"}]), is_blocks([])
    (True, False, False)
    """
    return (
        type(content) is list
        and content != []
        and all(type(item) is dict and type(item.get("type")) is str and item["type"] in _SCHEMAS for item in content)
    )


def judge_blocks(content: list[Any]) -> list[Block] | tuple[Finding, ...]:
    """Return fresh copies of content blocks, or the findings that say which is none; a path begins at `/content`.

    >>> judge_blocks([{"type": "text", "text": 4}])[0].path
    '/content/0/text'
    """
    if len(content) > MAX_BLOCKS:
        message = f"there are {len(content)} content blocks, more than {MAX_BLOCKS}."
        return (finding("schema.items", "/content", message, "send fewer."),)
    blocks: list[Block] = []
    found: list[Finding] = []
    for index, item in enumerate(content):
        where = f"/content/{index}"
        if not is_blocks([item]):
            message = f"content block {index} is no text, image or document."
            found.append(finding("schema.other", where, message, "leave it out, or send it as text."))
            continue
        decision = _contract(item["type"]).judge(item)
        found += [fault._replace(path=where + fault.path) for fault in decision.findings]
        if decision.value is not None:
            blocks.append(decision.value)
    return tuple(found) or blocks


def words(block: Block) -> str | None:
    """Return the text a block holds, or None for a picture or an encoded document."""
    if block["type"] == "text":
        return str(block["text"])
    return str(block["source"]["data"]) if block["source"]["type"] == "text" else None


def with_words(block: Block, text: str) -> Block:
    """Return a block that has text with another text in its place."""
    if block["type"] == "text":
        return {**block, "text": text}
    return {**block, "source": {**block["source"], "data": text}}
