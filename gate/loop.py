"""A whole turn of an agent: the planner proposes, the harness takes each call, and patience says when it is over.

    planner ─▶ reply ─▶ harness, call by call ─▶ results ─▶ messages ─▶ planner …

A turn keeps a `transcript` (what was decided, one row a call, nothing raw of what was refused) and a `tape` (what the
planner said and what the tools came to, raw). `replay_turn` plays the tape through today's gates and runs nothing, so
that two transcripts can be compared. Keep a tape where you keep quarantine.

Not here: one call (`harness`), and the shapes of the providers (`adapters`).
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from gate.calls.patience import Patience
from gate.calls.reply import Message, Planner, Reply, marked, planner_failed, read_reply
from gate.calls.running import Ran, run
from gate.calls.step import UNIDENTIFIED, Step, identity
from gate.calls.tape import Tape
from gate.calls.tools import Tool, Tools
from gate.errors import Finding, GateError, finding, type_name
from gate.harness import Harness, Judge, Memory, Run
from gate.limits import Limits, load_limits
from gate.responses import Responses, load_responses

log = logging.getLogger("gate.loop")

MAX_STEPS = 12
MAX_ERRORS = 8

Row = dict[str, Any]

_PERSON = "a person has to look at this run."
_CUT_OFF = finding("call.incomplete", "", "your reply was cut off; nothing of it was done.", "say it again, shorter.")
_NO_CALL = finding("call.incomplete", "", "your reply announced a call and has none.", "send the call, or your answer.")


class Turn(NamedTuple):
    """What a turn came to. `done`: the planner had nothing more to call, and `text` is its last word. `stopped`: `code`
    and `text` say why, and a person should look. `messages` is what the planner saw.
    """

    status: Literal["done", "stopped"]
    code: str
    text: str
    messages: list[Message]
    transcript: list[Row]
    tape: Tape


class Settings(TypedDict, total=False):
    """What else `run_turn` takes, by name."""

    limits: Limits
    responses: Responses
    judge: Judge
    memory: Memory
    history: list[Message]
    max_steps: int
    max_errors: int


def run_turn(task: str, planner: Planner, tools: Tools, **settings: Unpack[Settings]) -> Turn:
    """Run one turn on a task and return what it came to. Nothing a planner or a tool does is raised, but a person's ^C.

    `limits` and `responses` are the kit's own by default (`ConfigError` when they cannot be read); `judge` and `memory`
    are those of `Harness`; `history` is the `messages` of the turn before. The turn stops after `max_steps` replies
    (12), after `max_errors` errors (8), when refused calls were not mended in `limits.max_repairs` tries, and where
    `data/responses.json` says to escalate.

    >>> from gate.registry import load_contracts
    >>> run_turn("say hello", lambda messages: "hello", Tools({}, load_contracts())).text
    'hello'

    Tracebacks go to the logs `gate.*` at level INFO. Calls of one reply run one after the other.
    Does not catch: a planner that hangs; give it a clock of its own.
    """
    return _Run(task, tools, settings).go(planner, lambda call_id: run)


def replay_turn(tape: Tape, tools: Tools, **settings: Unpack[Settings]) -> Turn:
    """Play a tape through today's gates: every call is judged again, nothing is run, no fence is asked.

    Compare the transcripts: a row that differs is a decision that changed, because a contract did, or a gate.
    """
    return _Run(tape.task, tools, settings).go(tape.planner(), lambda call_id: lambda *_: tape.came_to(call_id))


class _Run:
    """One turn under way."""

    def __init__(self, task: str, tools: Tools, settings: Settings) -> None:
        limits = settings.get("limits") or load_limits()
        responses = settings.get("responses") or load_responses()
        self._messages: list[Message] = [*copy.deepcopy(settings.get("history", [])), {"role": "user", "content": task}]
        self._harness = Harness(
            tools,
            judge=settings.get("judge"),
            memory=settings.get("memory"),
            seen={identity(call) for message in self._messages for call in message.get("calls", ())} - {UNIDENTIFIED},
            limit=limits.max_result_chars,
            max_wall_ms=limits.max_wall_ms,
        )
        self._patience = Patience(responses, limits.max_repairs, settings.get("max_errors", MAX_ERRORS))
        self._max_steps = settings.get("max_steps", MAX_STEPS)
        self._transcript: list[Row] = []
        self._tape = Tape(task)

    def go(self, planner: Planner, runner: Callable[[str], Run]) -> Turn:
        """Ask and answer until the planner is done or the turn is over; `runner` gives what runs the call of an id."""
        for _ in range(self._max_steps):
            reply = self._ask(planner)
            if isinstance(reply, Finding):
                return self._stopped(reply)
            self._messages.append({"role": "assistant", "content": reply.text, "calls": list(reply.calls)})
            if not reply.calls and not reply.incomplete:
                return Turn("done", "", reply.text, self._messages, self._transcript, self._tape)
            over = self._answer(reply, runner)
            if over is not None:
                return self._stopped(over)
        message = f"the planner did not come to an end within {self._max_steps} replies."
        return self._stopped(finding("run.too_many_steps", "", message, _PERSON))

    def _ask(self, planner: Planner) -> Reply | Finding:
        try:
            reply = read_reply(copy.deepcopy(planner(copy.deepcopy(self._messages))))
        except GateError as error:
            return planner_failed(str(error))
        except KeyboardInterrupt:  # a person
            raise
        except BaseException as error:  # noqa: BLE001 - SystemExit in a planner must not end the agent
            log.info("the planner failed", exc_info=True)
            return planner_failed(f"it raised {type_name(type(error))}")
        if isinstance(reply, Reply):
            self._tape.hear(reply)
        return reply

    def _answer(self, reply: Reply, runner: Callable[[str], Run]) -> Finding | None:
        """Take every call of a reply, each gets its result, and return why the turn is over, if it is."""
        self._patience.next_reply()
        over: Finding | None = None
        told: list[Any] = []
        for call in reply.calls or (None,):
            missing = _NO_CALL if reply.announces_what_it_lacks else _CUT_OFF
            refusal = over or (None if reply.calls else missing)
            step = self._harness.refuse(call, refusal) if refusal else self._take(call, reply, runner)
            action, code = ("escalate", over.code) if over else self._patience.after(step)
            if code and over is None:
                over = finding(code, "", "the run is over.", _PERSON)
            told.append(_told(step))
            self._transcript.append(_row(step, action))
        self._messages.append({"role": "user", "content": told})
        return over

    def _take(self, call: Any, reply: Reply, runner: Callable[[str], Run]) -> Step:
        call_id = identity(call)

        def run_and_note(name: str, tool: Tool, arguments: dict[str, Any], max_wall_ms: int) -> Ran:
            ran = runner(call_id)(name, tool, arguments, max_wall_ms)
            self._tape.note(call_id, ran)
            return ran

        return self._harness.take(marked(call, reply.finish_reason), run_and_note)

    def _stopped(self, why: Finding) -> Turn:
        return Turn("stopped", why.code, str(why), self._messages, self._transcript, self._tape)


def _told(step: Step) -> dict[str, Any]:
    """Return a result as the planner is told of it: as text where there is no call id that it could answer."""
    if step.result["tool_use_id"] == UNIDENTIFIED or "call.duplicate_id" in step.codes:
        return {"type": "text", "text": step.result["content"]}
    return step.result


def _row(step: Step, action: str) -> Row:
    """Return the line of the transcript on one call."""
    outcome = "repair" if action in ("repair", "retry_same_key") and not step.decision else step.decision.outcome
    return {
        "id": step.result["tool_use_id"],
        "tool": step.tool,
        "outcome": outcome,
        "stage": step.decision.stage,
        "codes": list(step.codes),
        "we_do": action,
        "state": step.ran.state if step.ran else "refused",
        "is_error": step.result["is_error"],
        "total": step.result.total,
        "dropped": step.result.dropped,
        "content": step.result["content"],
    }
