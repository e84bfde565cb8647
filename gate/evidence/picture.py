"""The scorecard in a notebook: a pandas table and a small confusion picture. The only module that needs either.

Not here: the counts (`scorecard`). What a picture shows stands in its text form too, for those who cannot see it.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from gate.evidence.scorecard import Scorecard

if TYPE_CHECKING:
    import pandas

_RIGHT, _WRONG, _QUIET = "#d9ead3", "#f4cccc", "#f3f3f3"


def frame(card: Scorecard) -> pandas.DataFrame:
    """Return one row a call, by id: human, machine, stage_blocked, verdict."""
    import pandas

    columns = ["id", "human", "machine", "stage_blocked", "verdict"]
    rows = [(row.id, row.human, row.machine, row.stage_blocked or "", row.verdict) for row in card.rows]
    return pandas.DataFrame(rows, columns=columns).set_index("id")


def confusion_frame(card: Scorecard) -> pandas.DataFrame:
    """Return the confusion table: human labels down, machine outcomes across."""
    import pandas

    table = pandas.DataFrame(card.confusion).T
    return table.rename(index=lambda name: f"human {name}", columns=lambda name: f"machine {name}")


class Picture:
    """What a notebook shows as a picture by itself: `figure` draws it, and `repr`, the same in words, goes along."""

    def figure(self) -> Any:
        """Return it as a matplotlib Figure that belongs to no window."""
        raise NotImplementedError

    def _repr_png_(self) -> bytes:
        return self.png()

    def png(self, dpi: int = 110) -> bytes:
        """Return the picture as PNG."""
        out = io.BytesIO()
        self.figure().savefig(out, format="png", dpi=dpi, bbox_inches="tight", metadata={"Description": repr(self)})
        return out.getvalue()


class ConfusionPicture(Picture):
    """The confusion table as a picture that a notebook shows by itself; `repr` gives the same in words.

    A wrong cell is red only when something is in it: a good scorecard has no red.
    """

    def __init__(self, card: Scorecard) -> None:
        self.card = card

    def __repr__(self) -> str:
        counts = ", ".join(f"{name.replace('_', ' ')} {getattr(self.card, name)}" for name in Scorecard._fields[1:])
        return f"<confusion of {len(self.card.rows)} calls: {counts}>"

    def figure(self) -> Any:
        """Return it as a matplotlib Figure that belongs to no window."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(3.4, 2.5))
        axes = figure.add_subplot()
        axes.set(xlim=(0, 2), ylim=(2, 0), xticks=(0.5, 1.5), yticks=(0.5, 1.5))
        axes.set_xticklabels(("allow", "block"))
        axes.set_yticklabels(("allow", "block"))
        axes.set(xlabel="the gates say", ylabel="a person says")
        axes.tick_params(length=0)
        for down, (human, cells) in enumerate(self.card.confusion.items()):
            for across, (machine, count) in enumerate(cells.items()):
                _cell(axes, across, down, count, right=human == machine)
        return figure


def _cell(axes: Any, across: int, down: int, count: int, *, right: bool) -> None:
    from matplotlib.patches import Rectangle

    colour = (_RIGHT if right else _WRONG) if count else _QUIET
    axes.add_patch(Rectangle((across, down), 1, 1, facecolor=colour, edgecolor="white", linewidth=2))
    axes.text(across + 0.5, down + 0.45, str(count), ha="center", va="center", fontsize=17)
    name = ("right" if right else ("FALSE ALLOW" if across == 0 else "false block")) if count else ""
    axes.text(across + 0.5, down + 0.8, name, ha="center", va="center", fontsize=7.5)
