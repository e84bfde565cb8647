"""nbval comes to the same verdict on every cell with warm kernels as with plain ones, also where something is wrong."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from nbformat.v4 import new_code_cell, new_notebook, new_output, writes

from tests.notebooks.nbval_run import nbval

_PRINTED = [new_output("stream", name="stdout", text="42\n")]
_SHOWN = [new_output("execute_result", {"text/plain": "42"}, execution_count=1)]

#: A cell, and what is stored as its output.
_CELLS = [
    ("print(6 * 7)", _PRINTED),
    ("print(6 * 8)", _PRINTED),
    ("6 * 7", _SHOWN),
    ("6 * 8", _SHOWN),
    ("6 * 7;", _SHOWN),
    ("import sys; print(42, file=sys.stderr)", [new_output("stream", name="stderr", text="42\n")]),
    ("import os; os.system('echo 42')", []),
    ("raise ValueError(42)", []),
    ("# NBVAL_RAISES_EXCEPTION\nraise ValueError(42)", [new_output("error", ename="ValueError", evalue="42")]),
    ("# NBVAL_SKIP\nraise ValueError(42)", []),
    ("# NBVAL_IGNORE_OUTPUT\nprint(6 * 8)", _PRINTED),
    ("from IPython.display import display, Markdown; display(Markdown('42'))", []),
    ("import ipywidgets; ipywidgets.Button(description='42')", []),
    ("%%timeit -n1 -r1\npass", _PRINTED),
    ("input()", []),
    ("import threading; t = threading.Thread(target=print, args=(42,)); t.start(); t.join()", _PRINTED),
    ("import multiprocessing as m; p = m.Process(target=print, args=(42,)); p.start(); p.join()", _PRINTED),
    ("import random; random.seed(4); print(random.randrange(100))", [new_output("stream", name="stdout", text="30\n")]),
    ("def broken(:", []),
]
_ENDS = {"slow": "while True: pass", "gone": "import os; os._exit(3)"}
# Jupyter looks for free ports before the kernel takes them. Of many that start at once one may find them taken.
_LOST_ITS_PORT = "Kernel died before replying to kernel_info"
_LIMITS = {"faults": 100, "ends": 5}
_WHICH = ("import sys; print('gate.warm.server' in sys.modules)", [new_output("stream", name="stdout", text="True\n")])


def _notebook(cells: list[tuple[str, list[object]]]) -> str:
    made = [new_code_cell(source, outputs=outputs, execution_count=1) for source, outputs in cells]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    text: str = writes(new_notebook(cells=made, metadata={"kernelspec": spec}))
    return text


def _verdicts(folder: Path, kernels: str, seconds: int) -> dict[str, str]:
    """Return for every cell whether it passed, failed, was skipped or broke, and the first lines of what was said."""
    shutil.copytree(folder, here := folder.with_name(f"{folder.name}-{kernels}"))
    options = ("--nbval", f"--nbval-cell-timeout={seconds}", "--color=no", f"--junitxml={here}.xml")
    for _ in range(3):
        nbval(here, *options, "notebooks", kernels=kernels)
        found = {}
        for case in ElementTree.parse(f"{here}.xml").iter("testcase"):
            told = [(part.tag, *part.get("message", "").splitlines()[:2]) for part in case]
            found[f"{case.get('classname')} {case.get('name')}"] = str(told or "passed")
        if not any(_LOST_ITS_PORT in told for told in found.values()):
            break
    return found


def _write(folder: Path, name: str, cells: list[tuple[str, list[object]]]) -> None:
    path = folder / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_notebook(cells), encoding="utf-8")


def test_every_cell_comes_to_the_same(tmp_path: Path) -> None:
    _write(tmp_path / "faults", "which", [_WHICH])
    _write(tmp_path / "faults", "mixed", _CELLS)
    for name, ending in _ENDS.items():
        _write(tmp_path / "ends", name, [("print(6 * 7)", _PRINTED), (ending, []), ("print(6 * 7)", _PRINTED)])
    # A cell that never answers costs its limit, and five seconds more, so these wait side by side.
    asked = [(tmp_path / name, kernels, limit) for kernels in ("warm", "plain") for name, limit in _LIMITS.items()]
    with ThreadPoolExecutor() as pool:
        warm, warm_ends, plain, plain_ends = pool.map(lambda one: _verdicts(*one), asked)
    which = "notebooks.which.ipynb Cell 0"
    assert (warm.pop(which), "outputs differ" in plain.pop(which)) == ("passed", True)
    assert warm == plain and len(warm) == len(_CELLS) and len(set(warm.values())) > 10
    assert warm_ends == plain_ends and len(set(warm_ends.values())) == 4
