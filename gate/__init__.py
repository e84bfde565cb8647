"""`gate`: no tool call runs, and no tool result enters an agent's memory, until a frozen contract accepts it.

>>> from gate import Contract
>>> contract = Contract.from_schema(
...     {"type": "object", "additionalProperties": False, "required": ["n"],
...      "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}}}, tool="count")
>>> contract.judge('{"n": "4"}').outcome
'block'

Everything in `__all__` is imported when it is first asked for, so that a loop which only judges pays for nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "errors": ("CODES", "ConfigError", "ContractError", "Finding", "GateError", "ResultGateError"),
    "decision": ("Decision",),
    "contract": ("Contract",),
    "registry": ("Contracts", "load_contracts"),
    "toolcall": ("judge_call",),
    "store": ("StoreGate",),
    "semantic": ("SemanticGate",),
    "pipeline": ("Pipeline",),
    "ledgers.sqlite": ("SqliteLedger",),
    "ledgers.memory": ("MemoryLedger",),
    "limits": ("Limits", "load_limits"),
    "responses": ("load_responses",),
    "brakes.outcomes": ("OutcomeUnknown",),
    "fence": ("ToolFence",),
    "results": ("judge_result", "validate_tool_result"),
    "memory": ("AgentMemory",),
    "envelope": ("tool_result",),
    "calls.running": ("Returned",),
    "calls.tools": ("Tool", "Tools"),
    "harness": ("Harness", "run_tool"),
    "calls.reply": ("Reply",),
    "loop": ("replay_turn", "run_turn"),
    "evidence.fixtures": ("Fixture", "load_fixtures", "save_fixture"),
    "evidence.replay": ("replay",),
    "evidence.scorecard": ("scorecard",),
    "evidence.fuzz": ("fuzz",),
    "evidence.mutants": ("mutants",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # noqa: PLE0605
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _MODULE:
        return getattr(import_module(f"gate.{_MODULE[name]}"), name)
    raise AttributeError(f"module 'gate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
