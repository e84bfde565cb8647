"""The usual way to judge a fixture: `json.loads`, then `jsonschema`, with a validator made once or anew each time.

Not here: which fixtures and contracts (`replay`, `mutants`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema

from gate.evidence.fixtures import Fixture


def validator_of(schema: dict[str, Any]) -> Any:
    """Return a validator that is made once."""
    return jsonschema.Draft202012Validator(schema)


def validate_with(schema: dict[str, Any]) -> Callable[[Any], None]:
    """Return what checks and compiles the schema each time."""
    return lambda value: jsonschema.validate(value, schema)


def refuses(fixture: Fixture, judge: Callable[[Any], object]) -> bool:
    """Say whether a fixture is no JSON, or not what `judge` takes."""
    try:
        judge(json.loads(fixture.payload) if isinstance(fixture.payload, str) else fixture.payload)
    except (ValueError, jsonschema.ValidationError):
        return True
    return False
