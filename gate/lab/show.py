"""What a notebook shows of one call: a refusal, or the value that was let through.

    refused(validate_tool_result, "inventory.lookup", {"sku": "SKU-19"})

A refusal that is only shown would be green when nothing was refused. So `refused` fails then, and `allowed` fails when
something was. An exercise that is not written yet fails neither: it says so.

Not here: many rules at once (`board`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from gate.decision import Decision
from gate.errors import Finding, GateError, clip
from gate.lab.attacks import wrote


class Shown:
    """A text that a cell shows, with an HTML form. The same text is the same in every run."""

    def __init__(self, text: str, html: str = "") -> None:
        self.text = text
        self.html = html or f"<p>{escape(text)}</p>"

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


class NotAsShown(AssertionError):
    """The cell promises a refusal and there was none, or the other way round. One red line, no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"\x1b[31m{self}\x1b[0m"]


def refused(call: Callable[..., Any], *args: Any, by: type[Exception] | None = None, **kwargs: Any) -> Shown:
    """Call `call(*args, **kwargs)` and show why it refused. Raises `NotAsShown` if it did not.

    A refusal is a `GateError` raised, a `Decision` that does not allow, a `Finding` returned, a tool result that is an
    error, a fence's answer that blocks; `by` names one more exception that counts. Any other exception goes through.
    """
    told = _ask(call, args, kwargs, by)
    if isinstance(told, Shown):
        return told
    value, reasons = told
    if reasons is None:
        got = f"{_name(call)} let through {wrote(value)}"
        raise NotAsShown(f"Nothing was refused: {got}. Next: close what it let through.")
    return Shown("\n".join(["refused", *(f"  {line}" for line in reasons)]), _list("refused", reasons))


def allowed(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Shown:
    """Call `call(*args, **kwargs)` and show what it let through. Raises `NotAsShown` if it refused."""
    told = _ask(call, args, kwargs, None)
    if isinstance(told, Shown):
        return told
    value, reasons = told
    if reasons is not None:
        raise NotAsShown(f"{_name(call)} refused what it should let through: {' '.join(reasons)}")
    value = value.value if isinstance(value, Decision) else value
    return Shown(f"allowed\n  {wrote(value, 400)}", _list("allowed", [wrote(value, 400)]))


def _ask(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], by: type[Exception] | None
) -> Shown | tuple[Any, list[str] | None]:
    """Return (value, None) or (value, reasons for the refusal), or what to show for an unwritten exercise."""
    if any(part is ... for part in (call, *args, *kwargs.values())):
        return Shown("not written yet")
    try:
        value = call(*args, **kwargs)
    except NotImplementedError as stub:
        return Shown(f"not written yet: {clip(str(stub), 60)}")
    except GateError as error:
        return None, _reasons(error.findings) or [clip(str(error))]
    except Exception as error:
        if by is None or not isinstance(error, by):
            raise
        return None, [clip(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")]
    if isinstance(value, Decision) and not value:
        return value, _reasons(value.findings) or [value.outcome]
    if isinstance(value, Finding):
        return value, _reasons((value,))
    if isinstance(value, dict) and value.get("type") == "tool_result" and value.get("is_error") is True:
        return value, [line.removeprefix("- ") for line in str(value.get("content")).splitlines()]
    if isinstance(value, dict) and value.get("outcome") == "block" and "findings" in value:
        return value, _reasons(Finding(**found) for found in value["findings"])
    return value, None


def _reasons(findings: Iterable[Finding]) -> list[str]:
    return [str(found) for found in findings]


def _list(title: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li><code>{escape(line)}</code></li>" for line in lines)
    return f"<p><b>{escape(title)}</b></p><ul>{items}</ul>"


def _name(call: Callable[..., Any]) -> str:
    return str(getattr(call, "__name__", type(call).__name__))
