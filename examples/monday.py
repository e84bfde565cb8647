"""A whole agent turn behind the gate. Copy this folder, put in your own tools and contracts, and keep the rest.

    python examples/monday.py [FOLDER]           a conversation written down here; no network, no model
    python examples/monday.py [FOLDER] --live    a model: MODEL_BASE_URL, MODEL_API_KEY, MODEL_NAME

FOLDER (`work/monday` unless you say otherwise) gets the ledger, the tape and the quarantine. Run it twice: the ticket
is there already, so its key brings back the first result, and nothing happens twice. After a change of `schemas/`, run
`gate contract freeze examples/schemas`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from gate.adapters.openai import from_openai
from gate.calls.reply import recorded
from gate.calls.tape import load_tape, save_tape
from gate.calls.tools import Tool, Tools
from gate.errors import GateError
from gate.fence import ToolFence
from gate.ledgers.sqlite import SqliteLedger
from gate.limits import load_limits
from gate.live import live_planner
from gate.loop import replay_turn, run_turn
from gate.memory import AgentMemory
from gate.registry import load_contracts

HERE = Path(__file__).parent
TASK = "How many SKU-19 are left? If fewer than ten, open ticket T-7 for it."

# --- yours: what the tools do -----------------------------------------------------------------------------------------


def look_up(sku: str) -> dict[str, Any]:
    """Read only, so without a fence. An exception, a late answer or another sku's stock reaches no memory."""
    stock = {"SKU-19": {"sku": "SKU-19", "quantity": 4, "warehouse": "sfo"}}
    return stock[sku]


def ticket(action: str, ticket_id: str, body: str, idempotency_key: str) -> dict[str, Any]:
    """Changes something outside, so behind a fence: for one key it runs once, in this process or the next."""
    print(f"   (the ticket system: {action} {ticket_id}: {body!r})")
    return {"ticket_id": ticket_id, "comments": 0 if action == "create_ticket" else 1}


# --- yours: what the model says, when there is none -------------------------------------------------------------------


def says(text: str | None, reason: str, *calls: tuple[str, str, str]) -> dict[str, Any]:
    """Return a chat completion as a model server sends it."""
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    return {"choices": [{"finish_reason": reason, "message": {"content": text, "tool_calls": made}}]}


OPEN = '{"action": "create_ticket", "ticket_id": "T-7", "body": "SKU-19: 4 left", "idempotency_key": "monday-T-7"}'
CONVERSATION = [
    says(None, "tool_calls", ("c1", "inventory_lookup", '{"sku": "sku 19", "warehouse": "sfo"}')),
    says(None, "tool_calls", ("c2", "inventory_lookup", '{"sku": "SKU-19"}')),
    says(None, "length", ("c3", "ticket", OPEN)),
    says(None, "tool_calls", ("c4", "ticket", OPEN)),
    says("Four are left, so I opened T-7.", "stop"),
]

# --- the gate: the same for every agent -------------------------------------------------------------------------------


def make_tools(folder: Path) -> Tools:
    """Return the tools with their contracts. Whatever does not fit together refuses to start here."""
    contracts = load_contracts(HERE / "schemas")
    limits, ledger = load_limits(HERE / "limits.json"), SqliteLedger(folder / "ledger.sqlite")
    fence = ToolFence(contracts.input("ticket"), limits, ledger)
    return Tools(
        {"inventory.lookup": Tool(look_up, echo=("sku",)), "ticket": Tool(ticket, echo=("ticket_id",), fence=fence)},
        contracts,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the turn, print what was decided, save the tape, and play it again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("work/monday"))
    parser.add_argument("--live", action="store_true", help="ask a model instead of the conversation written down here")
    args = parser.parse_args(argv)
    try:
        args.folder.mkdir(parents=True, exist_ok=True)
        tools, limits = make_tools(args.folder), load_limits(HERE / "limits.json")
        planner = live_planner(tools) if args.live else recorded([from_openai(said, tools) for said in CONVERSATION])
        memory = AgentMemory(tools.contracts, quarantine=args.folder / "quarantine.jsonl")
        turn = run_turn(TASK, planner, tools, limits=limits, memory=memory)
        for row in turn.transcript:
            print(f"{row['id']:4} {row['tool'] or '?':17} {row['we_do']:13} {' '.join(row['codes']) or row['content']}")
        print(f"{turn.status}: {turn.text}")
        save_tape(args.folder / "tape.json", turn.tape)
        tape, anew = load_tape(args.folder / "tape.json"), AgentMemory(tools.contracts)
        again = replay_turn(tape, tools, limits=limits, memory=anew)
        print("played again:", "the same decisions" if again.transcript == turn.transcript else "other decisions")
    except (GateError, OSError) as error:
        print(f"monday: {error}", file=sys.stderr)
        return 2
    return 0 if turn.status == "done" else 1


if __name__ == "__main__":
    raise SystemExit(main())
