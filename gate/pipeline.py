"""The three argument gates and their order: schema, store, semantic. Cheapest first, and written down once.

The first gate that refuses ends the way. What did not run, because an earlier gate refused, because it was not asked
for, or because it has no rules for the tool, stands in `Decision.skipped`: never silent. A gate that raises, or that
returns anything but findings, is a block with that gate's code.

Does not catch: what no gate was asked about. An allow of `schema` and `store` says nothing of policy; read `skipped`.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, Protocol

from gate.contract import Contract
from gate.decision import Decision, block
from gate.errors import ConfigError, Finding, finding, quote, type_name
from gate.payload import Raw, exact_number, read
from gate.registry import Contracts
from gate.store import StoreGate

ORDER = ("schema", "store", "semantic")
_FAILED = {"schema": "schema.other", "store": "store.failed", "semantic": "semantic.unavailable"}


class Store(Protocol):
    """What the pipeline needs of a store gate; `gate.store.StoreGate` is one."""

    @property
    def tools(self) -> Collection[str]:
        """The tools it has rules for."""

    def judge(self, arguments: Mapping[str, Any], amount: Decimal | None = None) -> tuple[Finding, ...]:
        """Return the reasons to refuse."""


class Semantic(Protocol):
    """What the pipeline needs of a semantic gate; `gate.semantic.SemanticGate` is one."""

    def judge(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Finding, ...]:
        """Return the reasons to refuse."""


class Pipeline:
    """The gates of some `stages`, always asked in `ORDER`. Judging changes nothing; the store is told by `reserve`.

    `store` and `semantic` are the kit's own unless given. Raises `ConfigError` for stages that do not exist, for none,
    or when a gate that was asked for cannot be made.

    >>> from gate.registry import load_contracts
    >>> call = '{"order_id": "ord_9999", "amount": 19.0, "currency": "USD", "reason": "arrived damaged"}'
    >>> decision = Pipeline(load_contracts(), ("schema", "store")).judge("refund_order", call)
    >>> decision.outcome, decision.codes, decision.skipped
    ('block', ('store.unknown_order',), ('semantic',))
    """

    def __init__(
        self,
        contracts: Contracts,
        stages: Collection[str] = ORDER,
        *,
        store: Store | None = None,
        semantic: Semantic | None = None,
    ) -> None:
        self.stages = _in_order(stages)
        self._contracts = contracts
        self.store = StoreGate() if store is None and "store" in self.stages else store
        if semantic is None and "semantic" in self.stages:
            from gate.semantic import SemanticGate  # brings httpx along, which nobody else should pay for

            semantic = SemanticGate()
        self.semantic = semantic

    def judge(self, tool: str, raw: Raw) -> Decision:
        """Return the decision on the arguments of one call, text, bytes or a mapping. Never raises.

        An allow holds the copy that was judged in `.value`; use that, not what you handed in.
        """
        contract = self._contracts.input(tool)
        if contract is None:
            return block("call", [_unknown_tool(tool, self._contracts)], ORDER)
        first = self._way_in(contract, raw)
        ran = [first.stage]
        if first.value is None:
            return first._replace(skipped=_others(ran))
        for stage in self._stages_after_schema(tool):
            ran.append(stage)
            found = self._ask(stage, tool, first.value, raw)
            if found:
                return block(stage, found, _others(ran))
        return first._replace(stage=ran[-1], skipped=_others(ran))

    def _way_in(self, contract: Contract, raw: Raw) -> Decision:
        """Judge by the contract or, where its stage was not asked for, parse only: no gate sees unparsed text."""
        try:
            if "schema" in self.stages:
                return contract.judge(raw)
            value = read(raw, max_bytes=contract.max_bytes)
            return block("parse", [value]) if isinstance(value, Finding) else Decision("allow", "parse", (), value)
        except Exception as error:  # noqa: BLE001 - any doubt is a block
            return block("schema", [_failed("schema", f"it raised {type_name(type(error))}")])

    def _stages_after_schema(self, tool: str) -> tuple[str, ...]:
        has_rules = self.store is not None and tool in self.store.tools
        return tuple(stage for stage in self.stages if stage == "semantic" or (stage == "store" and has_rules))

    def _ask(self, stage: str, tool: str, value: dict[str, Any], raw: Raw) -> tuple[Finding, ...]:
        """Ask one gate about a copy, so that what a gate does to it does not reach the value that is handed on."""
        try:
            if stage == "store":
                amount = exact_number(raw if isinstance(raw, (str, bytes)) else value, "amount")
                found: Any = self.store.judge(copy.deepcopy(value), amount) if self.store else None
            else:
                found = self.semantic.judge(tool, copy.deepcopy(value)) if self.semantic else None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any doubt is a block
            return (_failed(stage, f"it raised {type_name(type(error))}"),)
        if type(found) not in (tuple, list) or not all(type(item) is Finding for item in found):
            return (_failed(stage, "it returned no list of findings"),)
        return tuple(found)


def _in_order(stages: Collection[str]) -> tuple[str, ...]:
    wanted = [stages] if isinstance(stages, str) else list(stages)
    unknown = [stage for stage in wanted if stage not in ORDER]
    if unknown or not wanted:
        what = f"{quote(unknown[0])} is no stage" if unknown else "no stage was asked for"
        raise ConfigError(f"{what}. Next: choose from {', '.join(ORDER)}; they always run in this order.")
    return tuple(stage for stage in ORDER if stage in wanted)


def _others(ran: Collection[str]) -> tuple[str, ...]:
    return tuple(stage for stage in ORDER if stage not in ran)


def _unknown_tool(tool: object, contracts: Contracts) -> Finding:
    known = ", ".join(name for name in contracts.tools() if contracts.input(name))
    return finding("call.unknown_tool", "", f"there is no tool named {quote(tool)}.", f"use one of: {known}.")


def _failed(stage: str, why: str) -> Finding:
    message = f"the {stage} gate failed: {why}. The call was not judged, so it is refused."
    return finding(_FAILED[stage], "", message, "a person has to look at the gate; the call may be right.")
