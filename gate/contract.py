"""A contract: one JSON Schema for one side of one tool, vetted, compiled, frozen by its hash. It judges.

Not here: which rules a schema must keep (`vet`), the folder of contracts and its lock (`registry`, `lock`), what a
decision means downstream (`pipeline`, `memory`).
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from gate.decision import Decision, block
from gate.engine.explain import Names, explain, names_in, pointer
from gate.engine.faults import Engine
from gate.engine.formats import is_line
from gate.engine.quick import Quick, quick_way
from gate.errors import MAX_MESSAGE, ContractError, Finding, clip, escape, finding, quote
from gate.payload import MAX_BYTES, Raw, read
from gate.vet import vet
from gate.vetting.lines import misuse

_engine_for: Callable[[dict[str, Any]], Engine]
try:
    from gate.engine.fast import FastEngine as _engine_for
    from gate.engine.fast import metaschema_faults
except ImportError:  # the browser build: the strict engine decides
    from gate.engine.strict import StrictEngine as _engine_for
    from gate.engine.strict import metaschema_faults

Side = Literal["input", "output"]
TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789")}
_UNORDERED = ("enum", "required", "type")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contract:
    """One side of one tool. Make it with `from_schema` or `load_contracts`; it does not change.

    `tool`, `side` ("input" is the arguments, "output" the result), `version`, `sha256` of the canonical schema,
    `max_bytes` a payload may have, `warnings` of the vetting (bounds it lacks).
    """

    tool: str
    side: Side
    version: str
    sha256: str
    max_bytes: int
    warnings: tuple[Finding, ...]
    _schema: dict[str, Any]
    _engine: Engine
    _quick: Quick | None
    _names: Names

    @classmethod
    def from_schema(
        cls, schema: dict[str, Any], *, tool: str, side: Side = "input", version: str = "0", max_bytes: int = MAX_BYTES
    ) -> Contract:
        """Return the contract for a schema (plain JSON types, copied first). `max_bytes` caps a payload before parsing.

        Raises `ContractError` with every `contract.*` finding if it is not fit to be one.

        >>> schema = {"type": "object", "additionalProperties": False,
        ...           "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["n"]}
        >>> Contract.from_schema(schema, tool="count").judge('{"n": 4.0}').codes
        ('schema.type',)
        """
        _check_frame(tool, side, version, max_bytes)
        name = f"{tool}.{side}"
        made = _made(json.dumps(_plain(schema, name)), name)
        # Without a bound, a number that overflows would not be refused by the contract itself.
        unbounded = any(found.code == "contract.unbounded_number" for found in made.warnings)
        quick = None if unbounded else quick_way(made.plain, made.engine.skims, max_bytes)
        return cls(
            tool, side, version, made.sha256, max_bytes, made.warnings, made.plain, made.engine, quick, made.names
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<Contract {self.id} version {self.version}>"

    @property
    def id(self) -> str:
        """The tool and the side: `refund_order.input`."""
        return f"{self.tool}.{self.side}"

    @property
    def schema(self) -> dict[str, Any]:
        """A copy of the schema."""
        return copy.deepcopy(self._schema)

    def judge(self, raw: Raw) -> Decision:
        """Return the decision on text, bytes or a mapping: parsed strictly, then judged by the schema. Never raises.

        An allowing decision holds the canonical copy in `.value`; nothing in it is coerced, defaulted or repaired.
        Does not catch: a value of the right shape that is untrue.
        """
        if self._quick is not None:  # what surely passes takes the short way; everything else goes the whole one
            decision = self._quick(raw)
            if decision is not None:
                return decision
        parsed = read(raw, max_bytes=self.max_bytes)
        if isinstance(parsed, Finding):
            return block("parse", [parsed], ("schema",))
        faults = self._engine.faults(parsed)
        return block("schema", explain(faults, self._names)) if faults else Decision("allow", "schema", (), parsed)

    def weakened(self, schema: dict[str, Any]) -> Contract:
        """Return this contract judging by another schema, not vetted: only for `mutants`, which plants faults."""
        engine = _engine_for(schema)
        return replace(self, _schema=schema, _engine=engine, _quick=None)

    def with_second_engine(self) -> Contract:
        """Return this contract judged by the strict `jsonschema` engine alone: the second opinion of `replay`."""
        from gate.engine.strict import StrictEngine

        engine = StrictEngine(self._schema)
        return replace(self, _engine=engine, _quick=None)


def _check_frame(tool: object, side: object, version: object, max_bytes: object) -> None:
    """Raise ContractError for what stands around a schema and could not be one of a contract's parts."""
    if type(tool) is not str or not TOOL_NAME.fullmatch(tool):
        message = f"{quote(tool)} cannot name a tool."
        hint = "begin with a letter; use at most 64 letters, digits, dots, dashes and underscores."
        raise refusal("name", message, hint)
    if tool.endswith("."):
        raise refusal("name", f"{quote(tool)} ends in a dot, which Windows drops from a folder's name.", "rename it.")
    if tool.split(".")[0].casefold() in _RESERVED:
        raise refusal("name", f"{quote(tool)} is a device on Windows: its files could not be written.", "rename it.")
    if type(side) is not str or side not in ("input", "output"):
        raise refusal("name", f"{quote(side)} is no side of {tool}.", 'use "input" or "output".')
    if type(version) is not str or not is_line(version) or len(version) > 64:
        raise refusal("version", f"{quote(version)} is no version of {tool}.", "use a short text, such as a number.")
    if type(max_bytes) is not int or max_bytes < 1:
        raise refusal("size", f"the cap of {tool} on a payload is no number of bytes.", "use a whole number above 0.")


def fingerprint(schema: dict[str, Any]) -> str:
    """Return the sha256 of a schema's canonical text, the same whatever the order of keys, enum, required and type."""
    return hashlib.sha256(json.dumps(_canonical(schema), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _canonical(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: sorted((_canonical(i) for i in item), key=lambda i: json.dumps(i, sort_keys=True))
            if key in _UNORDERED and isinstance(item, list) else _canonical(item)
            for key, item in node.items()
        }  # fmt: skip
    return [_canonical(item) for item in node] if isinstance(node, list) else node


def _plain(schema: Any, name: str) -> dict[str, Any]:
    """Return a copy of a schema in plain JSON types. Raises `ContractError`."""
    if type(schema) is not dict:
        raise refusal("open", f"{name} must be an object, not {quote(schema)}.", "write the schema as an object.")
    plain = read(schema, max_bytes=4 * MAX_BYTES)
    if isinstance(plain, Finding):
        raise refusal("schema", f"{name}: {plain.message}", "write the schema as plain JSON.")
    return plain


class _Made(NamedTuple):
    """All that follows from a schema alone. Nobody changes it, so that contracts may share it."""

    plain: dict[str, Any]
    warnings: tuple[Finding, ...]
    sha256: str
    engine: Engine
    names: Names


@lru_cache(maxsize=128)  # a memory, a board or a grader loads the same few contracts again and again
def _made(text: str, name: str) -> _Made:
    """Return what follows from a schema that is fit to be a contract, given as JSON text. Raises `ContractError`."""
    plain = json.loads(text)
    misused = list({steps: _misused(plain, steps, why) for steps, why in metaschema_faults(plain)}.values())
    errors, warnings = (misused, []) if misused else vet(plain)
    if errors:
        raise ContractError(summary(name, errors), tuple(errors))
    return _Made(plain, tuple(warnings), fingerprint(plain), _engine_for(plain), names_in(plain))


def _misused(schema: dict[str, Any], steps: tuple[str | int, ...], why: str) -> Finding:
    """Return the finding for a place where a schema is no JSON Schema."""
    path, told = pointer(steps), escape(why.replace('"', "'"), 120)
    return finding(
        "contract.schema", path, f"{path or 'the contract'} is no JSON Schema: {told}.", misuse(schema, steps)
    )


def summary(name: str, found: list[Finding]) -> str:
    """Return the first three findings in one text that names what cannot be used."""
    shown = " ".join(f"{item.path or '(root)'} {item.message} Next: {item.hint}" for item in found[:3])
    more = f" … and {len(found) - 3} more" if len(found) > 3 else ""
    return f"{quote(name, 120)[1:-1]} cannot be used: {clip(shown, 3 * MAX_MESSAGE)}{more}"


def refusal(reason: str, message: str, hint: str) -> ContractError:
    """Return the error for one `contract.*` reason."""
    return ContractError(f"{message} Next: {hint}", (finding(f"contract.{reason}", "", message, hint),))
