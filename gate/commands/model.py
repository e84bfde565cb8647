"""`gate model`: a small model on this machine, what a model said, and what three readers let through of it."""

from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path

from gate.commands import show
from gate.errors import ConfigError, GateError
from gate.evidence.recorded import load_recorded
from gate.files import locate, write_whole
from gate.model.choice import BEST, CHOICES, LOCAL, RECORDED, best, model
from gate.model.prompts import load_prompts
from gate.model.record import Row, beside, kinds_of, record, save
from gate.model.score import READERS, UNSEEN, score, slipped, total
from gate.registry import load_contracts
from gate.semantic import VARIABLES

HELP = "a small model on this machine: install it, serve it, record what it says, score what gets through"
RECORDINGS = "fixtures/recorded"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    install = actions.add_parser("install", help="put the pinned model beside the environment (127 MB), hashes checked")
    serve = actions.add_parser("serve", help="run it until Ctrl-C, and print how to point the kit at it")
    serve.add_argument("--port", type=int, default=0, help="0 for a free one (default)")
    serve.add_argument("--recorded", action="store_true", help="answer with what it once said; nothing to install")
    recording = actions.add_parser("record", help="ask a model many times and keep every word")
    recording.add_argument("--tool", default="refund_order", metavar="NAME", help="(default: %(default)s)")
    recording.add_argument("--kind", metavar="KIND", help="the prompt (default: the tool's with an example)")
    recording.add_argument("--n", type=int, default=50, metavar="N", help="how many outputs (default: %(default)s)")
    recording.add_argument("--seed", type=int, default=1, metavar="N", help="of the first one; each has one more")
    recording.add_argument("--model", default=BEST, choices=(BEST, *CHOICES[:2]), help="(default: %(default)s)")
    recording.add_argument("--out", type=Path, metavar="FILE", help=f"(default: {RECORDINGS}/MODEL-KIND.jsonl)")
    scoring = actions.add_parser("score", help="what json.loads, jsonschema and the gate let through, by kind of fault")
    scoring.add_argument("file", nargs="?", default=f"{RECORDINGS}/smollm2.jsonl", metavar="FILE", help="a recording")
    scoring.add_argument("--picture", type=Path, metavar="PNG", help="write it as a picture, too")
    for action in (install, serve, recording, scoring):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run one action; `score` exits 1 when the gate let something through that it must stop."""
    return {"install": _install, "serve": _serve, "record": _record, "score": _score}[str(args.action)](args)


def _install(args: argparse.Namespace) -> int:
    from gate.model.install import install

    if not args.json:
        show.line("Installing the local model (127 MB to download, 200 MB on the disk) ...")
    folder = install()
    if args.json:
        show.as_json({"folder": str(folder), "used": best()})
    else:
        show.line(f"Installed in {folder}, hash as pinned. Next: gate model serve.")
    return 0


def _serve(args: argparse.Namespace) -> int:
    try:
        if args.recorded:
            return _serve_recorded(args)
        from gate.model.server import running_model

        with running_model(port=args.port) as served:
            _announce(args, LOCAL, served.environ())
            code = served.process.wait()
        raise ConfigError(f"the model's process ended by itself (exit {code}). Next: start it again.")
    except KeyboardInterrupt:
        if not args.json:
            show.line("The model stopped.")
    return 0


def _serve_recorded(args: argparse.Namespace) -> int:
    from gate.model.replay import running_replay

    with running_replay(port=args.port, tell=None if args.json else show.line) as double:
        _announce(args, RECORDED, double.environ())
        threading.Event().wait()
    return 0


def _announce(args: argparse.Namespace, who: str, settings: dict[str, str]) -> None:
    if args.json:
        show.as_json({"model": who, "environ": settings})
        return
    what = "SmolLM2 runs in a process of its own" if who == LOCAL else "What SmolLM2 once said, and no model"
    show.line(f"{what}. In another window:")
    for name in VARIABLES:
        show.line(f"  {'set' if os.name == 'nt' else 'export'} {name}={settings[name]}")
    show.line("Stop with Ctrl-C.")


def _record(args: argparse.Namespace) -> int:
    if args.n < 1:
        raise ConfigError("--n must be 1 or more. Next: say how many outputs to record.")
    kinds = kinds_of(args.tool)
    kind = args.kind or kinds[0]
    if kind not in kinds:
        raise ConfigError(f"there is no prompt of that kind for {args.tool}. Next: one of {', '.join(kinds)}.")
    who = best() if args.model == BEST else args.model
    if who == RECORDED:
        raise ConfigError("there is no model to record. Next: gate model install, or set MODEL_BASE_URL.")
    prompt, rows, fault = load_prompts()[kind], list[Row](), None
    with model(who) as environ:
        name = "".join(letter if letter.isalnum() or letter in ".-_" else "-" for letter in environ["MODEL_NAME"])
        path = args.out or locate(RECORDINGS) / f"{name}-{kind}.jsonl"
        beside(path)
        try:
            for row in record(prompt, args.n, environ, first_seed=args.seed):
                rows.append(row)
        except GateError as error:  # what was said until then is kept
            fault = error
    if fault and not rows:
        raise fault
    save(path, prompt, rows)
    if args.json:
        show.as_json({"file": str(path), "outputs": len(rows), "model": who, "kind": kind, "fault": str(fault or "")})
    else:
        show.line(f"{len(rows)} outputs of {environ['MODEL_NAME']} ({who}) in {path}. Next: gate model score {path}")
        if fault:
            show.line(f"It stopped there: {fault}")
    return 1 if fault else 0


def _score(args: argparse.Namespace) -> int:
    asked = {kind: prompt.asked for kind, prompt in load_prompts().items()}
    scores = score(load_recorded(args.file), load_contracts(), asked)
    if args.picture:
        from gate.model.picture import ScorePicture

        write_whole(args.picture, ScorePicture(scores).png())
    wrong = slipped(scores)
    if args.json:
        show.as_json({"scores": [item._asdict() for item in scores], "all": total(scores)._asdict(), "ok": not wrong})
        return 1 if wrong else 0
    rows = [item._replace(kind=f"{item.kind} *" if item.kind in UNSEEN else item.kind) for item in scores]
    show.table(f"Let through of {args.file}", ("what is wrong", "outputs", *READERS), [*rows, total(scores)])
    show.line("* no gate can see it in the output alone, or there is nothing to see. Each output counts once.")
    for item in wrong:
        show.line(f"THE GATE LET THROUGH {item.gate} with {item.kind}. Next: look at the contract, then at the gate.")
    return 1 if wrong else 0
