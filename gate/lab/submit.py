"""The button at the end of a lab: packs what a student wrote into one file, and says what is missing.

Not here: what is in the file (`submission`), the same on the command line (`gate submit`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from gate.errors import ConfigError, GateError, counted, quote
from gate.files import write_whole
from gate.lab.answers import work_folder
from gate.lab.derive import chosen, solution_paths
from gate.lab.plan import load_plan
from gate.lab.show import Shown
from gate.lab.submission import AS_HANDED_OUT, collect

_SHOWN = 12
_SAVE = "Ctrl+S, on a Mac Cmd+S"
_NOBODY = "It does not say whose it is. Next: write your names beside the button, and pack again."
_UNSAVED = f"Did you write in one of these cells? Next: save that notebook ({_SAVE}), and pack again."


class Packed(NamedTuple):
    """A submission that was written: its file, how many files are in it, and what is `missing`, in words."""

    path: Path
    files: tuple[str, ...]
    missing: tuple[str, ...]

    def verdict(self) -> str:
        """Return one line: where it is, and whether it is complete."""
        count = len(self.missing)
        told = f"{count} missing; it can be handed in all the same" if count else "complete"
        return f"{self.path}: {counted(len(self.files), 'file')}, {told}."


def pack(notebooks: Sequence[str], pair: str = "", out: str | os.PathLike[str] | None = None) -> Packed:
    """Write the submission for labs or notebooks (none: all), to `work/submission-<lab>.zip` if it is one lab.

    Raises `ConfigError` for a name that is no notebook's, and when the file cannot be written.
    """
    solutions = chosen(solution_paths(), notebooks)
    submission = collect(solutions, pair)
    path = Path(out or work_folder() / _file_name(solutions))
    write_whole(path, submission.packed())
    return Packed(path, tuple(sorted(submission.files)), submission.missing)


def _file_name(solutions: Sequence[Path]) -> str:
    lab = solutions[0].parent.name
    whole = [path for path in solution_paths() if path.parent.name == lab]
    return f"submission-{lab}.zip" if list(solutions) == whole else "submission.zip"


class Submit:
    """The button of one lab. As the last line of a cell it shows itself; `pack` does the same as pressing it."""

    def __init__(self, lab: str) -> None:
        labs = load_plan()
        if lab not in labs:
            raise ConfigError(f"there is no lab {quote(lab)}. Next: use one of {', '.join(labs)}.")
        self.lab = lab
        self._box: Any = None

    def pack(self, pair: str = "") -> Shown:
        """Write the submission and return what to tell. A notebook goes in as it was saved last."""
        packed = pack([self.lab], pair)
        more = len(packed.missing) - _SHOWN
        lines = [*packed.missing[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        items = "".join(f"<li>{escape(line)}</li>" for line in lines)
        said = [
            packed.verdict(),
            *([] if pair.strip() else [_NOBODY]),
            *([_UNSAVED] if any(AS_HANDED_OUT in line for line in packed.missing) else []),
        ]
        html = "".join(f"<p>{escape(line)}</p>" for line in said) + (f"<ul>{items}</ul>" if items else "")
        return Shown("\n".join([*said, *(f"  missing  {line}" for line in lines)]), html)

    def __repr__(self) -> str:
        return (
            f"Save your notebooks ({_SAVE}), then press the button; without one, "
            f'submit("{self.lab}").pack("your names") does the same. What was not saved is not handed in.'
        )

    def _repr_mimebundle_(self, **_options: object) -> dict[str, Any]:
        plain = {"text/plain": repr(self), "text/html": f"<p>{escape(repr(self))}</p>"}
        if self._box is None and not os.environ.get("GATE_PLAIN"):
            self._box = self._widgets()
        live: dict[str, Any] = self._box._repr_mimebundle_() if self._box is not None else {}
        return {**live, **plain}

    def _widgets(self) -> Any:
        """Return the button with its field and what it tells, None where widgets are not installed."""
        try:
            import ipywidgets as widgets
        except ImportError:
            return None
        note = widgets.HTML(f"<p>Save your notebooks first ({_SAVE}).</p>")
        pair = widgets.Text(description="Names", placeholder="who hands this in", continuous_update=False)
        button = widgets.Button(description="Pack my answers", button_style="primary", tooltip="Writes one zip file")

        def pressed(_button: object) -> None:  # never prints and never raises: what went wrong is shown
            try:
                note.value = self.pack(pair.value).html
            except GateError as error:
                note.value = f"<p>{escape(str(error))}</p>"

        button.on_click(pressed)
        return widgets.VBox([widgets.HBox([pair, button]), note])


def submit(lab: str) -> Submit:
    """Return the button of a lab. Raises `ConfigError` for a lab that is none.

    >>> submit("memory").lab
    'memory'

    Does not catch: a notebook that is open with changes that were not saved.
    """
    return Submit(lab)
