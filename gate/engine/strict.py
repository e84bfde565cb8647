"""The second engine: `jsonschema`, made as strict as the kit. It decides where `jsonschema-rs` is not installed.

Exact tokens, whole-string patterns, exact multiples, checked formats: the same decisions as `fast`, slower.
Imported only when it is wanted, because importing `jsonschema` is slow.

Not here: what the faults mean (`explain`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from gate.engine.faults import MAX_FAULTS, Fault, Misuse, first_faults, is_multiple, rules, same
from gate.engine.formats import FORMATS
from gate.engine.linear import matcher

Errors = Iterator[ValidationError]


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and not matcher(pattern).found_in(instance):
        yield ValidationError("pattern")


def _format(validator: Any, name: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and not FORMATS[name](instance):
        yield ValidationError("format")


def _enum(validator: Any, allowed: list[Any], instance: Any, schema: Any) -> Errors:
    if not any(same(instance, item) for item in allowed):
        yield ValidationError("enum")


def _const(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    if not same(instance, allowed):
        yield ValidationError("const")


def _multiple_of(validator: Any, step: float, instance: Any, schema: Any) -> Errors:
    if not is_multiple(instance, step):
        yield ValidationError("multipleOf")


def _required(validator: Any, names: list[str], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        yield from (ValidationError("required", path=[name]) for name in names if name not in instance)


def _dependent_required(validator: Any, needs: dict[str, list[str]], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for name, names in needs.items():
            if name in instance:
                yield from _required(validator, names, instance, schema)


def _additional(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for name in instance.keys() - schema.get("properties", {}).keys():
            if rule is False:
                yield ValidationError("additionalProperties", path=[name])
            else:
                yield from validator.descend(instance[name], rule, path=name)


def _property_names(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for name in instance:
            if not validator.evolve(schema=rule).is_valid(name):
                yield ValidationError("propertyNames", path=[name])


def _items(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        for index in range(len(schema.get("prefixItems", ())), len(instance)):
            if rule is False:
                yield ValidationError("falseSchema", path=[index], validator="falseSchema")
            else:
                yield from validator.descend(instance[index], rule, path=index)


def _unique_items(validator: Any, unique: bool, instance: Any, schema: Any) -> Errors:
    # By hash, because comparing each with each takes minutes for what fits under the cap.
    if unique and isinstance(instance, list) and len(set(map(_hashable, instance))) < len(instance):
        yield ValidationError("uniqueItems")


def _hashable(value: Any) -> Any:
    """Return what is equal for equal JSON values, and only for those: 1 is 1.0, and true is not 1."""
    if isinstance(value, dict):
        return frozenset((name, _hashable(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return (bool, value) if isinstance(value, bool) else value


_TYPES = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {
        "integer": lambda _, value: type(value) is int,
        "number": lambda _, value: type(value) in (int, float),
    }
)

_Strict = extend(
    Draft202012Validator,
    validators={
        "additionalProperties": _additional,
        "const": _const,
        "dependentRequired": _dependent_required,
        "enum": _enum,
        "format": _format,
        "items": _items,
        "multipleOf": _multiple_of,
        "pattern": _pattern,
        "propertyNames": _property_names,
        "required": _required,
        "uniqueItems": _unique_items,
    },
    type_checker=_TYPES,
)


_SHOWN = {
    "enum", "const", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
}  # fmt: skip

_SAME_AS = {"dependentRequired": "required", "minContains": "contains", "maxContains": "contains"}


class StrictEngine:
    """Judges parsed values by a vetted schema.

    >>> StrictEngine({"type": "integer"}).faults(4.0)[0].keyword
    'type'
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._validator = _Strict(rules(schema))
        self.accepts: Callable[[Any], bool] = self._validator.is_valid
        self.skims = self.accepts

    def faults(self, value: Any) -> list[Fault]:
        """Return every broken rule, empty when the value is accepted."""
        errors = self._validator.iter_errors(value)
        return first_faults(fault for error in errors for fault in _strict_faults(error))


def _strict_faults(error: ValidationError) -> Iterator[Fault]:
    keyword, path, limit = str(error.validator), tuple(error.absolute_path), error.validator_value
    if keyword in ("anyOf", "oneOf"):
        branches: dict[Any, list[Fault]] = {index: [] for index in range(len(limit))}
        for inner in error.context or ():
            branches[inner.schema_path[0]].extend(_strict_faults(inner))
        yield Fault(keyword, path, None, error.instance, tuple(tuple(branch) for branch in branches.values()))
    elif keyword == "type":
        yield Fault(keyword, path, [limit] if isinstance(limit, str) else sorted(limit), error.instance)
    elif keyword in _SAME_AS:
        yield Fault(_SAME_AS[keyword], path, None, error.instance)
    else:
        yield Fault(keyword, path, limit if keyword in _SHOWN else None, error.instance)


def metaschema_faults(schema: dict[str, Any]) -> list[Misuse]:
    """Return (steps, message) for each way in which a schema is no JSON Schema (2020-12), at most `MAX_FAULTS`."""
    return list(_metaschema_faults(json.dumps(schema)))


@lru_cache(maxsize=256)  # contracts are loaded again and again, and a look takes a tenth of a second in a browser
def _metaschema_faults(schema: str) -> list[Misuse]:
    metaschema = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    found = islice(metaschema.iter_errors(json.loads(schema)), MAX_FAULTS)
    return [(tuple(error.absolute_path), error.message) for error in found]
