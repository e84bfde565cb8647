"""The short way: from text to an accepted value in one parse and one look, for the payloads that surely pass.

Everything else takes the whole way (`payload.read`, then the engine's faults), so nothing is decided here that is not
decided there; a test holds the two to the same answers.

Not here: naming a fault. A `None` only means: ask the whole way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gate.decision import Decision
from gate.strictjson import MAX_DEPTH

_from_json: Callable[..., Any] | None
try:
    from jiter import from_json as _from_json
except ImportError:  # the browser build has no wheel for it
    _from_json = None

Quick = Callable[[Any], Decision | None]
Look = Callable[[Any], bool]

_COMBINE = {"$ref", "allOf", "anyOf", "oneOf", "not", "if", "contains", "prefixItems", "propertyNames"}


def quick_way(schema: dict[str, Any], accepts: Look, max_bytes: int) -> Quick:
    """Return the function that takes text or bytes to the allowing decision, or to None where there is any doubt.

    `accepts` is the engine's quick look (`Engine.skims`), right for every value in which no float stands where 4 and
    4.0, or null and infinity, would differ. Only for schemas whose numbers have a least and a greatest value, so that
    a huge integer is refused by them.
    """
    if _from_json is None or any(_holds_whole_float(item) for item in _listed(schema)):
        return lambda raw: None  # 1 would pass where only 1.0 is listed
    from_json = _from_json
    doubtful = _closer_look(schema)
    # Where no float may stand, one that does is handed over as a type that the engine refuses to look at.
    mode = "float" if _mentions_number(schema) else "lossless-float"
    looks_closer = doubtful is not None and (mode == "float" or doubtful is anywhere)
    look = doubtful or anywhere
    new = tuple.__new__  # half the time of Decision(...)

    def quick(raw: Any) -> Decision | None:
        if type(raw) is not bytes:
            if type(raw) is not str or len(raw) > max_bytes:
                return None
            try:
                raw = raw.encode()
            except ValueError:  # half of a surrogate pair
                return None
        if len(raw) > max_bytes:
            return None
        try:
            value = from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True, float_mode=mode)
            if accepts(value) and not (looks_closer and look(value)):
                return new(Decision, ("allow", "schema", (), value, ()))
        except ValueError:  # not JSON, not UTF-8, or a float where none may stand
            pass
        return None

    return quick


def anywhere(value: Any, levels: int = MAX_DEPTH) -> bool:
    """Say whether a value nests deeper than `levels`, or holds a float that is whole (4.0) or infinite anywhere."""
    if levels == 0:
        return True
    for item in value.values() if type(value) is dict else value:
        kind = type(item)
        if kind is float:
            if item.is_integer() or item - item != 0:
                return True
        elif (kind is dict or kind is list) and anywhere(item, levels - 1):
            return True
    return False


def _closer_look(schema: dict[str, Any]) -> Look | None:
    """Return what finds the floats that the engine takes for an integer or for null; None where there can be none.

    A schema of plain objects and arrays is looked at only where such numbers may stand. One that combines schemas, or
    refers to itself, is looked at everywhere.
    """
    if _combines(schema) or any(isinstance(item, dict | list) for item in _listed(schema)):
        return anywhere
    return _look_at(schema)


def _look_at(node: Any) -> Look | None:
    if not isinstance(node, dict):
        return None
    if "properties" in node or isinstance(node.get("additionalProperties"), dict):
        return _look_at_object(node)
    if "items" in node:
        inside = _look_at(node["items"])
        return None if inside is None else lambda value: type(value) is list and any(map(inside, value))
    kinds = node.get("type", ())
    listed = repr(node.get("enum")) + repr(node.get("const"))
    if "integer" in kinds or "null" in kinds or any(letter.isdigit() for letter in listed):
        return _is_doubtful
    return None


def _is_doubtful(item: Any) -> bool:
    return type(item) is float and (item.is_integer() or item - item != 0)


def _look_at_object(node: dict[str, Any]) -> Look | None:
    if isinstance(node.get("additionalProperties"), dict):
        return anywhere
    looks = {name: _look_at(part) for name, part in node.get("properties", {}).items()}
    leaves = [name for name, look in looks.items() if look is _is_doubtful]
    deeper = [(name, look) for name, look in looks.items() if look is not None and look is not _is_doubtful]
    if not leaves and not deeper:
        return None

    def look(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name in leaves:
            item = value.get(name)
            if type(item) is float and _is_doubtful(item):
                return True
        return any(inside(value.get(name)) for name, inside in deeper)

    return look


def _combines(node: Any) -> bool:
    if isinstance(node, dict):
        kinds = node.get("type")
        mixed = isinstance(kinds, list) and not {"object", "array"}.isdisjoint(map(str, kinds))
        return mixed or bool(node.keys() & _COMBINE) or any(map(_combines, node.values()))
    return isinstance(node, list) and any(map(_combines, node))


def _listed(node: Any) -> Iterator[Any]:
    """Yield every value that an enum or a const lists, anywhere."""
    if isinstance(node, dict):
        yield from node.get("enum", ()) if isinstance(node.get("enum"), list) else ()
        yield from [node["const"]] if "const" in node else ()
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _listed(part)


def _holds_whole_float(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (type(value) is float and value.is_integer()) or any(map(_holds_whole_float, parts))


def _mentions_number(node: Any) -> bool:
    """Say whether a float may stand anywhere: a number type, or a fraction in an enum or const."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return isinstance(node, float) or node == "number" or any(map(_mentions_number, parts))
