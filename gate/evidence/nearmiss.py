"""Near misses: for each rule, values that break it by as little as can be.

A near miss is a guess. Whether it breaks this rule and no other is for the caller to find out: the contract without
the rule must accept it.

Not here: values that fit (`samples`, `strings`).
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from gate.evidence.rules import Rule
from gate.evidence.samples import Node, Sampler
from gate.evidence.strings import drawn, fit_for, stretched

_ALIKE = {"a": "\u0430", "c": "\u0441", "e": "\u0435", "o": "\u043e", "p": "\u0440", "T": "\u0422", "S": "\u0405",
          "0": "O", "1": "l", "4": "\uff14", "-": "\u2010", "_": "\uff3f"}  # fmt: skip
_ODD: tuple[Any, ...] = (None, 0, -1, 0.5, "", "x", True, [], {})
_UNSEEN = ("\u200b", "\u202e", "\x00", "\n", "\t", "\u00a0")


class _Spot(NamedTuple):
    """Where a rule bites: the keyword's value in the schema, the value judged, which fits, and the node."""

    limit: Any
    value: Any
    node: Node
    sampler: Sampler
    rng: random.Random


def near_misses(rule: Rule, value: Any, sampler: Sampler, rng: random.Random) -> list[Any]:
    """Return values close to `value`, which fits, that should break `rule`; none where it cannot bite.

    >>> rule = Rule((), "maximum", None, {"type": "integer", "maximum": 500}, ((),))
    >>> near_misses(rule, 7, Sampler({}, random.Random(0)), random.Random(0))
    [501]
    """
    if rule.keyword == "required":
        return [_without(value, rule.item)] if isinstance(value, dict) else []
    kind, make = _NEAR[rule.keyword]
    fits = isinstance(value, kind) and not (isinstance(value, bool) and kind == (int, float))
    return make(_Spot(rule.node[rule.keyword], value, rule.node, sampler, rng)) if fits else []


def misspelt(text: str, rng: random.Random) -> list[str]:
    """Return texts that a reader takes for `text`: a letter doubled, lost, swapped, look-alike, or something unseen.

    >>> "noop\\n" in misspelt("noop", random.Random(0))
    True
    """
    at, unseen = rng.randrange(len(text) + 1), rng.choice(_UNSEEN)
    head, tail = text[:at], text[at:]
    found = [text + "\n", text + " ", " " + text, text + unseen, head + unseen + tail, text.swapcase(), text[::-1], ""]
    found += [head + tail[1:], head + tail[:1] + tail]
    alike = [spot for spot, letter in enumerate(text) if letter in _ALIKE]
    if alike:
        spot = rng.choice(alike)
        found.append(text[:spot] + _ALIKE[text[spot]] + text[spot + 1 :])
    return [other for other in found if other != text]


def _types(spot: _Spot) -> list[Any]:
    value = spot.value
    near: list[Any] = [None, [value], {"value": value}]
    if isinstance(value, str):
        near += [len(value), True, *([int(value)] if value.isdecimal() and len(value) < 16 else [])]
    elif value is None or isinstance(value, bool):
        near += [str(value).lower(), int(bool(value)), ""]
    elif isinstance(value, (int, float)):
        near += [str(value), float(value), value + 0.5, bool(value)]
    else:
        near += [json.dumps(value), list(value) if isinstance(value, dict) else {"0": value}]
    wanted = {spot.limit} if isinstance(spot.limit, str) else set(spot.limit)
    return [other for other in near if not _TYPES[type(other)] & wanted]


_TYPES = {
    str: {"string"}, int: {"integer", "number"}, float: {"number"}, bool: {"boolean"}, type(None): {"null"},
    list: {"array"}, dict: {"object"},
}  # fmt: skip


def _outside(spot: _Spot) -> list[Any]:
    near: list[Any] = [[spot.value]]
    for option in spot.limit if isinstance(spot.limit, list) else [spot.limit]:
        if isinstance(option, str):
            near += misspelt(option, spot.rng)
        elif isinstance(option, bool) or option is None:
            near += [int(bool(option)), str(option).lower(), not option]
        elif isinstance(option, (int, float)):
            near += [float(option), option + 1, option - 1, str(option)]
        else:
            near += [None, json.dumps(option)]
    return near


_SLIPS = (("-02-29", "-02-30"), ("T23:", "T24:"), ("@", "@@"), (".", ".."), ("127.", "0127."), (":", "::::"))


def _odd_text(spot: _Spot, keyword: str) -> list[Any]:
    fits = fit_for({keyword: spot.limit})
    slips = [spot.value.replace(*pair, 1) for pair in _SLIPS] if keyword == "format" else []
    return [text for text in misspelt(spot.value, spot.rng) + slips if not fits(text)]


def _sized(spot: _Spot, size: int) -> list[Any]:
    near = [stretched(spot.value, size, fit_for(spot.node)), spot.value.ljust(size, "x")[: max(size, 0)]]
    return [text for text in near if len(text) == size]


def _beyond(spot: _Spot, way: int) -> list[Any]:
    """Return the numbers next to a limit on its far side; an exclusive limit is itself one of them."""
    limit, node = spot.limit, spot.node
    near = [limit] if limit in (node.get("exclusiveMinimum"), node.get("exclusiveMaximum")) else []
    if node.get("type") == "integer":
        return [*near, limit + way * node.get("multipleOf", 1)]
    near += [limit + way, limit + 2 * way]
    return [*near, round(limit + way * node.get("multipleOf", 0.01), 12), math.nextafter(limit, way * math.inf)]


def _off_step(spot: _Spot) -> list[Any]:
    by = 1 if spot.node.get("type") == "integer" else spot.limit / 2
    return [spot.value + by, spot.value - by]


def _more_items(spot: _Spot) -> list[Any]:
    items, more = spot.node.get("items"), list(spot.value)
    for _ in range(8 * (spot.limit + 1)):
        if len(more) > spot.limit:
            break
        item = spot.sampler.value(items) if isinstance(items, dict) else (more or [None])[-1]
        more += [item] if not spot.node.get("uniqueItems") or item not in more else _another(items, len(more), spot)
    return [more] if len(more) > spot.limit else []


def _another(node: Any, number: int, spot: _Spot) -> list[Any]:
    """Return an item beside those that the sampler keeps drawing; none where it is neither text nor number."""
    flat = spot.sampler.flat(node)
    if flat.get("type") != "string":
        return [number] if flat.get("type") in ("integer", "number") else []
    return [drawn(flat["pattern"], spot.rng) if "pattern" in flat else str(number)]


def _twice(spot: _Spot) -> list[Any]:
    return [[*spot.value[:-1], spot.value[0]], [*spot.value, spot.value[0]]] if spot.value else []


def _uncontained(spot: _Spot) -> list[Any]:
    items = spot.node.get("items")
    other = [spot.sampler.value(items) for _ in spot.value] if isinstance(items, dict) else []
    return [spot.value[:1], spot.value[:-1], spot.value[1:], other]


def _too_often_contained(spot: _Spot) -> list[Any]:
    return [[spot.sampler.value(spot.node["contains"]) for _ in range(spot.limit + 1)]]


def _odd_item(spot: _Spot) -> list[Any]:
    if spot.limit is False:
        return [[*spot.value, (spot.value or [None])[-1]]]
    return [[*spot.value[:-1], odd] for odd in _ODD]


def _extra_field(spot: _Spot) -> list[Any]:
    if spot.limit is not False:
        return [spot.value | {name: odd} for name in list(spot.value)[:1] for odd in _ODD]
    known = sorted(spot.node.get("properties", {}))
    names = misspelt(spot.rng.choice(known), spot.rng) if known else []
    names += ["extra", "__proto__", "default", ""]
    return [spot.value | {name: spot.rng.choice((1, "x", None, True))} for name in names if name not in known]


def _renamed(spot: _Spot) -> list[Any]:
    if not spot.value:
        return []
    name = spot.rng.choice(sorted(spot.value))
    others = [other for other in misspelt(name, spot.rng) if other not in spot.value]
    return [_without(spot.value, name) | {other: spot.value[name]} for other in others]


def _more_fields(spot: _Spot) -> list[Any]:
    names = {"type": "string"} | spot.sampler.flat(spot.node.get("propertyNames", {}))
    more = dict(spot.value)
    for _ in range(8 * (spot.limit + 1)):
        if len(more) > spot.limit:
            break
        name = spot.sampler.value(names)
        if name not in more:  # a value may be large, and names few
            more[name] = spot.sampler.value(spot.node.get("additionalProperties"))
    return [more] if len(more) > spot.limit else []


def _undone(spot: _Spot) -> list[Any]:
    return [_without(spot.value, other) for name, needs in spot.limit.items() if name in spot.value for other in needs]


def _forbidden(spot: _Spot) -> list[Any]:
    drawn = spot.sampler.value(spot.limit)
    return [spot.value | drawn if isinstance(spot.value, dict) and isinstance(drawn, dict) else drawn]


def _without(value: dict[str, Any], name: str | None) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != name}


_NUMBER = (int, float)
_NEAR: dict[str, tuple[Any, Callable[[_Spot], list[Any]]]] = {
    "type": (object, _types),
    "enum": (object, _outside),
    "const": (object, _outside),
    "not": (object, _forbidden),
    "anyOf": (object, lambda _: list(_ODD)),
    "oneOf": (object, lambda _: list(_ODD)),
    "then": (object, lambda _: []),
    "else": (object, lambda _: []),
    "pattern": (str, lambda spot: _odd_text(spot, "pattern")),
    "format": (str, lambda spot: _odd_text(spot, "format")),
    "minLength": (str, lambda spot: _sized(spot, spot.limit - 1)),
    "maxLength": (str, lambda spot: _sized(spot, spot.limit + 1)),
    "minimum": (_NUMBER, lambda spot: _beyond(spot, -1)),
    "exclusiveMinimum": (_NUMBER, lambda spot: _beyond(spot, -1)),
    "maximum": (_NUMBER, lambda spot: _beyond(spot, 1)),
    "exclusiveMaximum": (_NUMBER, lambda spot: _beyond(spot, 1)),
    "multipleOf": (_NUMBER, _off_step),
    "minItems": (list, lambda spot: [spot.value[: max(0, spot.limit - 1)]]),
    "maxItems": (list, _more_items),
    "uniqueItems": (list, _twice),
    "items": (list, _odd_item),
    "contains": (list, _uncontained),
    "minContains": (list, _uncontained),
    "maxContains": (list, _too_often_contained),
    "additionalProperties": (dict, _extra_field),
    "propertyNames": (dict, _renamed),
    "minProperties": (dict, lambda spot: [dict(list(spot.value.items())[: max(0, spot.limit - 1)])]),
    "maxProperties": (dict, _more_fields),
    "dependentRequired": (dict, _undone),
}

#: The keywords that a payload can miss by a little.
KEYWORDS = frozenset(_NEAR)
