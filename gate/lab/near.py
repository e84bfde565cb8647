"""Near misses that a student wrote: payloads beside a contract's border, each with one fault.

Not here: thousands of them, at every rule, from a seed (`gate.evidence.fuzz`).
"""

from __future__ import annotations

from typing import Any

from gate.lab.attacks import HELD, Got, wrote
from gate.registry import kit_contracts


def near_miss(student: Any, good: Any, tool: str, pointer: str, codes: tuple[str, ...]) -> Got:
    """Return `hold` if one of the payloads in `student(good)` is refused for exactly this fault at `pointer` alone."""
    contract = kit_contracts().input(tool)
    if contract is None:
        return Got("no contract", f"there is no contract for {wrote(tool)}")
    sent = student(good)
    if not isinstance(sent, list | tuple):
        return Got("unclear", f"returned {wrote(sent, 40)}, no list of payloads. Next: return [payload, …].")
    beside = ""
    for payload in sent:
        decision = contract.judge(payload)
        found = [(one.path, one.code) for one in decision.findings]
        if found == [(pointer, code) for code in codes]:
            return Got(HELD, f"{wrote(payload, 160)} breaks it alone", codes)
        wanted = [fault for fault in found if fault[0] == pointer and fault[1] in codes]
        if wanted:
            others = ", ".join(f"{code} at {path}" for path, code in found if (path, code) not in wanted)
            beside = f"one breaks it, and {others} too: nobody knows which of them refused it"
    return Got("unexercised", beside or f"none of {len(sent)} payloads breaks this rule")
