"""The boards as their files have them: `data/boards/<name>.json`, vetted, planted inputs made.

Dropping a file in makes a board.

Not here: running one (`board`).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from gate.errors import ConfigError, quote
from gate.files import HOME
from gate.lab.attacks import ATTACKS
from gate.lab.fences import SITUATIONS
from gate.lab.planted import plant
from gate.lab.rules import Rule
from gate.lab.stand_in import judge_faults
from gate.lab.told import BEHAVIOURS
from gate.lab.vetted import read_vetted

_OUTCOMES = ("allow", "repair", "block", "hold")
_WRAPPED = ("answer", "error")  # for the kind `wrap`: what a tool result can be
_CASES: dict[str, Collection[str]] = {
    "memory": ATTACKS, "wrap": BEHAVIOURS, "fence": SITUATIONS, "call": ("untouched",)
}  # fmt: skip


class Board(NamedTuple):
    """A board as its file has it, planted inputs made.

    `notebook` is `<lab>/<section>`, `kind` one of `rules.KINDS`. `trial` marks a board that only shows what is red.
    """

    id: str
    notebook: str
    title: str
    kind: str
    table: str
    hints: tuple[str, ...]
    rules: tuple[Rule, ...]
    trial: bool


def load_board(name: str, home: Path = HOME) -> Board:
    """Return the board `data/boards/<name>.json`. Raises `ConfigError` naming the file, the field and what to do."""
    path = home / "data" / "boards" / f"{name}.json"
    known = [file.stem for file in sorted(path.parent.glob("*.json"))]
    if known and name not in known:
        near = difflib.get_close_matches(name, known, n=1) or known
        raise ConfigError(f"There is no board {quote(name)}. Next: use {' or '.join(near[:3])}.")
    data = read_vetted(path, "board")
    tool = data.get("tool", "")
    rules = [Rule(**{"tool": tool, **rule, **_tuples(rule)}) for rule in data["rules"]]
    if "planted" in data:
        planted = plant(**{"tool": tool, **data["planted"]})
        rules += [rule._replace(tool=tool) for rule in planted]
    fault = _fault(name, data, rules)
    if fault:
        raise ConfigError(f"{path}: {fault}")
    names = (data["id"], data["notebook"], data["title"], data["try"], data.get("table", ""))
    return Board(*names, tuple(data["hints"]), tuple(rules), data.get("trial", False))


def _tuples(rule: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(rule[name]) for name in ("codes", "says", "never") if name in rule}


def one_hint(chosen: Board, level: int) -> str:
    """Return the text of one hint. Raises `ConfigError` for a level that there is not."""
    if level not in range(1, len(chosen.hints) + 1):
        raise ConfigError(f"there is no hint {quote(str(level))} for {chosen.id}. Next: ask for 1, 2 or 3.")
    return chosen.hints[level - 1]


def _fault(name: str, data: dict[str, Any], rules: list[Rule]) -> str:
    """Return what is wrong with a board beyond its shape, or ""."""
    ids = [rule.id for rule in rules]
    if data["id"] != name:
        return f"its id is {data['id']}. Next: name file and id alike."
    for rule in rules:
        if ids.count(rule.id) > 1:
            return f"rule {rule.id} is there twice. Next: rename one."
        if rule.row and not data.get("table"):
            return f'rule {rule.id} names a row, but the board no table. Next: add "table".'
        if not rule.given and not rule.case:
            return f"rule {rule.id} tries nothing. Next: give it given or case."
        if rule.given and rule.form != "text" and not _is_json(rule.given):
            return f'rule {rule.id} hands over what is no JSON. Next: mend given, or write "form": "text".'
        outcomes = _WRAPPED if data["try"] == "wrap" else _OUTCOMES
        if not (_is_json(rule.expect) if data["try"] == "call" else rule.expect in outcomes):
            return f"rule {rule.id} expects {rule.expect}. Next: use {', '.join(outcomes)}, for call the JSON wanted."
        cases = judge_faults() if data["try"] == "judge" else _CASES.get(data["try"])
        if rule.case and cases is not None and rule.case not in cases:
            return f"rule {rule.id} names the case {rule.case}. Next: use one of {', '.join(cases)}."
    return ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
