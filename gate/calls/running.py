"""Running one tool, once, under a clock; what it came to, in plain JSON types, whatever the tool did.

Not here: whether it may run, and whether what it gave back is accepted (`harness`).
"""

from __future__ import annotations

import copy
import inspect
import logging
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from types import CoroutineType
from typing import Any, Literal, NamedTuple

from gate.calls.tools import Fence, Tool
from gate.envelope import as_text, clean, exception_text, plain_json
from gate.errors import Finding, finding, type_name
from gate.wrapping.blocks import Block, is_blocks, judge_blocks, words
from gate.wrapping.cut import cut

log = logging.getLogger("gate.calls.running")

MAX_WALL_MS = 10_000
_DETAIL = 600  # characters of a tool's own error text: enough for its last line, little for whoever wrote it

State = Literal["returned", "failed", "unknown", "refused"]


class Returned(NamedTuple):
    """What a tool may return where a plain value does not say enough: a value, content blocks, and whether it failed.

    `value` is judged by the output contract. `adapters.from_mcp` makes one of an MCP server's reply.
    """

    value: Any = None
    content: list[Any] | None = None
    failed: bool = False


class Ran(NamedTuple):
    """What running came to. `refused`: the fence did not let it run; `unknown`: it may have taken effect, or may still.

    `value` and `content` are what it returned; `findings` and `detail` (the tool's own words, cleaned) are there
    otherwise. `replayed` says that the fence handed back the first result of the same call.
    """

    state: State
    value: Any = None
    content: list[Block] | None = None
    findings: tuple[Finding, ...] = ()
    detail: str = ""
    replayed: bool = False


def run(name: str, tool: Tool, arguments: dict[str, Any], max_wall_ms: int = MAX_WALL_MS) -> Ran:
    """Run a tool with a deep copy of accepted arguments and return what it came to.

    Nothing a tool does is raised: not `SystemExit`, not an exception whose text raises, not a generator, a coroutine or
    bytes. A person's ^C does go through: it comes to the thread that waits, never to the tool's own.

    >>> run("count", Tool(lambda n: {"n": n + 1}), {"n": 1}).value
    {'n': 2}

    Does not catch: a tool that goes on after its time. Its thread cannot be stopped; what it returns is thrown away.
    """
    if tool.fence is not None:
        return _run_fenced(name, tool.function, tool.fence, arguments)
    box: SimpleQueue[Ran] = SimpleQueue()

    def work() -> None:
        try:
            ran = _call(name, tool.function, copy.deepcopy(arguments))
        except BaseException:  # an exception that raises when it is told of
            ran = failed(f"{name} raised an exception that cannot be told.")
        box.put(ran)

    try:
        Thread(target=work, name=f"gate {name}", daemon=True).start()
        return box.get(timeout=max_wall_ms / 1000)
    except RuntimeError:
        return failed(f"{name} did not run: no thread could be started.", state="refused")
    except Empty:
        return failed(f"{name} did not answer within {max_wall_ms} ms and was left behind.", state="unknown")


def _call(name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> Ran:
    try:
        return _take(name, function(**arguments))
    except BaseException as error:  # noqa: BLE001 - SystemExit in a tool must not end the agent
        log.info("%s failed", name, exc_info=True)
        return failed(f"{name} raised {type_name(type(error))}.", exception_text(error))


def _take(name: str, returned: Any) -> Ran:
    """Return what a tool gave back as a copy in plain JSON types, or as a failure."""
    if type(returned) is CoroutineType:
        returned.close()
        return _asynchronous(name)
    if not _is_returned(returned):
        returned = Returned(content=returned) if is_blocks(returned) else Returned(returned)
    content = judge_blocks(returned.content) if returned.content else None
    value = plain_json(returned.value)
    if returned.failed is not False:  # before anything else is found wrong: the first cause is told first
        return failed(f"{name} says that it failed.", said(value, content))
    if isinstance(value, Finding) or isinstance(content, tuple):
        return Ran("failed", findings=content if isinstance(content, tuple) else (value,))
    return Ran("returned", value, content)


def _asynchronous(name: str) -> Ran:
    message = f"{name} is asynchronous: it returned a coroutine, and nothing of it ran."
    return Ran("failed", findings=(finding("result.not_json", "", message, "wrap it: asyncio.run(tool(...))."),))


def _is_returned(value: Any) -> bool:
    return issubclass(type(value), Returned)  # not isinstance, which asks the value for its class


def said(value: Any, content: list[Block] | tuple[Finding, ...] | None = None) -> str:
    """Return the words in which a tool tells of its failure: those of its content blocks, or else its value as text.

    A finding in place of a value that is no JSON is told by its message.

    >>> said(None, [{"type": "text", "text": "upstream 503"}]), said({"error": "boom"})
    ('upstream 503', '{"error": "boom"}')
    """
    texts = [words(block) or "" for block in content] if isinstance(content, list) else []
    text = "" if value is None else value if isinstance(value, Finding) else as_text(value)
    return "\n".join(filter(None, texts)) or (text.message if isinstance(text, Finding) else text)


def _run_fenced(name: str, function: Callable[..., Any], fence: Fence, arguments: dict[str, Any]) -> Ran:
    """Run a mutation behind its fence, which keeps its clock, its key and its budget."""
    try:
        if inspect.iscoroutinefunction(function):  # the fence sees a plain function around it, and could not know
            return _asynchronous(name)
        answer = fence.run(arguments, lambda payload: _for_fence(function(**payload)))
        findings = tuple(Finding(**row) for row in answer["findings"])
        value = plain_json(answer["result"])
        if answer["ok"] is True and not isinstance(value, Finding):
            return Ran("returned", value, replayed=answer["replayed"] is True)
        return Ran(_FENCE_STATES.get(answer["state"], "unknown"), findings=findings)
    except Exception as error:  # a fence that breaks its promise: nobody knows how far the call came
        message = f"the fence of {name} failed ({type_name(type(error))})."
        return Ran("unknown", findings=(finding("fence.unavailable", "", message, "stop and page a person."),))


_FENCE_STATES: dict[str, State] = {"blocked": "refused", "failed": "failed"}


def _for_fence(returned: Any) -> Any:
    """Return what a fence understands: the value, or the flag that says it failed."""
    if not _is_returned(returned):
        return returned
    return {"isError": True} if returned.failed is not False else returned.value


def failed(message: str, detail: str = "", state: State = "failed") -> Ran:
    """Return what running comes to when the tool failed; `detail` is its own words, not yet cleaned."""
    hint = "do not send it again at once; try another way or tell a person."
    shown = cut(clean(detail, failed=True), _DETAIL).text
    return Ran(state, findings=(finding("result.tool_error", "", message, hint),), detail=shown)
