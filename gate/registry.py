"""The contracts of a folder and its lock.

Not here: what a contract may say (`vet`), how a lock is written (`lock`), a call judged by its contract (`toolcall`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gate.contract import Contract, Side, refusal
from gate.errors import MAX_MESSAGE, ConfigError, ContractError, Finding, clip, finding, quote
from gate.files import HOME, locate, read_json
from gate.payload import MAX_BYTES

LOCK = "contracts.lock.json"
_FILE = re.compile(r"(?P<tool>.+)\.(?P<side>input|output)\.schema\.json")


class Contracts:
    """All contracts of a folder, by tool and side. Read-only; iterating gives the contracts sorted by id."""

    def __init__(self, contracts: Iterable[Contract]) -> None:
        self._by_id: dict[str, Contract] = {}
        names = ToolNames()
        for contract in contracts:
            alike = names.alike(contract.tool, contract.side)
            if alike:
                raise refusal("name", alike.message, alike.hint)
            self._by_id[contract.id] = contract

    def __iter__(self) -> Iterator[Contract]:
        return iter([self._by_id[name] for name in sorted(self._by_id)])

    def __len__(self) -> int:
        return len(self._by_id)

    def input(self, tool: object) -> Contract | None:
        """Return the contract of a tool's arguments, or None. Any object may be asked for."""
        return self._by_id.get(f"{tool}.input") if type(tool) is str else None

    def output(self, tool: object) -> Contract | None:
        """Return the contract of a tool's results, or None. Any object may be asked for."""
        return self._by_id.get(f"{tool}.output") if type(tool) is str else None

    def tools(self) -> tuple[str, ...]:
        """Return the names of all tools, sorted."""
        return tuple(sorted({contract.tool for contract in self._by_id.values()}))

    def with_second_engine(self) -> Contracts:
        """Return the same contracts judged by the strict engine: the second opinion of `replay`."""
        return Contracts(contract.with_second_engine() for contract in self)


class ToolNames:
    """The names of tools that were met so far.

    >>> names = ToolNames()
    >>> names.alike("find", "input"), names.alike("find", "output"), names.alike("Find", "output").hint
    (None, None, 'rename one of them.')
    """

    def __init__(self) -> None:
        self._met: dict[str, str] = {}
        self._sides: set[tuple[str, Side]] = set()

    def alike(self, tool: str, side: Side) -> Finding | None:
        """Take one more side of a tool, and return what is wrong where one before it is the same or looks alike."""
        other = self._met.setdefault(_skeleton(tool), tool)
        if other == tool and (tool, side) not in self._sides:
            self._sides.add((tool, side))
            return None
        message = f"the tool names {quote(other)} and {quote(tool)} are the same or look alike."
        return finding("contract.name", "", message, "rename one of them.")


def load_contracts(folder: str | Path | None = None, *, max_bytes: int = MAX_BYTES) -> Contracts:
    """Return the contracts in a folder of `<tool>.<input|output>.schema.json`, checked against its lock.

    Without a folder: `schemas` here, else the kit's own. A folder that is named is never replaced by another.
    Refuses to start (`ContractError`, every finding in it) on any fault: a schema that is no contract, names that
    look alike, a file without a lock entry or the other way round, a schema that changed since it was frozen.
    """
    home = locate("schemas") if folder is None else Path(folder)
    files = contract_files(home)
    lock = read_lock(home)
    contracts: list[Contract] = []
    faults: list[ContractError] = []
    for path, tool, side in files:
        entry = lock.get(f"{tool}.{side}", {})
        try:
            version = entry.get("version", "0")
            contract = Contract.from_schema(read_json(path), tool=tool, side=side, version=version, max_bytes=max_bytes)
        except ContractError as error:
            faults.append(error)
            continue
        contracts.append(contract)
        if lock and entry.get("sha256") != contract.sha256:
            state = "changed since it was frozen" if entry else "is not frozen yet"
            hint = _COMPARE.format(contract.id) if entry else _FREEZE
            faults.append(refusal("lock", f"the contract {contract.id} {state}.", hint))
    if not lock:
        faults.append(refusal("lock", f"{LOCK} is missing: nothing is frozen.", _RESTORE))
    for name in sorted(lock.keys() - {f"{tool}.{side}" for _, tool, side in files}):
        faults.append(refusal("lock", f"{LOCK} lists {name}, which is not there.", _FREEZE))
    if faults:
        raise _together(home, faults)
    return Contracts(contracts)


def _together(folder: Path, faults: list[ContractError]) -> ContractError:
    """Return one error for all that is wrong in a folder; its text names the contract of each of the first three."""
    told = " ".join(clip(str(fault), MAX_MESSAGE) for fault in faults[:3])
    more = f" … and {len(faults) - 3} more" if len(faults) > 3 else ""
    return ContractError(f"{folder}: {told}{more}", tuple(one for fault in faults for one in fault.findings))


def kit_contracts() -> Contracts:
    """Return the kit's own contracts, also where another `schemas` lies: for boards, and what the kit recorded.

    Raises `ContractError` when they cannot be used.
    """
    return load_contracts(HOME / "schemas")


def contract_files(folder: Path, pattern: str = "*.json") -> list[tuple[Path, str, Side]]:
    """Return (path, tool, side) for each schema file in a folder, sorted by name; `pattern` chooses among them.

    Raises `ContractError` for a folder without one, and for a JSON file whose name says no tool and side.
    """
    found: list[tuple[Path, str, Side]] = []
    for path in sorted(folder.glob(pattern)):
        named = file_name(path.name)
        if named:
            found.append((path, *named))
        elif path.name != LOCK:
            raise refusal("name", f"{path.name} is not named <tool>.<input|output>.schema.json.", "rename the file.")
    if not found:
        raise refusal("missing", f"there is no contract in {quote(str(folder), 120)}.", "add a schema file.")
    return found


def file_name(name: str) -> tuple[str, Side] | None:
    """Return the tool and the side that a schema file is named after, or None.

    >>> file_name("inventory.lookup.output.schema.json")
    ('inventory.lookup', 'output')
    """
    named = _FILE.fullmatch(name)
    return (named["tool"], "input" if named["side"] == "input" else "output") if named else None


_RESTORE = "restore it from version control; or delete it, then run `gate contract freeze`: versions begin anew."
_FREEZE = "run `gate contract freeze`."
_COMPARE = "compare it with the old file (`gate contract diff OLD NEW`), then run `gate contract freeze --bump {}`."


def read_lock(folder: Path) -> dict[str, dict[str, str]]:
    """Return the entries of a folder's lock: {contract id: {"version", "sha256"}}; empty where there is no lock."""
    path = folder / LOCK
    if not path.exists():
        return {}
    try:
        entries = read_json(path).get("contracts")
    except ConfigError as error:
        raise refusal("lock", f"{path.name} is damaged.", _RESTORE) from error
    if not isinstance(entries, dict) or not all(
        isinstance(entry, dict) and set(entry) == {"version", "sha256"} and all(type(v) is str for v in entry.values())
        for entry in entries.values()
    ):
        raise refusal("lock", f"{path.name} is damaged.", _RESTORE)
    return entries


def _skeleton(name: str) -> str:
    return name.casefold().translate(str.maketrans("01i-.", "oll__"))
