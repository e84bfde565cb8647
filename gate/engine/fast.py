"""The deciding engine: `jsonschema-rs`, made as strict as the kit.

Stricter than JSON Schema in the same ways as `strict`: an `integer` is an integer token (4.0 is refused), true
never equals 1 nor 1.0 equal 1 in an enum, and formats are checked. Patterns match in linear time; nothing is fetched.

Not here: whether the schema is fit to be a contract (`vet`). Where `jsonschema-rs` is not installed, importing this
raises ImportError and the strict engine decides.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import jsonschema_rs

from gate.engine.faults import (
    DIALECT,
    MAX_FAULTS,
    Engine,
    Fault,
    Misuse,
    first_faults,
    is_multiple,
    json_type,
    rules,
    same,
)
from gate.engine.formats import FORMATS

# Our own keywords, which take the place of the engine's where those would not tell 4 from 4.0, or are not exact.
TYPE, ENUM, CONST, MULTIPLE = "x-gate-type", "x-gate-enum", "x-gate-const", "x-gate-multipleOf"

_LOST = re.compile(r"\+?[0-9]*")


class FastEngine:
    """`jsonschema-rs`, offline, with its linear-time patterns and our formats."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        marked, ours = _mark(rules(schema)), {TYPE: _Type, ENUM: _Enum, CONST: _Const, MULTIPLE: _Multiple}
        self._marked = _validator(marked, ours)
        self.accepts: Callable[[Any], bool] = self._marked.is_valid

    @cached_property
    def skims(self) -> Callable[[Any], bool]:
        """Look quickly, at what holds no whole float. Made when it is asked for: a planted fault never does."""
        exact = MULTIPLE in json.dumps(_mark(rules(self._schema)))
        return self.accepts if exact else _validator(rules(self._schema)).is_valid

    def faults(self, value: Any) -> list[Fault]:
        """Return every broken rule, empty when the value is accepted."""
        found = first_faults(fault for error in self._marked.iter_errors(value) for fault in _fast_faults(error))
        if found and _has_lost_name(value):
            return self._strict.faults(value)
        return found

    @cached_property
    def _strict(self) -> Engine:
        from gate.engine.strict import StrictEngine  # imports the second engine, which few payloads need

        return StrictEngine(self._schema)


def _validator(schema: dict[str, Any], keywords: dict[str, Any] | None = None) -> Any:
    # Only what the schema uses: each call is slower by a tenth of a microsecond when there are formats at all.
    text = json.dumps(schema)
    formats = {name: check for name, check in FORMATS.items() if f'"{name}"' in text}
    return jsonschema_rs.Draft202012Validator(
        schema,
        formats=formats or None,
        validate_formats=True,
        pattern_options=jsonschema_rs.RegexOptions(),
        keywords=keywords,
        offline=True,
    )


def _mark(schema: Any, *, is_schema: bool = True) -> Any:
    """Return the schema with our own keywords where it tells integers from other numbers."""
    if isinstance(schema, list):
        return [_mark(item, is_schema=is_schema) for item in schema]
    if not isinstance(schema, dict):
        return schema
    marked = {
        key: item if key in ("enum", "const", "required", "dependentRequired") and is_schema
        else _mark(item, is_schema=not (is_schema and key in ("properties", "$defs")))
        for key, item in schema.items()
    }  # fmt: skip
    if is_schema:
        if schema.get("additionalProperties") is False:
            marked.setdefault("properties", {})  # without it the engine does not say which fields were too many
        if "integer" in schema.get("type", ()) and "number" not in schema["type"]:
            marked[TYPE] = _list(marked.pop("type"))
        for word, own in (("enum", ENUM), ("const", CONST), ("multipleOf", MULTIPLE)):
            if _holds_number(schema.get(word)):
                marked[own] = marked.pop(word)
    return marked


def _has_lost_name(value: Any) -> bool:
    """Say whether a field anywhere has a name that jsonschema-rs loses in its paths: "" is left out, "042" is 42."""
    if type(value) is dict:
        return any(map(_LOST.fullmatch, value)) or any(map(_has_lost_name, value.values()))
    return type(value) is list and any(map(_has_lost_name, value))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _holds_number(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_holds_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and not isinstance(value, bool)


class _Keyword(ABC):
    """A keyword of ours. A refusal carries the keyword's value, which the engine does not hand back, as JSON text."""

    def __init__(self, parent: object, value: Any, path: object) -> None:
        self.value = value

    def validate(self, instance: Any) -> None:
        if not self.accepts(instance):
            raise ValueError(json.dumps(self.value))

    @abstractmethod
    def accepts(self, instance: Any) -> bool: ...


class _Type(_Keyword):
    def accepts(self, instance: Any) -> bool:
        return json_type(instance) in self.value


class _Enum(_Keyword):
    def accepts(self, instance: Any) -> bool:
        return any(same(instance, item) for item in self.value)


class _Const(_Keyword):
    def accepts(self, instance: Any) -> bool:
        return same(instance, self.value)


class _Multiple(_Keyword):
    def accepts(self, instance: Any) -> bool:
        return is_multiple(instance, self.value)


def _fast_faults(error: Any) -> Iterator[Fault]:
    keyword = error.kind.name
    details = error.kind.as_dict()
    path = tuple(error.instance_path)
    if keyword == "additionalProperties":
        for name in details["unexpected"]:
            yield Fault(keyword, (*path, name), None, error.instance[name])
    elif keyword == "required":
        yield Fault(keyword, (*path, details["property"]), None, error.instance)
    elif keyword in ("anyOf", "oneOf"):
        branches = tuple(
            tuple(first_faults(fault for inner in branch for fault in _fast_faults(inner)))
            for branch in details["context"]
        )
        yield Fault(keyword, path, None, error.instance, branches)
    elif keyword == "propertyNames":
        name = details["error"].instance
        yield Fault(keyword, (*path, name), None, name)
    elif keyword in _LIMIT_NAMES:
        limit = details[_LIMIT_NAMES[keyword]]
        yield Fault(keyword, path, sorted(limit) if keyword == "type" else limit, error.instance)
    elif keyword in _OURS:
        limit = json.loads(details["message"])
        yield Fault(_OURS[keyword], path, sorted(limit) if keyword == TYPE else limit, error.instance)
    else:
        yield Fault(keyword, path, None, error.instance)


_OURS = {TYPE: "type", ENUM: "enum", CONST: "const", MULTIPLE: "multipleOf"}
_LIMIT_NAMES = {
    "type": "types", "enum": "options", "const": "expected_value", "pattern": "pattern", "format": "format",
} | dict.fromkeys(
    (
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
        "minProperties", "maxProperties",
    ),
    "limit",
)  # fmt: skip


def metaschema_faults(schema: dict[str, Any]) -> list[Misuse]:
    """Return (steps, message) for each way in which a schema is no JSON Schema (2020-12), at most `MAX_FAULTS`."""
    # By its name, whatever $schema says: a dialect that is not known would be looked for on the network.
    metaschema = jsonschema_rs.Draft202012Validator({"$ref": DIALECT}, offline=True)
    found = islice(metaschema.iter_errors(schema), MAX_FAULTS)
    return [(tuple(error.instance_path), error.message) for error in found]
