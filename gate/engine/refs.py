"""References inside a contract: what each `$ref` points at, and why it may not.

A contract is one file: a reference stays inside it, points at a schema, and does not come back to itself before the
value gets deeper. One that decides what passes points at a schema that is closed.

Not here: what a closed schema is (`vet`).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from gate.errors import quote

#: Keywords that hold a schema, or a list of them, for the very value that their own schema is for.
IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")

_REF = re.compile(r"#(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*")
_INDEX = re.compile(r"0|[1-9][0-9]{0,5}")


class Place(NamedTuple):
    """A schema somewhere in a contract, and whether it alone decides what passes there, so that it must be closed."""

    node: dict[str, Any]
    path: str
    closed: bool


def faulty_references(root: dict[str, Any], places: list[Place]) -> list[tuple[str, str, str, str]]:
    """Return (reason, path, message, hint) for each reference that may not stand. `places` are all schemas of `root`.

    >>> part = {"$ref": "#/$defs/gone"}
    >>> faulty_references({"items": part}, [Place(part, "/items", True)])[0][:2]
    ('ref', '/items/$ref')
    """
    closed = {id(place.node): place.closed for place in places}
    looping: dict[int, bool] = {}
    found = []
    for node, path, must_close in places:
        if "$ref" not in node:
            continue
        ref, where = node["$ref"], f"{path}/$ref"
        target = resolve(root, ref) if isinstance(ref, str) else None
        if not isinstance(ref, str) or not ref.startswith("#"):
            message = f"$ref to {quote(ref)} leaves the file; nothing is ever fetched."
            found.append(("remote_ref", where, message, "copy the schema under $defs and point at #/$defs/…."))
        elif id(target) not in closed:
            message = f"$ref to {quote(ref)} points at no schema of this contract."
            found.append(("ref", where, message, "correct the pointer: #/$defs/…."))
        elif must_close and not closed[id(target)]:
            message = f"$ref to {quote(ref)} points at a schema that only narrows another: it closes nothing."
            found.append(("open", where, message, "point at a closed schema under $defs."))
        elif _comes_back(root, node, looping):
            found.append(("ref", where, f"$ref to {quote(ref)} comes back to itself.", "break the loop."))
        elif _branches(root, target):
            message = (
                f"$ref to {quote(ref)} repeats itself through several branches at once: judging could take for ever."
            )
            found.append(("ref", where, message, "let one branch lead back, or write out the levels that you need."))
    return found


def resolve(root: dict[str, Any], ref: str) -> Any | None:
    """Return what a local reference (`#` or `#/a/b`) points at, or None.

    >>> resolve({"$defs": {"a b": {"type": "null"}}}, "#/$defs/a%20b")
    {'type': 'null'}
    """
    if not _REF.fullmatch(ref):
        return None
    if "%" in ref:
        from urllib.parse import unquote  # rare, and not worth what it costs every import

        ref = unquote(ref)
    here: Any = root
    for part in ref.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list):
            here = here[int(name)] if _INDEX.fullmatch(name) and int(name) < len(here) else None
        else:
            here = here.get(name) if isinstance(here, dict) else None
    return here


def _comes_back(root: dict[str, Any], node: Any, looping: dict[int, bool]) -> bool:
    """Say whether judging one value by this schema would come back to it without going deeper into the value.

    `looping` keeps what is known by now; a schema whose answer is still being sought is one that was come back to.
    """
    if not isinstance(node, dict):
        return False
    if id(node) not in looping:
        looping[id(node)] = True
        targets = [resolve(root, node["$ref"])] if isinstance(node.get("$ref"), str) else []
        for word in IN_PLACE:
            targets += node[word] if isinstance(node.get(word), list) else [node.get(word)]
        looping[id(node)] = any(_comes_back(root, target, looping) for target in targets)
    return looping[id(node)]


def _in_place(root: dict[str, Any], node: Any) -> dict[int, dict[str, Any]]:
    """Return every schema that judges the same value as `node` does, itself included, by id."""
    found: dict[int, dict[str, Any]] = {}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict) and id(one) not in found:
            found[id(one)] = one
            waiting += [resolve(root, one["$ref"])] if isinstance(one.get("$ref"), str) else []
            for word in IN_PLACE:
                waiting += one[word] if isinstance(one.get(word), list) else [one.get(word)]
    return found


def _deeper(node: dict[str, Any]) -> list[Any]:
    """Return the schemas for what is inside the value of `node`: fields, items, names."""
    properties = node.get("properties")
    inside = [*properties.values()] if isinstance(properties, dict) else []
    for word in ("items", "prefixItems", "additionalProperties", "contains", "propertyNames"):
        inside += node[word] if isinstance(node.get(word), list) else [node.get(word)]
    return inside


def _branches(root: dict[str, Any], node: Any) -> bool:
    """Say whether more than one of the schemas for one value leads back to them from inside the value.

    Each level would then be judged once for every branch: twice, four times, eight times, and so on.
    """
    here = _in_place(root, node)
    return sum(1 for one in here.values() if _leads_back(root, _deeper(one), here)) > 1


def _leads_back(root: dict[str, Any], waiting: list[Any], here: dict[int, dict[str, Any]]) -> bool:
    seen: set[int] = set()
    while waiting:
        for key, one in _in_place(root, waiting.pop()).items():
            if key in here:
                return True
            if key not in seen:
                seen.add(key)
                waiting += _deeper(one)
    return False
