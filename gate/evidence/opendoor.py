"""Front doors left ajar, planted on purpose: each forgives one thing that is refused, and then asks the contract.

Not here: gates that are wrong altogether (`faulty`). Not planted: no cap on size or depth, because what shows that is
larger than a fixture should be. Nothing here is to be copied.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any

from gate.contract import Contract
from gate.evidence.faulty import Faulty, Gate, Payload
from gate.payload import read

_FENCE = re.compile(r"\A\s*(?:```|~~~)\w*\n(.*?)\n?(?:```|~~~)?\s*\Z", re.DOTALL)


def _forgiving(reason: str, mend: Callable[[str], Any]) -> Gate:
    """Return the gate that mends a text which is refused for one `parse.*` reason, and judges it again."""

    def gate(contract: Contract, tool: str, payload: Payload) -> bool:
        decision = contract.judge(payload)
        if decision.codes == (f"parse.{reason}",) and isinstance(payload, str):
            decision = contract.judge(mend(payload))
        return tool == contract.tool and bool(decision)

    return gate


def _rewritten(change: Callable[[Any], Any]) -> Gate:
    """Return the gate that changes every number and truth value of what it parsed before it looks."""

    def gate(contract: Contract, tool: str, payload: Payload) -> bool:
        return tool == contract.tool and bool(contract.judge(_each(read(payload), change)))

    return gate


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {name: _each(item, change) for name, item in value.items()}
    return [_each(item, change) for item in value] if isinstance(value, list) else change(value)


def _first_object(text: str) -> str:
    text = text.lstrip()
    return text[: json.JSONDecoder().raw_decode(text)[1]]


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except SyntaxError as error:
        raise ValueError from error


def _inside_fence(text: str) -> str:
    found = _FENCE.match(text)
    return found[1] if found else text


def _inner(text: str) -> Any:
    value = json.loads(text)
    return value if isinstance(value, str) else text


def _only_item(text: str) -> Any:
    value = json.loads(text)
    return value[0] if isinstance(value, list) and len(value) == 1 else text


def _not_finite(contract: Contract, tool: str, payload: Payload) -> bool:
    from gate.engine.strict import StrictEngine  # slow to import; a faulty gate is rarely wanted

    if contract.judge(payload).codes != ("parse.non_finite",):
        return tool == contract.tool and bool(contract.judge(payload))
    return tool == contract.tool and not StrictEngine(contract.schema).faults(json.loads(str(payload)))


AJAR: tuple[Faulty, ...] = (
    Faulty("empty-is-empty-object", "takes an empty text for {}", _forgiving("empty", lambda text: "{}")),
    Faulty("byte-order-mark", "drops a byte order mark", _forgiving("encoding", lambda text: text.lstrip("\ufeff"))),
    Faulty("python-literal", "takes single quotes and a last comma", _forgiving("not_json", _literal)),
    Faulty("ignore-trailing", "reads the first object and drops what follows", _forgiving("trailing", _first_object)),
    Faulty("any-fence", "takes off any code fence", _forgiving("fence", _inside_fence)),
    Faulty("encoded-twice", "parses a string that holds the object again", _forgiving("not_object", _inner)),
    Faulty("only-item", "takes the one item of an array for the object", _forgiving("not_object", _only_item)),
    Faulty("not-finite", "lets NaN and Infinity in, which no bound stops", _not_finite),
    Faulty(
        "whole-floats",
        "takes 4.0 for 4",
        _rewritten(lambda item: int(item) if isinstance(item, float) and item.is_integer() else item),
    ),
    Faulty("true-is-one", "takes true for 1", _rewritten(lambda item: int(item) if isinstance(item, bool) else item)),
)
