"""One tool call, end to end: judged, run, its result judged, kept and wrapped. `run_tool` is the way in.

    call ─ contracts ─ (store, semantic) ─▶ the tool, fenced ─▶ result contract ─ echo ─ memory ─ envelope ─▶ result

Not here: what happens after a refusal, and when a run stops (`loop`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gate.calls import step
from gate.calls.reply import marked
from gate.calls.returns import Accepted, judge_return, payload
from gate.calls.running import MAX_WALL_MS, Ran, run
from gate.calls.step import UNIDENTIFIED, Step, identity
from gate.calls.tools import Tool, Tools
from gate.decision import Decision, block
from gate.envelope import MAX_CHARS, ToolResult, problems, tool_result
from gate.errors import ConfigError, Finding, GateError, ResultGateError, clip, finding, type_name
from gate.payload import Raw
from gate.registry import Contracts
from gate.toolcall import judge_call

log = logging.getLogger("gate.harness")

Judge = Callable[[str, Raw], Decision]
Run = Callable[[str, Tool, dict[str, Any], int], Ran]


class Memory(Protocol):
    """What the harness needs of a memory; `gate.memory.AgentMemory` is one."""

    @property
    def events(self) -> tuple[dict[str, Any], ...]:
        """What is in it; each event has a `tool_use_id`."""

    def append_tool_result(self, tool: object, payload: Any, tool_use_id: str | None = None) -> dict[str, Any]:
        """Keep a result, or raise `ResultGateError`."""

    def put_aside(self, tool: object, payload: Any, tool_use_id: object, findings: tuple[Finding, ...]) -> None:
        """Put a result into quarantine that was refused outside memory."""


class Harness:
    """Takes calls for one set of tools. Raises nothing for a call, whatever it is and whatever its tool does.

    `judge` is asked after the contracts allow (`Pipeline(...).judge`). `memory` keeps accepted results; every tool then
    needs an output contract. `seen` are the call ids already used, and grows; ids that `memory` holds count as used.
    Raises `ConfigError` for a limit or a time that is no positive integer.
    """

    def __init__(
        self,
        tools: Tools,
        *,
        judge: Judge | None = None,
        memory: Memory | None = None,
        seen: set[str] | None = None,
        limit: int = MAX_CHARS,
        max_wall_ms: int = MAX_WALL_MS,
    ) -> None:
        for what, value in (("limit", limit), ("max_wall_ms", max_wall_ms)):
            if type(value) is not int or value < 1:
                raise ConfigError(f"{what} is {clip(repr(value), 40)}. Next: give a whole number above 0.")
        self._tools = tools
        self._judge_further = judge
        self._memory = memory
        self._seen = set() if seen is None else seen
        self._limit = limit
        self._max_wall_ms = max_wall_ms
        if memory is not None:
            self._seen.update(event["tool_use_id"] for event in memory.events if event["tool_use_id"] is not None)

    def take(self, call: Any, run: Run = run) -> Step:
        """Judge one call, run it if it is allowed, and return what became of it.

        `run` runs the tool, or plays back what it came to.
        """
        try:
            return self._take(marked(call, call.get("finish_reason")) if type(call) is dict else call, run)
        except KeyboardInterrupt:  # a person
            raise
        except BaseException as error:  # noqa: BLE001 - a broken judge, memory or fence: a block, a person has to know
            log.info("a call could not be carried out", exc_info=True)
            return step.broken(call, error)

    def refuse(self, call: Any, found: Finding) -> Step:
        """Return the step of a call that is not even looked at, because its run has ended."""
        return self._refused(call, block("run", [found]))

    def _take(self, call: Any, run: Run) -> Step:
        decision = self._judge(call)
        if decision.value is None:
            return self._refused(call, decision)
        name, arguments = call["name"], decision.value
        tool = self._tools[name]
        ran = run(name, tool, arguments, self._max_wall_ms)
        if ran.state == "returned":
            judged = judge_return(name, ran, self._tools.contracts.output(name), arguments, tool.echo)
            judged = self._keep(name, call["id"], ran, judged)
            if isinstance(judged, Accepted):
                return Step(name, decision, ran, (), tool_result(call["id"], judged.content, limit=self._limit))
            ran = judged
        return step.failed(call, name, decision, ran, self._limit)

    def _judge(self, call: Any) -> Decision:
        decision = judge_call(self._tools.contracts, call, seen=self._seen)
        if identity(call) != UNIDENTIFIED:
            self._seen.add(identity(call))
        if "call.incomplete" in decision.codes:  # what a cut-off call lacks is not what the model left out
            return block("call", [found for found in decision.findings if found.code.startswith("call.")])
        if decision.value is None or self._judge_further is None:
            return decision
        return self._judge_by_gates(self._judge_further, call, decision)

    def _judge_by_gates(self, judge: Judge, call: dict[str, Any], decision: Decision) -> Decision:
        text = call.get("raw")  # as it was written, for money is compared by its digits
        try:
            further = judge(call["name"], text if isinstance(text, (str, bytes)) else decision.value or {})
            if isinstance(further, Decision) and (not further or further.value is not None):
                return further
            why = "they gave no decision"
        except KeyboardInterrupt:  # a person
            raise
        except BaseException as error:  # noqa: BLE001 - any doubt is a block
            log.info("the gates failed", exc_info=True)
            why = f"they raised {type_name(type(error))}"
        message = f"the gates could not judge the call: {why}."
        return block("semantic", [finding("semantic.unavailable", "", message, "a person has to look at the gates.")])

    def _keep(self, name: str, call_id: str, ran: Ran, judged: Accepted | Ran) -> Accepted | Ran:
        """Write an accepted result to memory and a refused one to quarantine; memory has the last word."""
        if self._memory is None:
            return judged
        if isinstance(judged, Ran):
            if judged.state == "returned":
                self._memory.put_aside(name, payload(ran), call_id, judged.findings)
            return judged
        try:
            self._memory.append_tool_result(name, judged.value, call_id)
        except ResultGateError as error:
            return ran._replace(findings=error.findings)
        return judged

    def _refused(self, call: Any, decision: Decision) -> Step:
        name = call.get("name") if type(call) is dict else None
        known = name if type(name) is str and name in self._tools.names() else ""
        return step.refused(call, known, decision, self._limit)


def run_tool(
    call: Any,
    tools: Tools | Mapping[str, Callable[..., Any] | Tool],
    contracts: Contracts,
    *,
    judge: Judge | None = None,
    memory: Memory | None = None,
    seen: set[str] | None = None,
    limit: int = MAX_CHARS,
    max_wall_ms: int = MAX_WALL_MS,
) -> ToolResult:
    """Return the result of one call for the model. Never raises, and never runs a call that a gate refused.

    `call` is `{"id", "name"}` with `arguments` or `input` (an object) or `raw` (the model's text); the other parameters
    are those of `Harness`. A refused call gets one message with all its problems. Tools that do not fit their contracts
    are an error that names the kit's set-up, not the call: make a `Tools` at start to hear of it then.

    >>> from gate.registry import load_contracts
    >>> refund = {"refund_order": lambda order_id, amount, currency, reason: {"refunded": amount}}
    >>> print(run_tool({"id": "c1", "name": "refund", "input": {}}, refund, load_contracts())["content"])
    The call was not run.
    - /name (call.unknown_tool) there is no tool named "refund". Next: use one of: refund_order.

    In an asynchronous program: `await asyncio.to_thread(run_tool, ...)`. Does not catch: what the contracts allow.
    """
    try:
        known = tools if isinstance(tools, Tools) else Tools(tools, contracts)
        harness = Harness(known, judge=judge, memory=memory, seen=seen, limit=limit, max_wall_ms=max_wall_ms)
    except GateError as error:
        text = f"Nothing ran: {error} This is no fault of your call: tell a person."
        return tool_result(identity(call), problems(text, error.findings), True)
    except KeyboardInterrupt:  # a person
        raise
    except BaseException as error:  # noqa: BLE001 - tools that cannot even be looked at
        log.info("a call could not be carried out", exc_info=True)
        return step.broken(call, error).result
    return harness.take(call).result
